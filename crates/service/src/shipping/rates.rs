//! Rates: all usable accounts are asked at once, each with a time limit. An account that exceeds it does not cost the others'
//! rates.

use std::time::Duration;

use ::carriers::{Outcome, Parcel, Quote, Task, easypost};
use model::shipping::rate::Rate;
use model::shipping::shipment::{
    CarrierChoice, ErrorCode, ErrorType, Shipment, ShipmentError, Source, Status,
};
use model::{Code, Day, Error, Id, Owner, Result, Timestamp, ensure};
use store::Tx;
use store::shipping::carrier_accounts::{self, StoredCarrierAccount as Account};
use store::shipping::shipments;
use tokio::task::JoinSet;
use tracing::Instrument;

use crate::access::reply::Reply;
use crate::access::write::{Command, Precondition};
use crate::events::events::EventLog;
use crate::platform::context::Context;
use crate::platform::resource::{found, version_etag};
use crate::shipping::account_details::details;
use crate::shipping::batches;
use crate::shipping::carrier_accounts::CarrierAccounts;
use crate::shipping::carrier_accounts::is_named;
use crate::shipping::carrier_calls::CarrierCalls;
use crate::shipping::carriers::{account_reference, carrier_id, carrier_reference, service_reference};
use crate::shipping::shipments::{change_shipment, ensure_version, read_shipment};
use crate::shipping::time_zones::TimeZones;

/// How long a rate can be bought, in seconds, where the carrier does not say.
const RATE_SECONDS: i64 = 24 * 3600;
/// Rates that a shipment keeps.
const RATES_MAX: usize = 500;
const DAY_SECONDS: i64 = 24 * 3600;

/// The answer of one account.
struct Heard {
    rates: Vec<Rate>,
    errors: Vec<ShipmentError>,
}

/// What carriers ask for a shipment.
pub struct Quoted {
    pub shipment: Id<Shipment>,
    /// The version of the shipment that they were asked about.
    version: i64,
    pub rates: Vec<Rate>,
    pub errors: Vec<ShipmentError>,
}

/// Rates of shipments.
#[derive(Clone)]
pub struct Rates {
    context: Context,
    carrier_accounts: CarrierAccounts,
    calls: CarrierCalls,
    /// How long each account may take to give its rates.
    rate_seconds: u64,
}

impl Rates {
    pub(crate) fn new(
        context: &Context,
        carrier_accounts: &CarrierAccounts,
        calls: &CarrierCalls,
        rate_seconds: u64,
    ) -> Self {
        Self {
            context: context.clone(),
            carrier_accounts: carrier_accounts.clone(),
            calls: calls.clone(),
            rate_seconds,
        }
    }

    /// Asks carriers for the price of a shipment, and stores their rates with it.
    pub async fn rate_shipment(&self, command: Command, id: Id<Shipment>) -> Result<Reply> {
        let owner = command.caller.owner;
        let quoted = self.quote(owner, id, &command.precondition).await?;
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let keep = async move |tx: &mut Tx<'_>| {
            let (version, doc) = keep_rates(tx, owner, &quoted, None, &log).await?;
            Ok(Reply::resource(version_etag(version), doc))
        };
        self.context.write(&command, keep).await
    }

    /// Asks carriers for the price of a shipment that is not bought, and stores nothing.
    pub(crate) async fn quote(
        &self,
        owner: Owner,
        id: Id<Shipment>,
        precondition: &Precondition,
    ) -> Result<Quoted> {
        let read = self.context.db().read(owner, async move |tx| {
            let stored = found(shipments::get(tx, owner, id).await?)?;
            let time_zones = TimeZones::read(tx, owner, &[id]).await?;
            Ok((stored, carrier_accounts::all(tx, owner).await?, time_zones))
        });
        let (before, accounts, time_zones) = read.await?;
        ensure_version(precondition, before.version)?;
        before.status.ensure_open()?;
        let shipment = read_shipment(&before)?;
        let ship_on = time_zones.mailing_date(id, &shipment.details, self.context.now());
        let Heard { rates, errors } = self.ask_for_rates(owner, &shipment, ship_on, accounts).await?;
        Ok(Quoted { shipment: id, version: before.version, rates, errors })
    }

    async fn ask_for_rates(
        &self,
        owner: Owner,
        shipment: &Shipment,
        ship_on: Day,
        accounts: Vec<Account>,
    ) -> Result<Heard> {
        let choice = shipment.details.carrier.clone().unwrap_or_default();
        let mut asked = JoinSet::new();
        let mut count = 0;
        for account in accounts {
            if is_usable(&account, &choice)? {
                count += 1;
                let parcel = Parcel::new(shipment.id, &shipment.details).shipped_on(ship_on);
                let ask = self.clone().ask_account(owner, account, parcel, choice.service_code.clone());
                asked.spawn(ask.in_current_span());
            }
        }
        let mut heard = Heard { rates: Vec::new(), errors: Vec::new() };
        while let Some(answer) = asked.join_next().await {
            let answer = answer.map_err(Error::fault)??;
            heard.rates.extend(answer.rates);
            heard.errors.extend(answer.errors);
        }
        if count == 0 {
            let message = "There is no carrier account that could be asked for rates.";
            heard.errors.push(unavailable(Source::Service, message));
        }
        // The cheapest first, and always in the same order, whichever carrier answered first.
        heard.rates.sort_by_key(|rate| (rate.rate, rate.id.bits()));
        heard.rates.truncate(RATES_MAX);
        heard.errors.sort_by(|a, b| a.message.cmp(&b.message));
        heard.errors.truncate(model::shipping::shipment::error::ERRORS_MAX);
        Ok(heard)
    }

    /// Asks one account, within its time limit.
    async fn ask_account(
        self,
        owner: Owner,
        account: Account,
        parcel: Parcel,
        service: Option<String>,
    ) -> Result<Heard> {
        let name = details(&account)?.name;
        let limit = Duration::from_secs(self.rate_seconds);
        let opened = self.carrier_accounts.open_account(owner, &account)?;
        let mut heard = Heard { rates: Vec::new(), errors: Vec::new() };
        let Some(connector) = ::carriers::connector(&account.carrier) else { return Ok(heard) };
        let outcome = self.calls.ask(owner, connector, &opened, &Task::Rate(&parcel), limit).await;
        let now = self.context.now();
        match outcome {
            Outcome::Quoted(quotes) => {
                let is_wanted =
                    |quote: &&Quote| service.as_deref().is_none_or(|wanted| is_of(&account, quote, wanted));
                for quote in quotes.quotes.iter().filter(is_wanted) {
                    heard.rates.push(self.rate(&account, quote, &parcel, now)?);
                }
                heard.errors = quotes.errors;
                if let Some(wanted) = service.filter(|_| heard.rates.is_empty() && heard.errors.is_empty()) {
                    let message = format!("{name}: it has no rate of {wanted} for this shipment.");
                    heard.errors.push(unavailable(Source::Service, &message));
                }
            }
            Outcome::Rejected(error) | Outcome::Unsent { why: error, .. } | Outcome::Unknown(error) => {
                // Whatever the reason, this account has no rates; the carrier's message says why.
                let message = format!("{name}: {}", error.message);
                heard.errors.push(ShipmentError::new(
                    ErrorType::Rate,
                    rate_code(error.code),
                    error.source,
                    message,
                ));
            }
            _ => heard.errors.push(unavailable(Source::Provider, &format!("{name}: no rates came."))),
        }
        Ok(heard)
    }

    fn rate(&self, account: &Account, quote: &Quote, parcel: &Parcel, now: Timestamp) -> Result<Rate> {
        let shipping = parcel.details().options.as_ref().and_then(|options| options.shipping.as_ref());
        let ship_date = shipping.and_then(|shipping| shipping.date).unwrap_or(now);
        let arrives = quote.delivery_days.map(|days| ship_date.plus_seconds(days * DAY_SECONDS));
        Ok(Rate {
            id: self.context.new_id(now),
            carrier: carrier_reference(&account.carrier),
            carrier_service: service_reference(account, &quote.service)?,
            carrier_account: Some(account_reference(account)?),
            rate: quote.amount,
            currency_code: quote.currency.clone(),
            delivery_days: quote.delivery_days,
            ship_date: Some(ship_date),
            delivery_date: arrives,
            guaranteed_delivery_date: None,
            expires_at: now.plus_seconds(RATE_SECONDS),
        })
    }
}

