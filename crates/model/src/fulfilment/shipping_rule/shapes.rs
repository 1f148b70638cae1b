//! The shapes of rules, of their order, and of evaluations.

use serde_json::{Map, Value};

use super::action::{ACTION, CHOOSE, EXACT, HOLD, PACKAGE_TYPE, PRINTER, SATURDAY};
use super::conditions::CONDITIONS;
use super::rule::{
    EVALUATIONS_MAX, EvaluationInput, RULE_BYTES_MAX, RULES_MAX, RuleOrder, ShippingRule, ShippingRuleInput,
};
use crate::fulfilment::printer::PRINTER_ID;
use crate::orders::order::ORDER_ID;
use crate::places::address::{COUNTRY, LINE};
use crate::places::location::LOCATION_ID;
use crate::platform::id::Kind as IdKind;
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Input, Issues, Kind, MOMENT, Path, Pattern, Shape};
use crate::platform::time_zone::{DAYS, TIME_ZONE};
use crate::shipping::shipment::customs::{CONTENTS, INCOTERM};
use crate::shipping::shipment::options::{INSURANCE, LABEL_FORMAT, SIGNATURE};
use crate::shipping::shipment::package::PACKAGE_TYPE_ID;
use crate::shipping::shipment::{SHIPMENT, SHIPMENT_ID};

/// Most words of a fact: an order may have 1,000 items with many tags each.
const WORDS_MAX: usize = 100_000;
/// The largest total mass, in kilograms.
const MASS_MAX: f64 = 1e12;

impl Input for ShippingRuleInput {
    const SHAPE: &'static Shape = &SHIPPING_RULE;
}

impl Input for RuleOrder {
    const SHAPE: &'static Shape = &RULE_ORDER;
}

impl Input for EvaluationInput {
    const SHAPE: &'static Shape = &EVALUATION_INPUT;
}

/// Rejects a rule that is too large: all rules of an owner are read for each evaluation.
fn check_rule(rule: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    for part in ["conditions", "action"] {
        if rule.get(part).is_some_and(|part| part.to_string().len() > RULE_BYTES_MAX) {
            let message =
                format!("Must have at most {RULE_BYTES_MAX} bytes of JSON. Make several rules of it.");
            issues.push(Issue::new("too_long", format!("{at}/{part}"), message));
        }
    }
}

/// Rejects a request that does not name exactly one thing to evaluate the rules for.
fn check_evaluation(input: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let subjects = ["order_id", "shipment_id", "shipment"];
    let given: Vec<&str> = subjects.into_iter().filter(|name| input.contains_key(*name)).collect();
    match given.as_slice() {
        [_] => {}
        [] => issues.push(Issue::new(
            "required",
            at,
            "Must have an `order_id`, a `shipment_id` or a `shipment`.",
        )),
        several => {
            for name in several {
                let message = "Goes alone: give one of `order_id`, `shipment_id` and `shipment`.";
                issues.push(Issue::new("invalid_value", format!("{at}/{name}"), message));
            }
        }
    }
}

