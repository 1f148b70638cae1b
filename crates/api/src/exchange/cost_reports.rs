//! `/reports/costs`.

use model::exchange::cost_report::{COST_REPORT, DIMENSION_WORDS, Dimension, Grouping};
use model::places::closing::SHIP_DATE;
use model::{Code, Day, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{Parameter, ParameterKind};
use crate::platform::query;
use crate::platform::response::Response;

const GROUP_BY: &str = "group_by";
const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "from",
        about: "The first day, such as `2026-11-01`, in the organisation's time zone. Without it, the report covers the 30 days up to `to`.",
        kind: ParameterKind::One(&SHIP_DATE),
    },
    Parameter {
        name: "to",
        about: "The last day, which is included. Without it, today. A report covers at most 366 days.",
        kind: ParameterKind::One(&SHIP_DATE),
    },
    Parameter {
        name: GROUP_BY,
        about: "What the shipments of a group have in common: any of these words in any order, separated by commas. Without it, `carrier`. `service` brings `carrier` with it.",
        kind: ParameterKind::Words(&DIMENSION_WORDS),
    },
];

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::get("/reports/costs", Access::scope("shipments:read"), "get_cost_report", "Report costs")
            .about("Sums what carriers charged for the shipments that were bought on some days, what they gave back for voided ones, and what remains, for each group and currency. A charge belongs to the day on which the shipment was bought, in the organisation's time zone, and so does what is given back for it, whenever it was voided. A shipment counts as voided once its carrier has agreed. The amounts are the `cost` of the shipments, and those of labels that a carrier sold twice. Amounts are whole numbers of the currency's smallest unit and exact.")
            .parameters(PARAMETERS)
            .success(Success::Answer(&COST_REPORT))
            .refusals(&[Code::ReportTooLarge])
            .to(get_cost_report),
    ]
}

async fn get_cost_report(call: Call) -> Result<Response> {
    let mut named = Vec::new();
    for word in call.query.many(GROUP_BY) {
        let refuse = || query::refuse_word(GROUP_BY, &word, DIMENSION_WORDS.iter().copied());
        named.push(Dimension::parse(&word).ok_or_else(refuse)?);
    }
    let (from, to) = (day(&call, "from")?, day(&call, "to")?);
    let reply = call.service().cost_reports.get(call.caller()?, from, to, Grouping::new(named)).await?;
    respond::reply(&call, reply)
}

fn day(call: &Call, name: &str) -> Result<Option<Day>> {
    let Some(text) = call.query.one(name) else { return Ok(None) };
    let refuse = || query::refuse(name, "Must be a day of the calendar, such as `2026-11-01`.");
    Day::parse(text).map(Some).ok_or_else(|| refuse().into())
}
