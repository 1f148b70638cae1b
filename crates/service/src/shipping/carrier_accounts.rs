//! Carrier accounts: create, read, change, delete. Their credentials come in and never go out again.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::carriers::{Account, Address};
use model::platform::problem::Issue;
use model::platform::shape;
use model::shipping::carrier::{AccountDetails, CarrierAccount, CarrierAccountInput};
use model::{Code, Error, Id, Organisation, Owner, Problem, Result, Timestamp, World, ensure};
use outbound::Outbound;
use serde_json::{Map, Value};
use store::Tx;
use store::shipping::carrier_accounts::{self, ACCOUNTS_MAX, StoredCarrierAccount};
use store::shipping::{carrier_tokens, manifests, purchases};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::places::rule_users::rules_naming;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, version_etag};
use crate::shipping::account_details::details;
use crate::shipping::carriers::{carrier_reference, handle_of, why_unusable};

/// How many shipping rules a refusal names.
const RULES_NAMED_MAX: usize = 10;

/// Operations on carrier accounts, and their credentials.
#[derive(Clone)]
pub struct CarrierAccounts {
    context: Context,
    outbound: Outbound,
    /// The addresses of carriers that are not at their usual one, by handle.
    urls: Arc<BTreeMap<String, String>>,
}

impl CarrierAccounts {
    pub(crate) fn new(context: &Context, outbound: &Outbound, urls: &BTreeMap<String, String>) -> Self {
        Self { context: context.clone(), outbound: outbound.clone(), urls: Arc::new(urls.clone()) }
    }

