//! What the answer of `POST /sample_data` looks like.

use crate::platform::shape::{Field, Kind, MOMENT, Shape};

const STATUS_WORDS: [&str; 2] = ["running", "completed"];

static STATUS: Shape = Shape::new(
    Kind::OneOf(&STATUS_WORDS),
    "`completed` if the shop is there, `running` if some of it is still to be made: repeat the request to go on.",
)
.example(r#""completed""#);
static RESOURCE_NAME: Shape = Shape::new(
    Kind::OneOf(&super::task::KIND_WORDS),
    "What is counted. `order_plans` are orders whose items are allocated by a plan.",
)
.example(r#""orders""#);
static COUNT: Shape =
    Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "A number of resources.").example("120");
static COUNTS: Shape = Shape::object(
    "SampleDataCount",
    &[
        Field::given("name", &RESOURCE_NAME),
        Field::given("total_count", &COUNT).about("How many of this kind a complete shop has, such as 120 orders."),
        Field::given("present_count", &COUNT).about("How many of them are there, whichever request made them. What was deleted since is counted too, and not made again."),
        Field::given("created_count", &COUNT).about("How many of this kind were made by this request. A repeated one makes only what earlier ones left open."),
    ],
    "How much of one kind of resource is there.",
);
static RESOURCES: Shape = Shape::list(
    &COUNTS,
    super::task::KIND_WORDS.len(),
    "How much of each kind is there, in the order in which they are made.",
);
static KEY: Shape =
    Shape::text(1, 100, "Which part is meant: the kind of thing, and its own word behind the slash.")
        .example(r#""shipping_rule/express""#);
static CODE: Shape =
    Shape::text(1, 100, "Why it was refused: the `code` that a problem document of a request would have.")
        .example(r#""too_many_shipping_rules""#);
static REFUSED: Shape = Shape::object(
    "SampleDataRefusal",
    &[Field::given("name", &KEY), Field::given("code", &CODE)],
    "A part of the shop that was refused, as a request of yours would have been. It is not tried again.",
);
static REFUSALS: Shape = Shape::list(
    &REFUSED,
    1000,
    "What was refused, and why. Empty in an organisation with room for the shop.",
);

/// How much of the shop is there.
pub static SAMPLE_DATA: Shape = Shape::object(
    "SampleData",
    &[
        Field::given("status", &STATUS),
        Field::given("resources", &RESOURCES),
        Field::given("refused", &REFUSALS),
        Field::given("started_at", &MOMENT)
            .about("When the shop was begun. The times of its orders lie around this moment."),
        Field::given_or_null("completed_at", &MOMENT).about("When the last of it was made. Null until then."),
    ],
    "How much of the sample shop is there.",
);
