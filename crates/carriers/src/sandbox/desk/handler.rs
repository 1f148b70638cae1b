//! Answers each request according to the shipment's word and the earlier records.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::Timestamp;
use model::shipping::shipment::{ErrorCode, ShipmentInput, Source, TrackingStatus};

use super::asked::{Asked, Buying, Closing, Purchase};
use super::behaviour::Desk;
use super::entry::{Entry, Event, Request};
use super::fault::Fault;
use super::reply::Reply;
use crate::sandbox::gif;
use crate::sandbox::number::{number_of, serial_of};
use crate::sandbox::price::{SERVICES, Service, price, zone};
use crate::sandbox::settings::Mode;
use crate::sandbox::tokens::WRONG_SECRET;
use crate::sandbox::way::place;
use crate::sandbox::wire::{
    self, File, LabelWord, Labels, Manifest, ManifestStatus, Manifests, PurchaseStatus, Purchases, Rate,
    Rates, Refused, Token, Tracking,
};
use crate::sandbox::word::Word;

const CURRENCY: &str = "GBP";
/// Refused attempts before a purchase succeeds.
const FLAKY_TIMES: usize = 2;
const RETRY_AFTER: Duration = Duration::from_secs(1);
const SLOW_3: Duration = Duration::from_secs(3);
const SLOW_20: Duration = Duration::from_secs(20);
/// How long a late label and a slow manifest take.
const LABEL_TIME: Duration = Duration::from_secs(5);
const MANIFEST_TIME: Duration = Duration::from_secs(10);
/// How long an access token is valid.
const TOKEN_SECONDS: u64 = 3600;

/// Handles one request, with the entries that it depends on.
pub struct Handler<'a> {
    pub desk: &'a Desk,
    pub earlier: &'a [Entry],
    pub now: Timestamp,
    /// Returns whether a fault is injected into this request.
    pub strikes: &'a dyn Fn(Fault) -> bool,
}

/// A charge in the ledger.
struct Charge<'a> {
    entry: &'a Entry,
    purchase: &'a str,
    word: Option<Word>,
}