    pub async fn create(&self, command: Command, input: CarrierAccountInput) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let id = self.context.new_id::<CarrierAccount>(now);
        let Some(carrier) = handle_of(owner.world, input.carrier.id, input.carrier.handle.as_deref()) else {
            let name = &input.carrier;
            let place = carrier_field(name.id.is_some(), name.handle.is_some());
            let message = why_unusable(owner.world, name.id, name.handle.as_deref());
            let issue = Issue::new(Code::CarrierNotFound.as_str(), place, message);
            return Err(Problem::field(Code::CarrierNotFound, issue).into());
        };
        self.check_account(owner, carrier, &input.details, input.credentials.as_ref())?;
        let stored = StoredCarrierAccount {
            id,
            version: 1,
            carrier: carrier.to_owned(),
            details: json(&input.details)?,
            credentials: self.seal_credentials(owner, id, input.credentials.as_ref())?,
            created_at: now,
            updated_at: now,
        };
        let doc = json(&view(&stored)?)?;
        let create = async move |tx: &mut Tx<'_>| {
            let is_room = carrier_accounts::count(tx, owner).await? < ACCOUNTS_MAX as i64;
            ensure(is_room, Code::TooManyCarrierAccounts)?;
            carrier_accounts::insert(tx, owner, &stored).await?;
            Ok(Reply::created(format!("/carrier_accounts/{id}"), Some(version_etag(1)), doc.clone()))
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<CarrierAccount>) -> Result<Reply> {
        let owner = caller.owner;
        let read =
            self.context.db().read(owner, async move |tx| found(carrier_accounts::get(tx, owner, id).await?));
        let stored = read.await?;
        Ok(Reply::resource(version_etag(stored.version), json(&view(&stored)?)?))
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| carrier_accounts::page(tx, owner, &start, limit).await);
        let page = read.await?;
        let page = page.try_map(|stored| json(&view(&stored)?))?;
        self.context.listing(owner, &query, page)
    }

    /// Merges a patch into the account. Credentials that are named replace the ones it had, all of them.
    pub async fn update(&self, command: Command, id: Id<CarrierAccount>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let accounts = self.clone();
        let update = async move |tx: &mut Tx<'_>| {
            let old = found(carrier_accounts::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            let current = serde_json::to_value(view(&old)?).map_err(Error::fault)?;
            let input: CarrierAccountInput = shape::parse_patch(current, patch.clone())?;
            let carrier = handle_of(owner.world, input.carrier.id, input.carrier.handle.as_deref());
            if carrier != Some(old.carrier.as_str()) {
                let given = |name: &str| patch.pointer(name).is_some_and(Value::is_string);
                let place = carrier_field(given("/carrier/id"), given("/carrier/handle"));
                let issue = Issue::new("immutable", place, "An account stays with its carrier.");
                return Err(Problem::body(vec![issue]).into());
            }
            let (given, sealed) = match patch.get("credentials") {
                None => (accounts.open_credentials(owner, &old)?, old.credentials.clone()),
                Some(_) => {
                    let sealed = accounts.seal_credentials(owner, id, input.credentials.as_ref())?;
                    (input.credentials.unwrap_or_default(), sealed)
                }
            };
            accounts.check_account(owner, &old.carrier, &input.details, Some(&given))?;
            ensure_not_moved(&old, &input.details, &patch)?;
            let details = json(&input.details)?;
            let new = StoredCarrierAccount {
                version: old.version + 1,
                details,
                credentials: sealed,
                updated_at: now,
                ..old
            };
            if patch.get("credentials").is_some() {
                carrier_tokens::delete(tx, owner, id).await?;
            }
            carrier_accounts::update(tx, owner, &new).await?;
            Ok(Reply::resource(version_etag(new.version), json(&view(&new)?)?))
        };
        self.context.write(&command, update).await
    }

    /// Deletes an account with which nothing is under way, and that no shipping rule names.
    pub async fn delete(&self, command: Command, id: Id<CarrierAccount>) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let delete = async move |tx: &mut Tx<'_>| {
            let old = found(carrier_accounts::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            ensure(!purchases::uses_account(tx, owner, id).await?, Code::CarrierAccountInUse)?;
            ensure(!manifests::uses_account(tx, owner, id).await?, Code::CarrierAccountInUse)?;
            ensure_not_in_rules(tx, owner, id).await?;
            carrier_accounts::delete(tx, owner, id).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }

    /// Refuses what the carrier's connector could do nothing with.
    fn check_account(
        &self,
        owner: Owner,
        carrier: &str,
        details: &AccountDetails,
        credentials: Option<&Map<String, Value>>,
    ) -> Result<()> {
        let credentials = credentials.cloned().unwrap_or_default();
        let account = Account::new(Id::from_bits(0), details.configuration.clone(), credentials);
        let account = account.in_world(owner.world);
        let Some(connector) = ::carriers::connector(carrier) else { return Ok(()) };
        let refuse = |field: &str, message: String| {
            let issue = Issue::new(Code::CarrierAccountInvalid.as_str(), field, message);
            Err(Problem::field(Code::CarrierAccountInvalid, issue).into())
        };
        match details.configuration.get("url") {
            None => {}
            Some(url) if connector.address() == Address::OfAccount => {
                // Credentials go there: not in plain text, unless the operator knows the network.
                let parsed = url.as_str().map(|url| self.outbound.parse_private_url(url));
                if let Some(Err(refusal)) = parsed {
                    return refuse("/configuration/url", refusal.to_string());
                }
            }
            Some(_) => {
                let message = "An account of this carrier has no address of its own. The operator can set the carrier's, with the setting `carrier_urls`.";
                return refuse("/configuration/url", message.to_owned());
            }
        }
        match connector.check(&account) {
            Ok(()) => Ok(()),
            Err(message) => refuse("/configuration", message),
        }
    }

    fn seal_credentials(
        &self,
        owner: Owner,
        id: Id<CarrierAccount>,
        credentials: Option<&Map<String, Value>>,
    ) -> Result<Option<Vec<u8>>> {
        credentials
            .filter(|credentials| !credentials.is_empty())
            .map(|credentials| self.context.seal(&format!("{owner}/{id}"), json(credentials)?.as_bytes()))
            .transpose()
    }

    pub(crate) fn open_credentials(
        &self,
        owner: Owner,
        account: &StoredCarrierAccount,
    ) -> Result<Map<String, Value>> {
        match &account.credentials {
            None => Ok(Map::new()),
            Some(sealed) => {
                let text = self.context.unseal(&format!("{owner}/{}", account.id), sealed)?;
                serde_json::from_slice(&text).map_err(Error::fault)
            }
        }
    }

    /// An account in the form that connectors take.
    pub(crate) fn open_account(&self, owner: Owner, account: &StoredCarrierAccount) -> Result<Account> {
        Ok(Account {
            id: account.id,
            configuration: details(account)?.configuration,
            credentials: self.open_credentials(owner, account)?,
            world: owner.world,
            url: self.urls.get(&account.carrier).cloned(),
            tokens: BTreeMap::new(),
        })
    }
}

