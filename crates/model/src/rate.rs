//! Rates: what a carrier would take a shipment for, and until when it says so.

use serde::{Deserialize, Serialize};

use crate::carrier::{
    CARRIER_ACCOUNT_REFERENCE, CARRIER_REFERENCE, CARRIER_SERVICE_REFERENCE, Carrier, CarrierAccount,
    CarrierService, Reference,
};
use crate::id::Kind as IdKind;
use crate::money::{AMOUNT, CURRENCY};
use crate::shape::{Field, Kind, MOMENT, Shape};
use crate::{Id, Timestamp};

/// What a carrier would take a shipment for.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Rate {
    pub id: Id<Rate>,
    pub carrier: Reference<Carrier>,
    pub carrier_service: Reference<CarrierService>,
    pub carrier_account: Option<Reference<CarrierAccount>>,
    /// In the smallest unit of the currency.
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
pub static RATE_ID: Shape = Shape::new(Kind::Identifier(Rate::PREFIX), "A rate's id.");
static DAYS: Shape =
    Shape::new(Kind::Integer { min: 0, max: 365 }, "Days until it is delivered.").example("2");
/// A rate.
pub static RATE: Shape = Shape::object(
    "Rate",
    &[
        Field::given("id", &RATE_ID),
        Field::given("carrier", &CARRIER_REFERENCE),
        Field::given("carrier_service", &CARRIER_SERVICE_REFERENCE),
        Field::given_or_null("carrier_account", &CARRIER_ACCOUNT_REFERENCE),
        Field::given("rate", &AMOUNT),
        Field::given("currency_code", &CURRENCY),
        Field::given_or_null("delivery_days", &DAYS),
        Field::given_or_null("ship_date", &MOMENT),
        Field::given_or_null("delivery_date", &MOMENT),
        Field::given_or_null("guaranteed_delivery_date", &MOMENT),
        Field::given("expires_at", &MOMENT),
    ],
    "What a carrier would take the shipment for.",
);