impl Handler<'_> {
    pub fn answer(&self, asked: &Asked) -> Reply {
        match asked {
            Asked::Rate(rating) => self.rate(&rating.shipment),
            Asked::Buy(buying) => self.buy(buying),
            Asked::LookUp { reference } => self.look_up(reference),
            Asked::Void(purchase) => self.void(purchase),
            Asked::Track(purchase) => self.track(purchase),
            Asked::Label(purchase) => match self.charge(purchase) {
                Some(charge) => Reply::json(200, &self.labels(&charge)),
                None => Reply::unknown_purchase(&purchase.name),
            },
            Asked::Manifest(closing) => self.manifest(closing),
            Asked::FindManifest { reference } => {
                let manifests = self.closed(reference).into_iter().collect();
                Reply::json(200, &Manifests { manifests })
            }
            // The sandbox gives tokens, and does not check them.
            Asked::Token(asked) if asked.client_secret == WRONG_SECRET => {
                Reply::refusal(401, "credentials_invalid", "The client secret is wrong.".to_owned())
            }
            Asked::Token(asked) => {
                let access_token = format!("sandbox-{}-{}", asked.name, serial_of(&asked.client_secret));
                Reply::json(200, &Token { access_token, expires_in: TOKEN_SECONDS })
            }
        }
    }

    fn rate(&self, shipment: &ShipmentInput) -> Reply {
        let word = Word::of(shipment);
        let mut answer = Rates { rates: Vec::new(), errors: Vec::new() };
        if word == Some(Word::RatesNone) || (self.strikes)(Fault::RatesUnavailable) {
            answer.errors.push(unavailable("The sandbox has no rates for this shipment."));
            return Reply::json(200, &answer);
        }
        for service in SERVICES {
            if word == Some(Word::RatesPartial) && service.handle == "express" {
                answer.errors.push(unavailable("The sandbox has no rate of express for this shipment."));
                continue;
            }
            match price(shipment, service) {
                Ok(amount) => answer.rates.push(Rate {
                    service: service.handle.to_owned(),
                    amount,
                    currency: CURRENCY.to_owned(),
                    delivery_days: service.days(zone(shipment)),
                }),
                // If one service refuses the shipment, all of them do, so the error is reported once.
                Err(refusal) if answer.errors.is_empty() => answer.errors.push(Refused {
                    code: refusal.code,
                    source: refusal.source,
                    message: refusal.message,
                    package: refusal.package,
                }),
                Err(_) => {}
            }
        }
        Reply::json(200, &answer)
    }

    fn buy(&self, buying: &Buying) -> Reply {
        let reference = buying.reference.as_str();
        let word = Word::of(&buying.shipment);
        let charges: Vec<Charge<'_>> = self.charges(reference).collect();
        let standing = charges.iter().find(|charge| !self.is_voided(charge.purchase));
        let mut reply = match standing.filter(|_| self.desk.mode == Mode::Idempotent) {
            Some(charge) => self.shown(200, charge),
            None => match self.refused(buying, word).map_or_else(|| amount(buying), Err) {
                Err(refusal) => return refusal,
                Ok(amount) => {
                    let is_first = charges.is_empty();
                    let is_doubled =
                        (is_first && word == Some(Word::Duplicate)) || (self.strikes)(Fault::Doubled);
                    let mut reply =
                        self.charged(buying, word, amount, charges.len(), 1 + usize::from(is_doubled));
                    reply.is_cut = is_doubled || (is_first && word == Some(Word::LostBought));
                    reply
                }
            },
        };
        reply.is_cut |= word == Some(Word::LostForever);
        reply.delay += match word {
            Some(Word::Slow3) => SLOW_3,
            Some(Word::Slow20) => SLOW_20,
            _ => Duration::ZERO,
        };
        reply
    }

    /// Returns the refusal of the purchase, if the sandbox refuses it.
    fn refused(&self, buying: &Buying, word: Option<Word>) -> Option<Reply> {
        let visits = self.visits(&buying.reference);
        let refuse = |code: &str, message: &str| Some(Reply::refusal(422, code, message.to_owned()));
        match word {
            Some(Word::Flaky) if visits < FLAKY_TIMES => {
                let message = "The sandbox is not there for the moment.".to_owned();
                Some(Reply::refusal(503, "unavailable", message))
            }
            Some(Word::TooMany) if visits == 0 => {
                let message = "That was too much at once.".to_owned();
                let reply = Reply::refusal(429, "too_many_requests", message);
                Some(Reply { retry_after: Some(RETRY_AFTER), ..reply })
            }
            Some(Word::LostNot) if visits == 0 => Some(Reply::cut()),
            Some(Word::AddressInvalid) => refuse("address_invalid", "There is no such address."),
            Some(Word::Declined) => refuse("purchase_declined", "The purchase was declined."),
            Some(Word::Funds) => refuse("insufficient_funds", "The account has not enough money."),
            Some(Word::RateExpired) if !self.is_rated_again(&buying.reference) => {
                refuse("rate_expired", "The rate is too old: rate the shipment again.")
            }
            _ if (self.strikes)(Fault::Rejected) => refuse("purchase_declined", "The purchase was declined."),
            _ => None,
        }
    }

    /// Charges the purchase this many times. The answer shows the first charge.
    fn charged(
        &self,
        buying: &Buying,
        word: Option<Word>,
        amount: i64,
        before: usize,
        times: usize,
    ) -> Reply {
        let addresses = &buying.shipment.addresses;
        let from = addresses.origin.as_ref().unwrap_or(&addresses.destination).address.country_code;
        let charge = |number: usize| {
            let numbers = (0..buying.shipment.packages.len())
                .map(|package| number_of(&buying.reference, package, number as u32, from));
            let event = Event::Charged {
                purchase: Purchase::new(&buying.reference, number, word).name,
                service: buying.service.clone(),
                amount,
                currency: CURRENCY.to_owned(),
                tracking_numbers: numbers.collect(),
                word: word.map(|word| word.as_str().to_owned()),
            };
            Entry { at: self.now, reference: buying.reference.clone(), event }
        };
        let entries: Vec<Entry> = (1..=times).map(|place| charge(before + place)).collect();
        let first = entries.iter().find_map(Charge::of);
        let shown = first.map(|charge| self.shown(201, &charge));
        Reply { entries, ..shown.unwrap_or_else(Reply::broken) }
    }

    fn look_up(&self, reference: &str) -> Reply {
        if self.desk.mode == Mode::Neither {
            let message = "This carrier finds no purchases by their reference.".to_owned();
            return Reply::refusal(405, "not_offered", message);
        }
        if self.charges(reference).any(|charge| charge.word == Some(Word::LostForever)) {
            let message = "The sandbox can't say.".to_owned();
            return Reply::failure(503, "unavailable", message, None);
        }
        let visible =
            self.charges(reference).filter(|charge| self.age(charge.entry) >= self.desk.visibility_delay);
        let purchases = visible.filter_map(|charge| self.purchase(&charge)).collect();
        Reply::json(200, &Purchases { purchases })
    }

    fn void(&self, purchase: &Purchase) -> Reply {
        let Some(charge) = self.charge(purchase) else { return Reply::unknown_purchase(&purchase.name) };
        if charge.word == Some(Word::VoidRejected) {
            return Reply::refusal(422, "purchase_declined", "The refund was rejected.".to_owned());
        }
        let Some(mut shown) = self.purchase(&charge) else { return Reply::broken() };
        let mut entries = Vec::new();
        if shown.status == PurchaseStatus::Charged {
            shown.status = PurchaseStatus::Voided;
            let event = Event::Voided {
                purchase: purchase.name.clone(),
                amount: shown.amount,
                currency: shown.currency.clone(),
            };
            entries.push(Entry { at: self.now, reference: purchase.reference.clone(), event });
        }
        Reply { entries, ..Reply::json(200, &shown) }
    }

    fn track(&self, purchase: &Purchase) -> Reply {
        let Some(charge) = self.charge(purchase) else { return Reply::unknown_purchase(&purchase.name) };
        let mut place = place(charge.word, self.age(charge.entry));
        if self.is_voided(charge.purchase) {
            place.status = TrackingStatus::Cancelled;
            place.message = "The purchase was voided.";
        }
        Reply::json(200, &Tracking { status: place.status, message: place.message.to_owned() })
    }

    fn manifest(&self, closing: &Closing) -> Reply {
        if let Some(manifest) = self.closed(&closing.reference) {
            return Reply::json(200, &manifest);
        }
        let has = |word: Word| {
            let purchases = closing.purchases.iter().filter_map(|name| Purchase::parse(name));
            purchases.filter_map(|purchase| purchase.word).any(|picked| picked == word)
        };
        if has(Word::ManifestFail) {
            let message = "The sandbox does not close out these purchases.".to_owned();
            return Reply::refusal(422, "service_unavailable", message);
        }
        let event = Event::Manifested {
            manifest: format!("manifest.{}", closing.reference),
            purchases: closing.purchases.clone(),
            is_slow: has(Word::ManifestSlow),
        };
        let entry = Entry { at: self.now, reference: closing.reference.clone(), event };
        let shown = self.manifest_of(&entry).map(|manifest| Reply::json(201, &manifest));
        Reply { entries: vec![entry], ..shown.unwrap_or_else(Reply::broken) }
    }

    fn closed(&self, reference: &str) -> Option<Manifest> {
        self.under(reference).find_map(|entry| self.manifest_of(entry))
    }

    fn manifest_of(&self, entry: &Entry) -> Option<Manifest> {
        let Event::Manifested { manifest, purchases, is_slow } = &entry.event else { return None };
        let is_creating = *is_slow && self.age(entry) < MANIFEST_TIME;
        Some(Manifest {
            manifest: manifest.clone(),
            reference: entry.reference.clone(),
            status: if is_creating { ManifestStatus::Creating } else { ManifestStatus::Created },
            purchases: purchases.clone(),
        })
    }

    fn under<'a>(&'a self, reference: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.earlier.iter().filter(move |entry| entry.reference == reference)
    }

    fn charges<'a>(&'a self, reference: &'a str) -> impl Iterator<Item = Charge<'a>> {
        self.under(reference).filter_map(Charge::of)
    }

    fn charge<'a>(&'a self, purchase: &'a Purchase) -> Option<Charge<'a>> {
        self.charges(&purchase.reference).find(|charge| charge.purchase == purchase.name)
    }

    fn is_voided(&self, name: &str) -> bool {
        self.earlier
            .iter()
            .any(|entry| matches!(&entry.event, Event::Voided { purchase, .. } if purchase == name))
    }

    /// Returns the number of attempts to buy under this reference.
    fn visits(&self, reference: &str) -> usize {
        let is_visit = |entry: &&Entry| matches!(entry.event, Event::Visited { request: Request::Buy, .. });
        self.under(reference).filter(is_visit).count()
    }

    /// Returns whether the shipment was rated after its first refusal.
    fn is_rated_again(&self, reference: &str) -> bool {
        let is_refusal = |entry: &&Entry| {
            entry.reference == reference
                && matches!(entry.event, Event::Visited { request: Request::Buy, status: Some(422) })
        };
        let is_rating = |entry: &Entry| {
            matches!(entry.event, Event::Visited { request: Request::Rate, status: Some(200) })
        };
        let mut since = self.earlier.iter().skip_while(|entry| !is_refusal(entry));
        since.any(is_rating)
    }

    fn age(&self, entry: &Entry) -> Duration {
        let micros = self.now.as_micros().saturating_sub(entry.at.as_micros());
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    }

    fn labels(&self, charge: &Charge<'_>) -> Labels {
        let none = |label| Labels { label, files: Vec::new() };
        match (charge.word, &charge.entry.event) {
            (Some(Word::LabelLate), _) if self.age(charge.entry) < LABEL_TIME => none(LabelWord::Later),
            (Some(Word::LabelGif), Event::Charged { tracking_numbers, .. }) => {
                let file = |number: &String| File {
                    format: "gif".to_owned(),
                    data: STANDARD.encode(gif::label(number)),
                };
                Labels { label: LabelWord::Attached, files: tracking_numbers.iter().map(file).collect() }
            }
            _ => none(LabelWord::Ours),
        }
    }

    fn shown(&self, status: u16, charge: &Charge<'_>) -> Reply {
        self.purchase(charge).map_or_else(Reply::broken, |purchase| Reply::json(status, &purchase))
    }

    fn purchase(&self, charge: &Charge<'_>) -> Option<wire::Purchase> {
        let Event::Charged { purchase, service, amount, currency, tracking_numbers, .. } =
            &charge.entry.event
        else {
            return None;
        };
        let is_voided = self.is_voided(purchase);
        Some(wire::Purchase {
            purchase: purchase.clone(),
            reference: charge.entry.reference.clone(),
            service: service.clone(),
            amount: *amount,
            currency: currency.clone(),
            tracking_numbers: tracking_numbers.clone(),
            status: if is_voided { PurchaseStatus::Voided } else { PurchaseStatus::Charged },
            labels: self.labels(charge),
        })
    }
}

impl<'a> Charge<'a> {
    fn of(entry: &'a Entry) -> Option<Self> {
        let Event::Charged { purchase, word, .. } = &entry.event else { return None };
        Some(Self { entry, purchase, word: word.as_deref().and_then(Word::parse) })
    }
}

/// Returns the price of the service, or why it refuses the shipment.
fn amount(buying: &Buying) -> Result<i64, Reply> {
    let Some(service) = Service::of_handle(&buying.service) else {
        let message = format!("The sandbox has no service {}.", buying.service);
        return Err(Reply::refusal(422, "service_unavailable", message));
    };
    price(&buying.shipment, service).map_err(|refusal| {
        let code = serde_json::to_value(refusal.code).ok();
        let code = code.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
        Reply::package_refusal(code, refusal.message, refusal.package)
    })
}

fn unavailable(message: &str) -> Refused {
    let message = message.to_owned();
    Refused { code: ErrorCode::RatesUnavailable, source: Source::Provider, message, package: None }
}
