//! What a rule names: each location, carrier account, service, package type and printer must exist. While a rule names one, it can't be
//! deleted.

use model::fulfilment::shipping_rule::{Action, ServiceName, ShippingRuleInput, named_locations};
use model::platform::problem::Issue;
use model::{CarrierAccount, Code, Id, Owner, Problem, Result};
use store::Tx;
use store::fulfilment::{package_types, printers, shipping_rules};
use store::places::location_configurations;
use store::shipping::carrier_accounts::{self, StoredCarrierAccount};

use crate::shipping::carrier_accounts::find_account;
use crate::shipping::carriers;

/// Checks what the rule names, writes accounts as ids and services as handles, and keeps all of it from being deleted until this
/// transaction ends. Returns the ids. A service that the rule named before stays, although its account may be disabled by now.
pub async fn resolve(
    tx: &mut Tx<'_>,
    owner: Owner,
    input: &mut ShippingRuleInput,
    old: Option<&Action>,
) -> Result<Vec<String>> {
    let mut used = hold_locations(tx, owner, input).await?;
    let accounts = resolve_services(tx, owner, &mut input.action, old).await?;
    used.extend(accounts.iter().map(Id::to_string));
    if let Some(id) = input.action.package_type_id {
        if package_types::get_for_update(tx, owner, id).await?.is_none() {
            let message = "There is no such package type.";
            return Err(refuse(Code::PackageTypeNotFound, "/action/package_type_id", message));
        }
        used.push(id.to_string());
    }
    if let Some(id) = input.action.printer_id {
        if printers::get_for_update(tx, owner, id).await?.is_none() {
            let message = "There is no such printer.";
            return Err(refuse(Code::PrinterNotFound, "/action/printer_id", message));
        }
        used.push(id.to_string());
    }
    Ok(used)
}

/// Holds the locations in the order of their ids, so that no two requests wait for each other.
async fn hold_locations(tx: &mut Tx<'_>, owner: Owner, input: &ShippingRuleInput) -> Result<Vec<String>> {
    let mut locations = named_locations(&input.conditions);
    locations.sort_by_key(|location| location.id);
    let (mut used, mut issues) = (Vec::new(), Vec::new());
    for location in locations {
        if location_configurations::hold_location(tx, owner, location.id).await? {
            used.push(location.id.to_string());
        } else {
            let code = Code::LocationNotFound.as_str();
            issues.push(Issue::new(code, location.field, "There is no such location."));
        }
    }
    if issues.is_empty() { Ok(used) } else { Err(Problem::fields(Code::LocationNotFound, issues).into()) }
}

async fn resolve_services(
    tx: &mut Tx<'_>,
    owner: Owner,
    action: &mut Action,
    old: Option<&Action>,
) -> Result<Vec<Id<CarrierAccount>>> {
    let mut old = old.cloned().unwrap_or_default();
    let kept: Vec<ServiceName> = old.named_services().into_iter().map(|named| named.id.clone()).collect();
    let mut named = action.named_services();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let all = carrier_accounts::all(tx, owner).await?;
    let mut accounts = Vec::new();
    for entry in &mut named {
        let account = match kept.contains(entry.id) {
            true => all.iter().find(|account| account.id.to_string() == entry.id.carrier_account),
            false => find_account(&all, &entry.id.carrier_account)?,
        };
        let Some(account) = account else {
            let field = format!("{}/carrier_account", entry.field);
            let message = "There is no such carrier account, or it is disabled.";
            return Err(refuse(Code::CarrierAccountNotFound, &field, message));
        };
        if !kept.contains(entry.id) {
            *entry.id = resolved(account, entry.id, &entry.field)?;
        }
        accounts.push(account.id);
    }
    accounts.sort_unstable();
    accounts.dedup();
    for account in &accounts {
        if !shipping_rules::hold_account(tx, owner, *account).await? {
            let message = "The carrier account was deleted meanwhile.";
            return Err(refuse(Code::CarrierAccountNotFound, "/action", message));
        }
    }
    Ok(accounts)
}

/// Returns the account by its id, and the service by its handle.
fn resolved(account: &StoredCarrierAccount, named: &ServiceName, field: &str) -> Result<ServiceName> {
    let carrier_account = account.id.to_string();
    let Some(service) = &named.carrier_service else {
        return Ok(ServiceName { carrier_account, carrier_service: None });
    };
    let Some(handle) = carriers::find_service(account, service)? else {
        let field = format!("{field}/carrier_service");
        return Err(refuse(Code::CarrierServiceNotFound, &field, "The carrier has no such service."));
    };
    Ok(ServiceName { carrier_account, carrier_service: Some(handle) })
}

fn refuse(code: Code, field: &str, message: &str) -> model::Error {
    Problem::field(code, Issue::new(code.as_str(), field, message)).into()
}
