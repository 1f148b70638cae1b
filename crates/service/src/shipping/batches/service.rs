//! The service of a batch: what a client names, looked up among the usable carriers and accounts.

use model::platform::id::{Kind, mismatch};
use model::platform::problem::Issue;
use model::shipping::batch::{Part, PartName, Service, ServiceInput};
use model::{Code, Error, Owner, Problem, Result};
use serde_json::Value;
use store::Tx;
use store::shipping::carrier_accounts::{self, StoredCarrierAccount as Account};

use crate::shipping::account_details::details;
use crate::shipping::carriers;

/// Returns the service, the carrier and the account that a client names.
pub async fn find(tx: &mut Tx<'_>, owner: Owner, named: &ServiceInput) -> Result<Service> {
    let mut accounts = carrier_accounts::all(tx, owner).await?;
    let mut is_usable = Vec::with_capacity(accounts.len());
    for account in &accounts {
        is_usable.push(!details(account)?.disabled);
    }
    let mut is_usable = is_usable.into_iter();
    accounts.retain(|_| is_usable.next().unwrap_or_default());
    let carrier = named.carrier.as_ref().map(|name| find_carrier(owner, name)).transpose()?;
    let account = match &named.carrier_account {
        Some(name) => find_account(&accounts, carrier, name)?,
        None => only_account(&accounts, carrier, &named.carrier_service)?,
    };
    let Some(service) = find_service(account, &named.carrier_service)? else {
        let code = Code::CarrierServiceNotFound;
        return Err(refuse(
            code,
            &named.carrier_service,
            "carrier_service",
            "The carrier has no such service.",
        ));
    };
    let carrier =
        carriers::carrier(&account.carrier).ok_or_else(|| Error::fault("an account has no known carrier"))?;
    let details = details(account)?;
    Ok(Service {
        carrier: Part {
            id: carrier.id,
            name: carrier.name,
            handle: Some(carrier.handle),
            description: Some(carrier.description),
        },
        carrier_service: service,
        carrier_account: Part {
            id: account.id,
            name: details.name,
            handle: details.handle,
            description: details.description,
        },
    })
}

fn find_carrier(owner: Owner, name: &PartName) -> Result<&'static str> {
    let id = name.id.as_deref().map(model::Id::parse);
    if let (Some(None), Some(text)) = (id, &name.id) {
        let message = format!("This {}.", mismatch(model::Carrier::PREFIX, text));
        return Err(refuse(Code::CarrierNotFound, name, "carrier", &message));
    }
    let handle = name.handle.as_deref();
    carriers::handle_of(owner.world, id.flatten(), handle).ok_or_else(|| {
        let message = carriers::why_unusable(owner.world, id.flatten(), handle);
        refuse(Code::CarrierNotFound, name, "carrier", &message)
    })
}

fn find_account<'a>(accounts: &'a [Account], carrier: Option<&str>, name: &PartName) -> Result<&'a Account> {
    for account in accounts {
        let is_carrier = carrier.is_none_or(|carrier| carrier == account.carrier);
        if is_carrier && name.is(&account.id.to_string(), details(account)?.handle.as_deref()) {
            return Ok(account);
        }
    }
    let message = "There is no such account that can be used.";
    Err(refuse(Code::CarrierAccountNotFound, name, "carrier_account", message))
}

/// Returns the account that is meant if none is named: the only one of the carrier, or the only one that has the service.
fn only_account<'a>(
    accounts: &'a [Account],
    carrier: Option<&str>,
    service: &PartName,
) -> Result<&'a Account> {
    let mut candidates = Vec::new();
    for account in accounts {
        let is_candidate = match carrier {
            Some(carrier) => account.carrier == carrier,
            None => find_service(account, service)?.is_some(),
        };
        if is_candidate {
            candidates.push(account);
        }
    }
    if let [only] = candidates[..] {
        return Ok(only);
    }
    let code = Code::CarrierAccountNotFound;
    let message = match (candidates.len(), carrier) {
        (0, Some(_)) => "There is no account with this carrier that can be used.".to_owned(),
        (0, None) => "There is no account with such a service that can be used.".to_owned(),
        (many, _) => format!("Name the account: {many} could be meant."),
    };
    Err(Problem::field(code, Issue::new(code.as_str(), "/service/carrier_account", message)).into())
}