/// Refuses to delete an account that shipping rules name: without it they would ship nothing, or by another carrier.
async fn ensure_not_in_rules(tx: &mut Tx<'_>, owner: Owner, id: Id<CarrierAccount>) -> Result<()> {
    let rules = rules_naming(tx, owner, id, "carrier_account_id", RULES_NAMED_MAX).await?;
    if rules.is_empty() {
        return Ok(());
    }
    let sentences: Vec<_> = rules.iter().map(|rule| rule.message.as_str()).collect();
    let detail = Some(sentences.join(" "));
    Err(Problem { code: Code::CarrierAccountInUse, detail, issues: rules }.into())
}

/// Refuses a change of the account's address that would send the kept credentials to the new one: a caller that does not
/// know them must not be able to have them sent to itself.
fn ensure_not_moved(old: &StoredCarrierAccount, new: &AccountDetails, patch: &Value) -> Result<()> {
    let is_moved = details(old)?.configuration.get("url") != new.configuration.get("url");
    if !is_moved || old.credentials.is_none() || patch.get("credentials").is_some() {
        return Ok(());
    }
    let message = "Must be in the same request as a new `configuration.url`: the credentials that are kept are for the old address.";
    let issue = Issue::new("credentials_required", "/credentials", message);
    Err(Problem::field(Code::CarrierAccountInvalid, issue).into())
}

/// Gives a new organisation's test world an account with the sandbox carrier, ready for use.
pub async fn insert_sandbox(tx: &mut Tx<'_>, organisation: Id<Organisation>, now: Timestamp) -> Result<()> {
    let handle = ::carriers::sandbox::HANDLE;
    let details = AccountDetails {
        name: "Sandbox".to_owned(),
        handle: Some(handle.to_owned()),
        description: None,
        configuration: Map::new(),
        disabled: false,
    };
    let account = StoredCarrierAccount {
        id: Id::from_bits(organisation.bits()),
        version: 1,
        carrier: handle.to_owned(),
        details: json(&details)?,
        credentials: None,
        created_at: now,
        updated_at: now,
    };
    carrier_accounts::insert(tx, Owner { organisation, world: World::Test }, &account).await
}

/// The field that a carrier was named with.
fn carrier_field(has_id: bool, has_handle: bool) -> &'static str {
    match (has_id, has_handle) {
        (true, _) => "/carrier/id",
        (false, true) => "/carrier/handle",
        (false, false) => "/carrier",
    }
}

/// Whether an account is called so: by its id or its handle.
pub fn is_named(stored: &StoredCarrierAccount, details: &AccountDetails, name: &str) -> bool {
    stored.id.to_string() == name || details.handle.as_deref() == Some(name)
}

/// The account of this name among those that can be used.
pub fn find_account<'a>(
    accounts: &'a [StoredCarrierAccount],
    name: &str,
) -> Result<Option<&'a StoredCarrierAccount>> {
    for account in accounts {
        let details = details(account)?;
        if !details.disabled && is_named(account, &details, name) {
            return Ok(Some(account));
        }
    }
    Ok(None)
}

fn view(stored: &StoredCarrierAccount) -> Result<CarrierAccount> {
    Ok(CarrierAccount {
        id: stored.id,
        carrier: carrier_reference(&stored.carrier),
        details: details(stored)?,
        has_credentials: stored.credentials.is_some(),
        created_at: stored.created_at,
        updated_at: stored.updated_at,
    })
}
