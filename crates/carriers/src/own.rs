//! The merchant's own vans, or a local courier without an API: a rate table in the account's configuration, tracking
//! numbers of our own, labels drawn by us. It sends no request, so its outcomes are known at once.
//!
//! ```json
//! {"currency_code": "GBP", "services": [
//!   {"handle": "van", "name": "Our van", "delivery_days": 1, "rates": [
//!     {"countries": ["GB"], "post_codes": ["BS", "BA"], "mass_max": 10, "rate": 450},
//!     {"countries": ["GB"], "mass_max": 30, "rate": 890}]}]}
//! ```
//!
//! The first row that fits is the price. A row without `countries` or `post_codes` fits all of them.

use std::time::Duration;

use model::CountryCode;
use model::platform::money;
use model::platform::shape::is_visible;
use model::shipping::shipment::package::PACKAGES_MAX;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, ShipmentInput, Source, TrackingStatus};
use serde::Deserialize;

use crate::option_refusal::option_refusal;
use crate::options::{self, Treatment};
use crate::price_row::PriceRow;
use crate::sandbox::tracking_number;
use crate::{
    Account, Address, Answer, Capabilities, Connector, Label, Manifested, Outcome, Parcel, Quote, Quotes,
    Receipt, Step, Task, Tracked,
};

use Treatment::{Effect, Informational, Refused};

/// The carrier's handle.
pub const HANDLE: &str = "own";

/// The connector.
pub struct Own;

const PRINTED: Treatment = Effect("printed on the label");
const UNINSURED: Treatment = Refused("your own vehicles have no insurer. Insure the parcel elsewhere.");

/// How own vehicles treat each option. Instructions for the driver are printed on the label.
const OPTIONS: options::Table = &[
    ("shipping.access_code", PRINTED),
    ("shipping.commercial_address", Informational("the rate table does not tell homes from companies")),
    ("shipping.currency_code", Effect("the currency of declared values that name none, on customs papers")),
    ("shipping.date", Effect("the ship date of rates, label and manifest")),
    ("shipping.delivery_confirmation", PRINTED),
    ("shipping.dry_ice_mass", PRINTED),
    ("shipping.dropoff_type", Refused("your own vehicles fetch parcels themselves. Use `regular_pickup`.")),
    ("shipping.handling_instructions", PRINTED),
    ("shipping.high_security", PRINTED),
    ("shipping.hold_for_pickup", PRINTED),
    ("shipping.invalid_address_handling", Effect("printed on the label unless `forward_or_return`")),
    (
        "shipping.is_return",
        Effect(
            "label and customs papers lead from the destination to the return address; the price is still that of the customer's address",
        ),
    ),
    ("shipping.leave_safe", PRINTED),
    ("shipping.machinable", Informational("nothing is sorted by machine")),
    ("shipping.non_delivery", Effect("`abandon` is printed on the label and on customs papers")),
    ("shipping.restricted_substances", PRINTED),
    ("shipping.safe_place", PRINTED),
    ("shipping.saturday_delivery", PRINTED),
    ("shipping.signature_required", PRINTED),
    ("shipping.signature_type", PRINTED),
    (
        "shipping.tracked_service",
        Refused("your own vehicles report no tracking, because no carrier scans the parcels. Leave it out."),
    ),
    ("label.format", Effect("the label is drawn in this format")),
    ("label.size", Effect("the label is drawn for this paper")),
    ("label.custom_data.text_lines", PRINTED),
    ("label.custom_data.line_codes", Effect("printed on the label before the lines")),
    ("label.custom_data.barcodes", PRINTED),
    ("insurance.value", UNINSURED),
    ("insurance.currency_code", UNINSURED),
];

/// The rate table in an account's configuration.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub currency_code: String,
    pub services: Vec<OwnService>,
}

/// A service of the merchant's own.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct OwnService {
    pub handle: String,
    pub name: String,
    pub delivery_days: Option<i64>,
    pub rates: Vec<Row>,
}