/// Stores rates with their shipment, and the service that was chosen by them. Returns the shipment's version and what is shown of
/// it.
///
/// # Errors
///
/// Refuses a shipment that has changed since, or that is bought or being bought.
pub async fn keep_rates(
    tx: &mut Tx<'_>,
    owner: Owner,
    quoted: &Quoted,
    chosen: Option<&CarrierChoice>,
    log: &EventLog,
) -> Result<(i64, String)> {
    let stored = found(shipments::get_for_update(tx, owner, quoted.shipment).await?)?;
    batches::ensure_member_changeable(tx, owner, &stored).await?;
    stored.status.ensure_open()?;
    // The rates are for the shipment as it was read before.
    ensure(stored.version == quoted.version, Code::ShipmentChanged)?;
    let mut new = read_shipment(&stored)?;
    new.rates.clone_from(&quoted.rates);
    new.errors.clone_from(&quoted.errors);
    new.status = if new.rates.is_empty() { Status::Draft } else { Status::Rated };
    new.service = None;
    if let Some(chosen) = chosen {
        new.details.carrier = Some(chosen.clone());
    }
    new.updated_at = log.now();
    let doc = change_shipment(tx, owner, &stored, &new, "shipment.rated", log).await?;
    Ok((stored.version + 1, doc))
}

/// Whether a quote is of a service. A gateway may have several contracts for it, and then each quotes it.
fn is_of(account: &Account, quote: &Quote, service: &str) -> bool {
    match account.carrier.as_str() {
        easypost::HANDLE => easypost::is_service(&quote.service, service),
        _ => quote.service == service,
    }
}

/// Whether an account is asked: it is not disabled, and the shipment does not want others.
fn is_usable(account: &Account, choice: &CarrierChoice) -> Result<bool> {
    let details = details(account)?;
    let is_carrier =
        |code: &String| *code == account.carrier || *code == carrier_id(&account.carrier).to_string();
    let is_account = |name: &String| is_named(account, &details, name);
    Ok(!details.disabled
        && choice.carrier_code.as_ref().is_none_or(is_carrier)
        && (choice.carrier_accounts.is_empty() || choice.carrier_accounts.iter().any(is_account)))
}

fn unavailable(source: Source, message: &str) -> ShipmentError {
    ShipmentError::new(ErrorType::Rate, ErrorCode::RatesUnavailable, source, message)
}

/// Replaces codes of purchases with the one that says that there are no rates. Other codes stay.
fn rate_code(code: ErrorCode) -> ErrorCode {
    match code {
        ErrorCode::OutcomeUnknown | ErrorCode::PurchaseDeclined => ErrorCode::RatesUnavailable,
        code => code,
    }
}
