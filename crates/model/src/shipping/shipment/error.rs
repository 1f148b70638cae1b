//! The errors of a shipment, for its `errors` field: words that programs may match, and a sentence.

use serde::{Deserialize, Serialize};

use crate::platform::shape::{Field, Kind, Shape};

/// Maximum number of errors that a shipment keeps: the newest.
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

            pub fn as_str(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }
    };
}

words! {
    /// The operation that failed.
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
    /// The origin of the error.
    Source {
        Request "request",
        Service "service",
        Carrier "carrier",
        Provider "provider",
    }
}
words! {
    /// The kind of error.
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
        OptionUnavailable "option_unavailable",
        PurchaseDeclined "purchase_declined",
        ProviderTimeout "provider_timeout",
        ProviderUnavailable "provider_unavailable",
        OutcomeUnknown "outcome_unknown",
        DuplicatePurchaseVoided "duplicate_purchase_voided",
        InsufficientStock "insufficient_stock",
        OrderOnHold "order_on_hold",
        OrderCancelled "order_cancelled",
        OrderBlocked "order_blocked",
    }
}

/// Number of different codes.
pub(crate) const CODES_COUNT: usize = ErrorCode::WORDS.len();

/// An error of a shipment.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct ShipmentError {
    pub r#type: ErrorType,
    pub code: ErrorCode,
    pub source: Source,
    pub message: String,
    /// The number of the package with the error, starting at 1. `None` if the error concerns the whole shipment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<u32>,
}

impl ShipmentError {
    /// Creates an error. A long message from a carrier is cut.
    pub fn new(r#type: ErrorType, code: ErrorCode, source: Source, message: impl Into<String>) -> Self {
        let message: String = message.into();
        let is_drawn = |char: &char| !char.is_control();
        let message = message.chars().filter(is_drawn).take(MESSAGE_CHARS_MAX).collect();
        Self { r#type, code, source, message, package: None }
    }

    /// Returns the error with the number of a package.
    #[must_use]
    pub fn about_package(mut self, number: Option<u32>) -> Self {
        self.package = number;
        self
    }
}

pub(crate) static TYPE: Shape = Shape::new(
    Kind::OneOf(ErrorType::WORDS),
    "What was being done: rating, buying, labelling, voiding or closing out.",
)
.example(r#""rate_error""#);
pub(crate) static CODE: Shape = Shape::new(
    Kind::OneOf(ErrorCode::WORDS),
    "The cause, for programs. Stable: match on it, not on `message`.",
)
.example(r#""rates_unavailable""#);
pub(crate) static SOURCE: Shape = Shape::new(Kind::OneOf(Source::WORDS), "Who refused: the `carrier` in its own words, the `provider` between (it did not answer), or the `service`: Dockside itself.").example(r#""provider""#);
pub(crate) static MESSAGE: Shape = Shape::text(
    0,
    MESSAGE_CHARS_MAX,
    "A sentence for people, often the carrier's own. Its wording may change at any time.",
)
.example(r#""No service carries this parcel to this address.""#);
pub(crate) static PACKAGE: Shape = Shape::new(
    Kind::Integer { min: 1, max: 99 },
    "The number of the package that it is about, from 1 on. Absent where it is about the whole shipment.",
)
.example("2");
/// An error of a shipment.
pub static ERROR: Shape = Shape::object(
    "ShipmentError",
    &[
        Field::given("type", &TYPE),
        Field::given("code", &CODE),
        Field::given("source", &SOURCE),
        Field::given("message", &MESSAGE),
        Field::optional("package", &PACKAGE),
    ],
    "Something that went wrong with a shipment.",
);
/// The errors of a shipment.
pub static ERRORS: Shape = Shape::list(
    &ERROR,
    ERRORS_MAX,
    "Why rating, buying, labelling or voiding failed; the newest last. Empty while all is well.",
);