/// The id of a rule.
pub static SHIPPING_RULE_ID: Shape = Shape::new(
    Kind::Identifier(ShippingRule::PREFIX),
    "Made when the rule is created. It stays when the rule moves to another position.",
);
static NAME: Shape =
    Shape::text(1, 255, "How your team tells rules apart. Explanations show it; it need not be unique.")
        .example(r#""Heavy parcels to Germany""#);
static POSITION: Shape = Shape::new(
    Kind::Integer { min: 1, max: RULES_MAX as i64 },
    "The place of the rule, from 1 without gaps: rules with lower positions are asked first. A rule that is given a position moves there, and those from there on move by one. Without it, a new rule comes last.",
)
.example("1");
static IS_ACTIVE: Shape =
    Shape::new(Kind::Boolean, "`false` keeps the rule without asking it. Defaults to `true`.")
        .example("true");

/// A rule.
pub static SHIPPING_RULE: Shape = Shape {
    name: Some("ShippingRule"),
    about: "Says which service a shipment takes, and with which options, where its conditions hold.",
    kind: Kind::Object {
        fields: &[
            Field::given("id", &SHIPPING_RULE_ID),
            Field::required("name", &NAME),
            Field::optional("position", &POSITION),
            Field::optional("is_active", &IS_ACTIVE),
            Field::optional("conditions", &CONDITIONS),
            Field::required("action", &ACTION),
            Field::created_at(),
            Field::updated_at(),
        ],
        rule: Some(check_rule),
    },
    example: None,
};
static IDS: Shape = Shape::list(
    &SHIPPING_RULE_ID,
    RULES_MAX,
    "All rules of the organisation, each exactly once, in the order in which they are to be asked.",
);
/// The order of all rules.
pub static RULE_ORDER: Shape = Shape::object(
    "ShippingRuleOrder",
    &[Field::required("ids", &IDS)],
    "The order in which the rules are asked.",
);

/// The body of a request to evaluate the rules.
pub static EVALUATION_INPUT: Shape = Shape {
    name: Some("ShippingRuleEvaluationInput"),
    about: "Exactly one of `order_id`, `shipment_id` and `shipment`.",
    kind: Kind::Object {
        fields: &[
            Field::optional("order_id", &ORDER_ID).about("Evaluates the rules for an order: once for each location with open allocations, or once without an origin. Needs the scope `orders:read` too."),
            Field::optional("shipment_id", &SHIPMENT_ID).about("Evaluates the rules for a shipment that exists. Needs the scope `shipments:read` too."),
            Field::optional("shipment", &SHIPMENT).about("Evaluates the rules for a shipment as you would create it. Nothing is stored."),
            Field::optional("at", &MOMENT).about("The moment for which weekdays and time windows are judged, to try them out. Without it, now."),
        ],
        rule: Some(check_evaluation),
    },
    example: Some(r#"{"order_id":"ord_01jc0000000000000000000000"}"#),
};

static KILOGRAMS: Shape = Shape::new(
    Kind::Number { min: 0.0, max: MASS_MAX },
    "Kilograms in total, without the packaging of units that are not packed yet.",
)
.example("1.2");
static SIDE: Shape = Shape::new(Kind::Number { min: 0.0, max: 600.0 }, "Centimetres.").example("30.0");
static SIDES: Shape = Shape::object(
    "ShippedDimensions",
    &[
        Field::given("length", &SIDE).about("The longest side in centimetres."),
        Field::given("width", &SIDE).about("The second longest side in centimetres."),
        Field::given("height", &SIDE).about("The shortest side in centimetres."),
    ],
    "The sides of the largest package, or of the largest item of an order that is not packed: the largest of each, if several are the largest in some way.",
);
static VALUE: Shape = Shape::object(
    "ShippedValue",
    &[Field::given("amount", &AMOUNT), Field::given("currency_code", &CURRENCY)],
    "A value in one currency.",
);
static WORD: Shape = Shape::text(0, 1000, "A word as the order or the item has it.");
static WORDS: Shape = Shape::list(&WORD, WORDS_MAX, "Words as the order or its items have them, each once.");
static WEEKDAY: Shape =
    Shape::new(Kind::OneOf(&DAYS), "The first three letters of the day's English name.").example(r#""mon""#);
static CLOCK: Shape =
    Shape::text(5, 5, "Hours and minutes of a 24-hour clock, `HH:MM`.").example(r#""14:00""#);
static LOCAL_TIME: Shape = Shape::object(
    "LocalTime",
    &[
        Field::given("weekday", &WEEKDAY),
        Field::given("time", &CLOCK),
        Field::given("time_zone", &TIME_ZONE)
            .about("The zone of the origin location, else of the organisation (IANA)."),
    ],
    "The day of the week and the time of day at the origin.",
);
fn is_fact(text: &str) -> bool {
    (1..=50).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}
static WHY: Shape = Shape::text(1, 1000, "A sentence that says what is missing.");
static UNKNOWN: Shape = Shape::new(
    Kind::Map { key: Pattern { regex: "^[a-z_]{1,50}$", matches: is_fact }, of: &WHY, entries_max: 50 },
    "Why a fact is not known, by its name. A condition about it does not hold.",
)
.example(r#"{"mass":"The item TEE has no mass."}"#);
static FACTS: Shape = Shape::object(
    "ShippingFacts",
    &[
        Field::given_or_null("origin_location_id", &LOCATION_ID).about("The warehouse or shop that holds the allocated units. Null before anything is allocated."),
        Field::given_or_null("destination_country", &COUNTRY).about("Where it goes (ISO 3166-1 alpha-2)."),
        Field::given_or_null("post_code", &LINE).about("Where it goes within the country."),
        Field::given_or_null("mass", &KILOGRAMS),
        Field::given_or_null("dimensions", &SIDES),
        Field::given_or_null("order_value", &VALUE).about("What the whole order is worth: by the prices of its lines, else by the values of its items. Of a shipment, what its customs items declare."),
        Field::given_or_null("contents_value", &VALUE).about("What the units are worth that are shipped from this origin. Insurance covers this."),
        Field::given("skus", &WORDS).about("Each product once, in alphabetical order."),
        Field::given("item_tags", &WORDS).about("The words that any of the products carries, each once, in alphabetical order."),
        Field::given_or_null("channel", &WORD).about("Through which sales channel the order came."),
        Field::given_or_null("requested_service", &WORD).about("What the customer chose, in the shop's words."),
        Field::given("order_tags", &WORDS).about("The words that the merchant or the shop put on the customer's purchase, as it was stored."),
        Field::given("local_time", &LOCAL_TIME),
        Field::given("unknown", &UNKNOWN),
    ],
    "What is known about the shipment, and was compared with the rules' conditions.",
);
static DECIDED_SHIPPING: Shape = Shape::object(
    "DecidedShippingOptions",
    &[
        Field::given_or_null("signature_type", &SIGNATURE),
        Field::given_or_null("saturday_delivery", &SATURDAY),
    ],
    "How the carrier handles the parcel: copied into `options.shipping` of the shipment. What no rule sets is null.",
);
static DECIDED_LABEL: Shape = Shape::object(
    "DecidedLabelOptions",
    &[Field::given_or_null("format", &LABEL_FORMAT)],
    "How the label is drawn: copied into `options.label` of the shipment. What no rule sets is null.",
);
static DECIDED_OPTIONS: Shape = Shape::object(
    "DecidedOptions",
    &[
        Field::given("shipping", &DECIDED_SHIPPING),
        Field::given("label", &DECIDED_LABEL),
        Field::given_or_null("insurance", &INSURANCE).about("The cover that `insure_from` asks for."),
    ],
    "In the form of a shipment's `options`. What no rule sets is null.",
);
static DECIDED_CUSTOMS: Shape = Shape::object(
    "DecidedCustoms",
    &[Field::given_or_null("incoterm", &INCOTERM), Field::given_or_null("contents_type", &CONTENTS)],
    "Terms of a parcel that crosses a border: copied into `customs` of the shipment. What no rule sets is null.",
);
static SET_BY: Shape = Shape::new(
    Kind::Map { key: Pattern { regex: "^[a-z_]{1,50}$", matches: is_fact }, of: &SHIPPING_RULE_ID, entries_max: 50 },
    "The rule that set each field, by the field's name: `service` (also for `choose`), `signature_type`, `saturday_delivery`, `label_format`, `insurance`, `incoterm`, `contents_type`, `package_type_id`, `printer_id`, `hold`.",
)
.example(r#"{"service":"rule_01jc0000000000000000000000"}"#);
static DECISION: Shape = Shape::object(
    "ShippingDecision",
    &[
        Field::given_or_null("service", &EXACT).about("The one to buy, without a comparison of rates. Null if no rule names one; then `choose` may say how it is found."),
        Field::given_or_null("choose", &CHOOSE).about("How the service is to be chosen by its rate, if a rule says so. It is chosen when the shipment is rated."),
        Field::given("options", &DECIDED_OPTIONS),
        Field::given("customs", &DECIDED_CUSTOMS),
        Field::given_or_null("package_type_id", &PACKAGE_TYPE_ID).about(PACKAGE_TYPE),
        Field::given_or_null("printer_id", &PRINTER_ID).about(PRINTER),
        Field::given_or_null("hold", &HOLD),
        Field::given("set_by", &SET_BY),
    ],
    "What the rules decide. Without a `service` and a `choose`, no rule says how to ship it.",
);
static IS_MATCH: Shape =
    Shape::new(Kind::Boolean, "Whether the rule is active and all of its conditions hold.").example("true");
static POINTER: Shape = Shape::text(1, 200, "A JSON pointer into the rule, such as `/conditions/mass`.")
    .example(r#""/conditions/mass""#);
static MESSAGE: Shape = Shape::text(1, 2000, "A sentence for people.");
static REASON: Shape = Shape::object(
    "ShippingRuleReason",
    &[
        Field::given("field", &POINTER),
        Field::given("message", &MESSAGE)
            .about("Why this condition does not hold, or why this part of the action was not taken."),
    ],
    "Why a part of a rule had no effect.",
);
static REASONS: Shape = Shape::list(
    &REASON,
    50,
    "Of a rule that does not match, each condition that does not hold. Of one that matches, each field that it did not set.",
);
static FIELD: Shape = Shape::text(1, 50, "A key of `set_by`.").example(r#""service""#);
static SETS: Shape = Shape::list(
    &FIELD,
    50,
    "What this one decided, by the keys of `set_by`. Empty if it did not match, or if earlier ones had decided all of it.",
);
static EXPLANATION: Shape = Shape::object(
    "ShippingRuleExplanation",
    &[
        Field::given("rule_id", &SHIPPING_RULE_ID),
        Field::given("name", &NAME),
        Field::given("position", &POSITION).about("Its place in the list when this was computed: 1 was asked first. A later reordering does not change it here."),
        Field::given("is_match", &IS_MATCH),
        Field::given("sets", &SETS),
        Field::given("reasons", &REASONS),
    ],
    "What became of one rule.",
);
static EXPLANATIONS: Shape = Shape::list(
    &EXPLANATION,
    RULES_MAX,
    "One entry for each, also for those that are not active or did not match, beginning with position 1.",
);
/// What the rules decide for one shipment.
pub static EVALUATION: Shape = Shape::object(
    "ShippingRuleEvaluation",
    &[
        Field::given("facts", &FACTS),
        Field::given("decision", &DECISION),
        Field::given("rules", &EXPLANATIONS),
    ],
    "What the rules decide for one shipment, and why.",
);
static EVALUATION_LIST: Shape = Shape::list(
    &EVALUATION,
    EVALUATIONS_MAX,
    "One entry for each location from which the order is shipped; for a shipment, one.",
);
/// The answer to a request to evaluate the rules.
pub static EVALUATIONS: Shape = Shape::object(
    "ShippingRuleEvaluations",
    &[Field::given("data", &EVALUATION_LIST)],
    "What the rules decide.",
);