/// A price, and the shipments that it applies to.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Row {
    #[serde(default)]
    pub countries: Vec<CountryCode>,
    /// Prefixes of post codes.
    #[serde(default)]
    pub post_codes: Vec<String>,
    /// The most kilograms of all packages together.
    pub mass_max: Option<f64>,
    /// In the smallest unit of the currency.
    pub rate: i64,
}

impl Table {
    /// Parses a configuration. The error is a sentence for the person who wrote it.
    pub fn read(account: &Account) -> Result<Self, String> {
        let value = serde_json::Value::Object(account.configuration.clone());
        let table: Table =
            serde_json::from_value(value).map_err(|error| format!("The rate table: {error}."))?;
        if money::decimals(&table.currency_code).is_none() {
            return Err(format!("The rate table: {} is no currency.", table.currency_code));
        }
        if table.services.is_empty() {
            return Err("The rate table has no service.".to_owned());
        }
        if table.services.iter().flat_map(|service| &service.rates).any(|row| row.rate < 0) {
            return Err("The rate table has a negative rate.".to_owned());
        }
        Ok(table)
    }

    fn service(&self, handle: &str) -> Option<&OwnService> {
        self.services.iter().find(|service| service.handle == handle)
    }
}

impl OwnService {
    /// Returns the price of the shipment, or `None` if no row applies. For a return, the van drives to the customer too.
    pub fn rate(&self, shipment: &ShipmentInput) -> Option<i64> {
        let to = &shipment.carried_customer().address;
        let grams: i64 = shipment
            .packages
            .iter()
            .filter_map(|package| package.geometry.and_then(|geometry| geometry.grams()))
            .sum();
        let fits = |row: &&Row| {
            let (countries, post_codes) = (&row.countries, &row.post_codes);
            PriceRow { countries, post_codes, mass_max: row.mass_max }.applies(to, grams)
        };
        self.rates.iter().find(fits).map(|row| row.rate)
    }
}

impl Connector for Own {
    fn handle(&self) -> &'static str {
        HANDLE
    }

    fn address(&self) -> Address {
        Address::None
    }

    fn check(&self, account: &Account) -> Result<(), String> {
        let table = Table::read(account)?;
        // Labels show the name. Accounts that were stored before this rule can still be used.
        let is_printable = |name: &str| name.chars().any(is_visible) && !name.chars().any(char::is_control);
        match table.services.iter().find(|service| !is_printable(&service.name)) {
            Some(service) => Err(format!(
                "The rate table: the name of the service {:?} must have a visible character, and no control \
                 characters.",
                service.handle
            )),
            None => Ok(()),
        }
    }

    fn capabilities(&self, _account: &Account) -> Capabilities {
        Capabilities {
            is_idempotent: true,
            can_look_up: true,
            can_void: true,
            can_manifest: true,
            can_track: false,
            label_formats: &[],
            packages_max: PACKAGES_MAX,
            visibility_delay: Duration::ZERO,
        }
    }

    fn options(&self) -> options::Table {
        OPTIONS
    }

    fn begin(&self, account: &Account, task: &Task<'_>) -> Step {
        if let Some(refusal) = option_refusal("Own vehicles", OPTIONS, task, |_| None) {
            return Step::Done(refusal);
        }
        let table = match Table::read(account) {
            Ok(table) => table,
            Err(message) => return Step::Done(refuse(ErrorCode::CredentialsInvalid, message)),
        };
        Step::Done(match task {
            Task::Rate(parcel) => Outcome::Quoted(quotes(&table, parcel)),
            Task::Prepare(parcel) => Outcome::Prepared(parcel.id.to_string()),
            Task::Buy { parcel, service, reference, .. } => buy(&table, parcel, service, reference),
            // Buying is one transaction of our own, so a purchase that is not recorded was not made.
            Task::LookUp { .. } => Outcome::Found(Vec::new()),
            Task::Void(_) => Outcome::Voided,
            Task::Track(_) => {
                let (status, message) = (TrackingStatus::Unknown, String::new());
                Outcome::Tracked(Tracked { status, message, occurred_at: None })
            }
            Task::Label { .. } => Outcome::Labelled(vec![Label::Ours]),
            // No carrier has to be told. Dockside draws the list for the driver itself.
            Task::Manifest { reference, .. } => {
                Outcome::Manifested(Manifested { manifest: (*reference).to_owned(), form: Some(Label::Ours) })
            }
        })
    }

    fn resume(&self, account: &Account, task: &Task<'_>, _exchange: usize, _answer: Answer) -> Step {
        self.begin(account, task)
    }
}