/// Returns the service of an account with this name. A gateway has services that are not known here: their name is their
/// handle, and they have no description.
fn find_service(account: &Account, name: &PartName) -> Result<Option<Part<model::CarrierService>>> {
    let word = name.handle.as_deref().or(name.id.as_deref()).unwrap_or_default();
    let Some(handle) = carriers::find_service(account, word)? else { return Ok(None) };
    let id = carriers::service_id(&account.carrier, &handle);
    if !name.is(&id.to_string(), Some(&handle)) {
        return Ok(None);
    }
    let known = carriers::services(&account.carrier, &details(account)?.configuration);
    let known = known.iter().find(|service| service.handle == handle);
    let (name, description) = match known {
        Some(known) => (known.name.clone(), Some(known.description.clone())),
        None => (handle.clone(), None),
    };
    Ok(Some(Part { id, name, handle: Some(handle), description }))
}

fn refuse(code: Code, name: &PartName, part: &str, message: &str) -> Error {
    let word = if name.id.is_some() { "id" } else { "handle" };
    Problem::field(code, Issue::new(code.as_str(), format!("/service/{part}/{word}"), message)).into()
}

/// The parts of a batch's service, each with the parts that depend on it: another carrier has other services and accounts, and
/// an account determines its carrier.
const PARTS: [(&str, &[&str]); 3] = [
    ("carrier", &["carrier", "carrier_service", "carrier_account"]),
    ("carrier_account", &["carrier_account", "carrier"]),
    ("carrier_service", &["carrier_service"]),
];

/// Prepares a batch for a patch of its service, which merges into what is there (RFC 7396). If the patch names another carrier,
/// account or service than the batch has, that part goes first, with what belongs to it: the old id beside a new handle would
/// name nothing. A part that the patch leaves out, or names as it is, stays.
pub fn make_way(mut current: Value, patch: &Value) -> Value {
    let given = patch.get("service").and_then(Value::as_object);
    let (Some(given), Some(service)) = (given, current.get_mut("service").and_then(Value::as_object_mut))
    else {
        return current;
    };
    let names_another = |part: &str| {
        ["id", "handle"].iter().any(|name| {
            let named = given.get(part).and_then(|part| part.get(name)).filter(|named| !named.is_null());
            named.is_some_and(|named| service.get(part).and_then(|part| part.get(name)) != Some(named))
        })
    };
    let replaced = PARTS.iter().filter(|(part, _)| names_another(part));
    let gone: Vec<&str> = replaced.flat_map(|(_, parts)| parts.iter().copied()).collect();
    service.retain(|part, _| !gone.contains(&part.as_str()));
    current
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_of_the_service_replaces_what_it_names_anew_and_what_belongs_to_it() {
        let part = |id: u8| json!({"id": id, "handle": format!("h{id}")});
        let current = || json!({"name": "x", "service": {"carrier": part(1), "carrier_service": part(2), "carrier_account": part(3)}});
        let left = |patch: Value| -> Vec<String> {
            let left = make_way(current(), &json!({"service": patch}));
            left["service"].as_object().unwrap().keys().cloned().collect()
        };
        let all = ["carrier", "carrier_service", "carrier_account"];
        assert_eq!(left(json!({"carrier_service": {"handle": "h9"}})), ["carrier", "carrier_account"]);
        assert_eq!(left(json!({"carrier": {"id": 9}})), [""; 0]);
        assert_eq!(left(json!({"carrier_account": {"id": 9}})), ["carrier_service"]);
        for same in [
            json!({}),
            json!({"carrier": {"id": 1}}),
            json!({"carrier": {"handle": "h1"}, "carrier_account": {"id": 3}}),
            json!({"carrier_service": {"description": "another"}}),
            json!({"carrier_service": {"handle": null}}),
            json!({"carrier_account": null}),
            current()["service"].clone(),
        ] {
            assert_eq!(left(same.clone()), all, "{same}");
        }
        assert_eq!(make_way(current(), &json!({"service": null})), current());
        assert_eq!(make_way(current(), &json!({"name": "y"})), current());
        assert_eq!(
            make_way(json!({"service": null}), &json!({"service": {"carrier": {"id": 9}}})),
            json!({"service": null})
        );
    }
}
