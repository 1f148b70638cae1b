//! The shapes of scans.

use super::{Scan, ScanInput};
use crate::access::access_token::User;
use crate::fulfilment::print_job::PRINT_JOB_ID;
use crate::orders::item_quantity::{QUANTITY, QUANTITY_MAX};
use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, MOMENT, Pattern, Shape};
use crate::shipping::shipment::package::PACKAGES_MAX;
use crate::shipping::shipment::{SHIPMENT_ID, STATUS};
use crate::stock::inventory_item::ITEM_ID;

/// Characters of a scan's name, and of a code.
const SCAN_ID_CHARS_MAX: usize = 64;
const CODE_CHARS_MAX: usize = 100;
/// Steps that may follow a scan.
const STEPS_MAX: usize = 2;
/// Units of a whole shipment.
const UNITS_MAX: i64 = PACKAGES_MAX as i64 * 1000 * QUANTITY_MAX;

fn is_scan_id(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn is_code(text: &str) -> bool {
    text.trim() == text && !text.chars().any(char::is_control)
}

/// The name that a client gives a scan.
pub static SCAN_CLIENT_ID: Shape = Shape::new(
    Kind::Text {
        chars_min: 1,
        chars_max: SCAN_ID_CHARS_MAX,
        pattern: Some(Pattern { regex: "^[A-Za-z0-9_-]+$", matches: is_scan_id }),
    },
    "Made by you, such as a UUID, and unique in the shipment: letters, digits, `-` and `_`. A request that is repeated with it counts once.",
)
.example(r#""9f1c2a7e-5b1d-4a57-9d0e-0a4c3f6b8e21""#);
static SCAN_ID: Shape = Shape::new(
    Kind::Identifier(Scan::PREFIX),
    "Made with the scan; scans are listed by it, newest first. Paths name a scan by your own `scan_id`.",
);
static CODE: Shape = Shape::new(
    Kind::Text {
        chars_min: 1,
        chars_max: CODE_CHARS_MAX,
        pattern: Some(Pattern {
            regex: r"^[^\s\u0000-\u001F\u007F-\u009F]([^\u0000-\u001F\u007F-\u009F]*[^\s\u0000-\u001F\u007F-\u009F])?$",
            matches: is_code,
        }),
    },
    "What the scanner read: a barcode or the SKU of an item, or a `bin`. Barcodes come before SKUs, and SKUs before bins. A valid GTIN matches with and without zeros in front.",
)
.example(r#""4006381333931""#);
static PACKAGE: Shape = Shape::new(
    Kind::Integer { min: 1, max: PACKAGES_MAX as i64 },
    "The place of the box in the shipment's `packages`, counted from 1.",
)
.example("1");
static STEP: Shape = Shape::new(
    Kind::OneOf(&["purchase", "print"]),
    "`purchase` buys the shipment with the service that it has chosen; `print` prints its labels on the printer that a shipping rule chose for it, else on the default printer.",
)
.example(r#""purchase""#);
static THEN: Shape = Shape::list(
    &STEP,
    STEPS_MAX,
    "What follows when this scan makes the shipment complete; nothing otherwise. `purchase` needs `shipments:purchase`, `print` needs `print_jobs:write`; a token without it is refused before the scan counts.",
);
static RESULT: Shape = Shape::new(
    Kind::OneOf(&[
        "packed",
        "not_in_shipment",
        "already_packed",
        "wrong_package",
        "bin_confirmed",
        "wrong_bin",
        "unknown_code",
        "ambiguous_code",
    ]),
    "What the code meant.\n\n- `packed`: the units count as packed. Nothing else counts.\n- `not_in_shipment`: no package is to hold the item.\n- `already_packed`: fewer units are missing than were scanned.\n- `wrong_package`: the item belongs into another package than `package`.\n- `bin_confirmed`: it is the bin of an item that is missing.\n- `wrong_bin`: it is a bin of the location from which nothing is missing.\n- `unknown_code`: no item and no bin has it.\n- `ambiguous_code`: several items have it as their SKU, in different spellings of one GTIN.",
)
.example(r#""packed""#);
static PROBLEM_CODE: Shape =
    Shape::text(1, 100, "The stable word to match on: that of a problem, or of an error of the shipment.")
        .example(r#""printer_missing""#);
static PROBLEM_MESSAGE: Shape =
    Shape::text(0, 5000, "What went wrong, in a sentence for the person at the packing table.")
        .example(r#""No printer is the default for `label` there.""#);
static PROBLEM: Shape = Shape::object(
    "ScanStepProblem",
    &[Field::given("code", &PROBLEM_CODE), Field::given("message", &PROBLEM_MESSAGE)],
    "Why the step failed. The scan counts all the same.",
);
static PURCHASE_STATUS: Shape = Shape::new(
    Kind::OneOf(&["pending", "purchasing", "purchased", "failed"]),
    "`pending` only if the server stopped right after it had counted the scan: repeat the request. `purchasing` while the carrier has not answered. `failed`: `problem` says why, and `POST /shipments/{shipment_id}/purchase` tries again.",
)
.example(r#""purchased""#);
static PURCHASE: Shape = Shape::object(
    "ScanPurchase",
    &[Field::given("status", &PURCHASE_STATUS), Field::given_or_null("problem", &PROBLEM)],
    "What became of the purchase that the scan asked for.",
);
static PRINT_STATUS: Shape = Shape::new(
    Kind::OneOf(&["waiting", "queued", "failed"]),
    "`waiting` while the purchase is under way or the carrier still owes the label: the server prints it by itself when it arrives, also after a restart. `queued`: a print job has it. `failed`: `problem` says why, and `POST /print_jobs` prints it.",
)
.example(r#""queued""#);
static PRINT: Shape = Shape::object(
    "ScanPrint",
    &[
        Field::given("status", &PRINT_STATUS),
        Field::given_or_null("print_job_id", &PRINT_JOB_ID)
            .about("The print job that has the labels; follow it by its events. Null before there is one."),
        Field::given_or_null("problem", &PROBLEM),
    ],
    "What became of the labels that the scan asked to print.",
);
static PART: Shape = Shape::object(
    "ScanPart",
    &[
        Field::given("package", &PACKAGE),
        Field::given("quantity", &QUANTITY).about("Units of the scan that count in this package."),
    ],
    "Where units of a scan are counted.",
);
static PARTS: Shape = Shape::list(
    &PART,
    PACKAGES_MAX,
    "The packages in which the units count. Empty unless the `result` is `packed`. A package that a short pick removes no longer counts, so later ones move up.",
);
static USER_ID: Shape = Shape::new(Kind::Identifier(User::PREFIX), "The user whose access token scanned it.");

impl Input for ScanInput {
    const SHAPE: &'static Shape = &SCAN_INPUT;
}

/// The body of a request that scans a code.
pub static SCAN_INPUT: Shape = Shape::object(
    "ScanInput",
    &[
        Field::required("scan_id", &SCAN_CLIENT_ID),
        Field::required("code", &CODE),
        Field::optional("package", &PACKAGE)
            .about("The box into which the item goes, by its number from 1 on. Without it: the first that misses the units."),
        Field::optional("quantity", &QUANTITY)
            .about("Units that this scan counts. All or none: if fewer are missing, the result is `already_packed`. 1 if you leave it out."),
        Field::optional("then", &THEN),
    ],
    "A code that a packer scanned.",
);

macro_rules! scan_fields {
    ($($more:expr),* $(,)?) => {
        &[
            Field::given("id", &SCAN_ID),
            Field::given("scan_id", &SCAN_CLIENT_ID),
            Field::given("shipment_id", &SHIPMENT_ID),
            Field::given("code", &CODE),
            Field::given_or_null("package", &PACKAGE)
                .about("The box that the request named. Null if it named none; `parts` says where the units count."),
            Field::given("quantity", &QUANTITY).about("Units that the request scanned."),
            Field::given("then", &THEN),
            Field::given("result", &RESULT),
            Field::given_or_null("item_id", &ITEM_ID)
                .about("The item that has the code, whether it is in the shipment or not. Null if none or several have it."),
            Field::given_or_null("purchase", &PURCHASE)
                .about("What became of the purchase. Null if the scan did not complete the shipment, or asked for none."),
            Field::given_or_null("print", &PRINT)
                .about("What became of the labels. Null if the scan did not complete the shipment, or asked for none."),
            Field::given("user_id", &USER_ID),
            Field::created_at(),
            Field::given("parts", &PARTS),
            $($more),*
        ]
    };
}

/// A scan.
pub static SCAN: Shape = Shape::object(
    "Scan",
    scan_fields![],
    "A code that was scanned for a shipment, by whom and when, and what it meant.",
);

static UNITS: Shape =
    Shape::new(Kind::Integer { min: 0, max: UNITS_MAX }, "A whole number of units.").example("2");
static ITEM_PROGRESS: Shape = Shape::object(
    "ItemProgress",
    &[
        Field::given("id", &ITEM_ID)
            .about("Which article, by the `inv_…` that the shipment has for it; look its name up once."),
        Field::given("quantity", &UNITS).about("Units that the package is to hold."),
        Field::given("packed_quantity", &UNITS).about("Units of it that scans have counted."),
        Field::given("missing_quantity", &UNITS).about("Units of it that are still to be scanned."),
    ],
    "How much of an item is in its package.",
);
static ITEMS_PROGRESS: Shape =
    Shape::list(&ITEM_PROGRESS, 1000, "Its contents as the shipment has them, with what is packed of each.");
static PACKAGE_PROGRESS: Shape = Shape::object(
    "PackageProgress",
    &[Field::given("package", &PACKAGE), Field::given("items", &ITEMS_PROGRESS)],
    "How far one package is packed.",
);
static PACKAGES_PROGRESS: Shape = Shape::list(
    &PACKAGE_PROGRESS,
    PACKAGES_MAX,
    "What is packed and what is missing, box by box. Boxes without `items` are left out.",
);
static IS_COMPLETE: Shape =
    Shape::new(Kind::Boolean, "Whether no unit of the shipment is missing any more.").example("true");

/// The answer to a scan.
pub static SCAN_ANSWER: Shape = Shape::object(
    "ScanAnswer",
    scan_fields![
        Field::given("shipment_status", &STATUS)
            .about("How far the shipment is now, such as `draft` or `purchased`."),
        Field::given_or_null("packed_at", &MOMENT)
            .about("When the last unit was scanned. Null while units are missing."),
        Field::given("is_complete", &IS_COMPLETE),
        Field::given("packed_quantity", &UNITS).about("Units of all packages that scans have counted."),
        Field::given("missing_quantity", &UNITS).about("Units of all packages that are still to be scanned."),
        Field::given("packages", &PACKAGES_PROGRESS),
    ],
    "A scan, and how far its shipment is packed now.",
);