fn quotes(table: &Table, parcel: &Parcel) -> Quotes {
    let quote = |service: &OwnService| {
        Some(Quote {
            service: service.handle.clone(),
            amount: service.rate(parcel.details())?,
            currency: table.currency_code.clone(),
            delivery_days: service.delivery_days,
        })
    };
    let quotes: Vec<Quote> = table.services.iter().filter_map(quote).collect();
    let mut errors = Vec::new();
    if quotes.is_empty() {
        let message = "No row of the rate table fits this destination and mass.";
        errors.push(ShipmentError::new(
            ErrorType::Rate,
            ErrorCode::RatesUnavailable,
            Source::Service,
            message,
        ));
    }
    Quotes { quotes, errors }
}

fn buy(table: &Table, parcel: &Parcel, service: &str, reference: &str) -> Outcome {
    let Some(amount) = table.service(service).and_then(|service| service.rate(parcel.details())) else {
        return refuse(
            ErrorCode::ServiceUnavailable,
            format!("The rate table has no price of {service} for it."),
        );
    };
    let Some(origin) = &parcel.details().addresses.origin else {
        return refuse(ErrorCode::AddressInvalid, "It comes from nowhere.".to_owned());
    };
    let numbers = (0..parcel.details().packages.len())
        .map(|package| tracking_number(parcel.id, package, 0, origin.address.country_code));
    Outcome::Bought(Receipt {
        purchase: reference.to_owned(),
        tracking_numbers: numbers.collect(),
        charged: amount,
        currency: table.currency_code.clone(),
        labels: vec![Label::Ours],
    })
}

fn refuse(code: ErrorCode, message: String) -> Outcome {
    Outcome::Rejected(ShipmentError::new(ErrorType::Purchase, code, Source::Service, message))
}

#[cfg(test)]
pub(crate) mod tests {
    use model::Id;
    use model::platform::shape::parse;
    use model::shipping::shipment::options::LabelFormat;
    use serde_json::{Value, json};

    use super::*;
    use crate::conformance::{Conformance, day};

    fn account(configuration: &Value) -> Account {
        Account::new(
            Id::from_bits(1),
            configuration.as_object().cloned().unwrap_or_default(),
            serde_json::Map::new(),
        )
    }

    fn vans() -> Value {
        json!({"currency_code": "GBP", "services": [
            {"handle": "van", "name": "Our van", "delivery_days": 1, "rates": [
                {"countries": ["GB"], "post_codes": ["BS", "BA1"], "mass_max": 10, "rate": 450},
                {"countries": ["GB"], "mass_max": 30, "rate": 890}]},
            {"handle": "bike", "name": "Bicycle", "rates": [{"post_codes": ["bs1"], "mass_max": 5, "rate": 300}]}]})
    }

    /// Nothing is ever sent.
    pub(crate) fn conformance() -> Conformance {
        let none = Vec::new;
        Conformance {
            connector: &Own,
            account: account(&vans()),
            parcel: parcel("BS1 4DJ", 1.0),
            service: "van",
            prepared: None,
            receipt: Receipt {
                purchase: "pa_1".to_owned(),
                tracking_numbers: Vec::new(),
                charged: 450,
                currency: "GBP".to_owned(),
                labels: Vec::new(),
            },
            rate: none(),
            prepare: none(),
            buy: none(),
            look_up: none(),
            void: none(),
            track: none(),
            label: none(),
            manifest: none(),
            tokens: Vec::new(),
            failure: |_| String::new(),
            proves_no_charge: &[],
        }
    }

    fn parcel(post_code: &str, mass: f64) -> Parcel {
        let address = |code: &str| json!({"address": {"line_1": "1", "city": "X", "post_code": code, "country_code": "GB"}});
        let details = parse(json!({
            "addresses": {"destination": address(post_code), "origin": address("BS1 4DJ")},
            "packages": [{"geometry": {"mass": mass}}, {"geometry": {"mass": 0.1}}],
        }));
        Parcel::new(Id::from_bits(7), &details.unwrap())
    }

