//! What went wrong with a shipment, for its `errors`: a few words that programs may match, and a sentence.

use serde::{Deserialize, Serialize};

use crate::shape::{Field, Kind, Shape};

/// Most errors that a shipment keeps: the newest.
pub const ERRORS_MAX: usize = 50;
const MESSAGE_CHARS_MAX: usize = 1000;

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($variant:ident $word:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[serde(rename = $word)] $variant),*
        }

        impl $name {
            const WORDS: &'static [&'static str] = &[$($word),*];
        }
    };
}

words! {
    /// In doing what.
    ErrorType {
        Validation "validation_error",
        Rate "rate_error",
        Purchase "purchase_error",
        Label "label_error",
        Manifest "manifest_error",
        Void "void_error",
    }
}
words! {
    /// Who says so.
    Source {
        Request "request",
        Service "service",
        Carrier "carrier",
        Provider "provider",
    }
}
words! {
    /// What it is.
    ErrorCode {
        RatesUnavailable "rates_unavailable",
        RateExpired "rate_expired",
        AddressInvalid "address_invalid",
        PostCodeInvalid "post_code_invalid",
        ServiceUnavailable "service_unavailable",
        InsufficientFunds "insufficient_funds",
        CredentialsInvalid "credentials_invalid",
        CustomsRequired "customs_required",
        WeightLimit "weight_limit",
        DimensionsLimit "dimensions_limit",
        LabelFormatUnavailable "label_format_unavailable",
        PurchaseDeclined "purchase_declined",
        ProviderTimeout "provider_timeout",
        ProviderUnavailable "provider_unavailable",
        OutcomeUnknown "outcome_unknown",
        DuplicatePurchaseVoided "duplicate_purchase_voided",
    }
}

/// Something that went wrong with a shipment.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct ShipmentError {
    pub r#type: ErrorType,
    pub code: ErrorCode,
    pub source: Source,
    pub message: String,
}

impl ShipmentError {
    /// A carrier may say a lot; the beginning is kept.
    pub fn new(r#type: ErrorType, code: ErrorCode, source: Source, message: impl Into<String>) -> Self {
        let message: String = message.into();
        let is_drawn = |char: &char| !char.is_control();
        let message = message.chars().filter(is_drawn).take(MESSAGE_CHARS_MAX).collect();
        Self { r#type, code, source, message }
    }
}

static TYPE: Shape = Shape::new(Kind::OneOf(ErrorType::WORDS), "In doing what.").example(r#""rate_error""#);
static CODE: Shape =
    Shape::new(Kind::OneOf(ErrorCode::WORDS), "What it is.").example(r#""rates_unavailable""#);
static SOURCE: Shape = Shape::new(Kind::OneOf(Source::WORDS), "Who says so.").example(r#""provider""#);
static MESSAGE: Shape = Shape::text(0, MESSAGE_CHARS_MAX, "A sentence for a person.")
    .example(r#""No service carries this parcel to this address.""#);
/// Something that went wrong.
pub static ERROR: Shape = Shape::object(
    "ShipmentError",
    &[
        Field::given("type", &TYPE),
        Field::given("code", &CODE),
        Field::given("source", &SOURCE),
        Field::given("message", &MESSAGE),
    ],
    "Something that went wrong with a shipment.",
);
/// The errors of a shipment.
pub static ERRORS: Shape = Shape::list(&ERROR, ERRORS_MAX, "What went wrong, the newest last.");
