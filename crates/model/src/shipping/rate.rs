//! Rates: the prices at which carriers offer to transport a shipment, and their validity.

use serde::{Deserialize, Serialize};

use crate::platform::id::Kind as IdKind;
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::shape::{Field, Kind, MOMENT, Shape};
use crate::shipping::carrier::{
    CARRIER_ACCOUNT_REFERENCE, CARRIER_REFERENCE, CARRIER_SERVICE_REFERENCE, Carrier, CarrierAccount,
    CarrierService, Reference,
};
use crate::{Id, Timestamp};

/// The price at which a carrier offers to transport a shipment.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Rate {
    pub id: Id<Rate>,
    pub carrier: Reference<Carrier>,
    pub carrier_service: Reference<CarrierService>,
    pub carrier_account: Option<Reference<CarrierAccount>>,
    /// The price, in the smallest unit of the currency.
    pub rate: i64,
    pub currency_code: String,
    pub delivery_days: Option<i64>,
    pub ship_date: Option<Timestamp>,
    pub delivery_date: Option<Timestamp>,
    pub guaranteed_delivery_date: Option<Timestamp>,
    pub expires_at: Timestamp,
}

impl IdKind for Rate {
    const PREFIX: &'static str = "rate";
}

/// The id of a rate.
pub static RATE_ID: Shape = Shape::new(
    Kind::Identifier(Rate::PREFIX),
    "Made each time the shipment is rated: rating again, or changing the shipment, makes earlier ones invalid.",
);
static DAYS: Shape = Shape::new(
    Kind::Integer { min: 0, max: 365 },
    "Days from the day of shipping to delivery, as the carrier estimates it. Null if it does not say.",
)
.example("2");
/// A rate.
pub static RATE: Shape = Shape::object(
    "Rate",
    &[
        Field::given("id", &RATE_ID),
        Field::given("carrier", &CARRIER_REFERENCE).about("The carrier that would take the parcel for this price."),
        Field::given("carrier_service", &CARRIER_SERVICE_REFERENCE).about("The service that is offered, which says how fast it is."),
        Field::given_or_null("carrier_account", &CARRIER_ACCOUNT_REFERENCE).about("The contract whose prices these are; buying the rate charges it."),
        Field::given("rate", &AMOUNT).about("What the carrier asks for the whole shipment, in the smallest unit of the currency: `1299` with `GBP` is £12.99. The carrier may charge another sum in the end."),
        Field::given("currency_code", &CURRENCY).about("ISO 4217: what `rate` counts, such as pence for `GBP`."),
        Field::given_or_null("delivery_days", &DAYS),
        Field::given_or_null("ship_date", &MOMENT).about("The day of handing over that the rate is for: `options.shipping.date`, else now."),
        Field::given_or_null("delivery_date", &MOMENT).about("When it should arrive: `ship_date` and `delivery_days`. An estimate."),
        Field::given_or_null("guaranteed_delivery_date", &MOMENT).about("When the carrier promises that it arrives, with its own compensation. Null if it promises nothing."),
        Field::given("expires_at", &MOMENT).about("A day after rating. Afterwards the rate can't be bought: rate again."),
    ],
    "What a carrier would take the shipment for.",
);