    fn rates(post_code: &str, mass: f64) -> Vec<(String, i64)> {
        let parcel = parcel(post_code, mass);
        match Own.begin(&account(&vans()), &Task::Rate(&parcel)) {
            Step::Done(Outcome::Quoted(quotes)) => {
                assert_eq!(quotes.errors.is_empty(), !quotes.quotes.is_empty());
                quotes.quotes.into_iter().map(|quote| (quote.service, quote.amount)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_first_row_that_fits_is_the_price() {
        let named = |rates: Vec<(String, i64)>| {
            rates.into_iter().map(|(name, rate)| format!("{name} {rate}")).collect::<Vec<_>>()
        };
        assert_eq!(named(rates("BS1 4DJ", 2.0)), ["van 450", "bike 300"]);
        assert_eq!(named(rates("BS10 5AB", 2.0)), ["van 450", "bike 300"], "a beginning is a beginning");
        assert_eq!(named(rates("BA2 1AA", 2.0)), ["van 890"]);
        assert_eq!(named(rates("BS1 4DJ", 9.9)), ["van 450"]);
        assert_eq!(named(rates("BS1 4DJ", 9.901)), ["van 890"], "all packages count");
        assert!(rates("BS1 4DJ", 31.0).is_empty());
    }

    #[test]
    fn a_purchase_gives_a_number_for_each_package() {
        let parcel = parcel("BS1 4DJ", 1.0);
        let buy = |service| Task::Buy {
            parcel: &parcel,
            service,
            reference: "pa_1",
            prepared: None,
            format: LabelFormat::Pdf,
            ship_on: day(),
        };
        let Step::Done(Outcome::Bought(receipt)) = Own.begin(&account(&vans()), &buy("van")) else {
            panic!("not bought")
        };
        assert_eq!(
            (receipt.charged, receipt.currency.as_str(), receipt.tracking_numbers.len()),
            (450, "GBP", 2)
        );
        assert_ne!(receipt.tracking_numbers[0], receipt.tracking_numbers[1]);
        let Step::Done(Outcome::Rejected(error)) = Own.begin(&account(&vans()), &buy("ship")) else {
            panic!("bought")
        };
        assert_eq!(error.code, ErrorCode::ServiceUnavailable);
    }

    #[test]
    fn closing_out_sends_no_request_and_we_draw_the_list() {
        let task = Task::Manifest {
            reference: "mf_1",
            named: None,
            purchases: &["pa_1".to_owned()],
            ship_on: day(),
            origin: None,
        };
        let Step::Done(Outcome::Manifested(manifested)) = Own.begin(&account(&vans()), &task) else {
            panic!("not closed out")
        };
        assert_eq!((manifested.manifest.as_str(), manifested.form), ("mf_1", Some(Label::Ours)));
        assert_eq!(Own.check(&account(&vans())), Ok(()));
    }

    #[test]
    fn a_service_has_a_name_that_can_be_printed() {
        for name in [" ", "\u{200b}\u{a0}", "a\nb"] {
            let service = json!({"handle": "van", "name": name, "rates": [{"rate": 1}]});
            let table = json!({"currency_code": "GBP", "services": [service]});
            let message = Own.check(&account(&table)).unwrap_err();
            assert!(message.contains("visible character"), "{message}");
        }
    }

    #[test]
    fn a_table_that_makes_no_sense_is_refused_with_a_sentence() {
        for (change, word) in [
            (json!({}), "currency_code"),
            (json!({"currency_code": "XXX", "services": []}), "XXX"),
            (json!({"currency_code": "GBP", "services": []}), "no service"),
            (
                json!({"currency_code": "GBP", "services": [{"handle": "a", "name": "A", "rates": [{"rate": -1}]}]}),
                "negative",
            ),
            (json!({"currency_code": "GBP", "servces": []}), "servces"),
        ] {
            let message = Table::read(&account(&change)).unwrap_err();
            assert!(message.contains(word), "{message}");
        }
    }
}
