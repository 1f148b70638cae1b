//! `/shipping_rules`.

use model::fulfilment::shipping_rule::{
    EVALUATION_INPUT, EVALUATIONS, EvaluationInput, RULE_ORDER, RuleOrder, SHIPPING_RULE, SHIPPING_RULE_ID,
    ShippingRuleInput,
};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT};
use crate::platform::response::Response;

const COLLECTION: &str = "/shipping_rules";
const PATH: &str = "/shipping_rules/{shipping_rule_id}";
const LIST: &str = "data";

/// What a rule may name that does not exist.
const REFUSALS: &[Code] = &[
    Code::ShippingRuleEmpty,
    Code::LocationNotFound,
    Code::CarrierAccountNotFound,
    Code::CarrierServiceNotFound,
    Code::PackageTypeNotFound,
    Code::PrinterNotFound,
];

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("shipping_rules:read"), Access::scope("shipping_rules:write"));
    vec![
        Route::get(COLLECTION, read, "list_shipping_rules", "List shipping rules")
            .about("In the order of their positions: the first is asked first.")
            .parameters(const { &[LIMIT, CURSOR] })
            .success(Success::List(LIST, &SHIPPING_RULE))
            .to(list_shipping_rules),
        Route::post(COLLECTION, write, "create_shipping_rule", "Create a shipping rule")
            .about("The rule takes the `position` that it is given, and those from there on move by one; without one, it comes last. An organisation may have 1,000 rules in each world.")
            .body(Body::Json(&SHIPPING_RULE))
            .success(Success::Created(&SHIPPING_RULE))
            .refusals(const { &[REFUSALS[0], REFUSALS[1], REFUSALS[2], REFUSALS[3], REFUSALS[4], REFUSALS[5], Code::TooManyShippingRules] })
            .to(create_shipping_rule),
        Route::put("/shipping_rules/order", write, "reorder_shipping_rules", "Reorder the shipping rules")
            .about("Gives the rules the positions 1, 2, 3 and so on, in the order of the list, which must name every rule exactly once. Each rule that moves gets an event `shipping_rule.updated`.")
            .body(Body::Json(&RULE_ORDER))
            .success(Success::Answer(&RULE_ORDER))
            .refusals(&[Code::ShippingRuleOrderInvalid])
            .to(reorder_shipping_rules),
        Route::post("/shipping_rules/evaluate", read, "evaluate_shipping_rules", "Evaluate the shipping rules")
            .about("Tells what the rules decide for an order or a shipment, and rule by rule why it matched or not. Nothing is changed. An order is evaluated once for each location with open allocations of it, by what is shipped from there; without allocations, once without an origin.")
            .body(Body::Json(&EVALUATION_INPUT))
            .success(Success::Answer(&EVALUATIONS))
            .refusals(&[
                Code::OrderNotFound,
                Code::ShipmentNotFound,
                Code::LocationConfigurationNotFound,
            ])
            .to(evaluate_shipping_rules),
        Route::get(PATH, read, "get_shipping_rule", "Get a shipping rule")
            .id(&SHIPPING_RULE_ID)
            .success(Success::Resource(&SHIPPING_RULE))
            .to(get_shipping_rule),
        Route::patch(PATH, write, "update_shipping_rule", "Update a shipping rule")
            .about("Merges the body into the rule (RFC 7396): null removes a condition, and lists are replaced as a whole. With another `position`, the rules between move by one.")
            .id(&SHIPPING_RULE_ID)
            .body(Body::Patch(&SHIPPING_RULE))
            .success(Success::Resource(&SHIPPING_RULE))
            .refusals(REFUSALS)
            .to(update_shipping_rule),
        Route::delete(PATH, write, "delete_shipping_rule", "Delete a shipping rule")
            .about("The rules after it move up by one.")
            .id(&SHIPPING_RULE_ID)
            .to(delete_shipping_rule),
    ]
}

async fn list_shipping_rules(call: Call) -> Result<Response> {
    let query = call.list_query("shipping_rules", String::new())?;
    let listing = call.service().shipping_rules.list(call.caller()?, query).await?;
    respond::list(&call, LIST, listing)
}

async fn create_shipping_rule(call: Call) -> Result<Response> {
    let input: ShippingRuleInput = call.input()?;
    let reply = call.service().shipping_rules.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn reorder_shipping_rules(call: Call) -> Result<Response> {
    let order: RuleOrder = call.input()?;
    let reply = call.service().shipping_rules.reorder(call.command()?, order.ids).await?;
    respond::reply(&call, reply)
}

async fn evaluate_shipping_rules(call: Call) -> Result<Response> {
    let input: EvaluationInput = call.input()?;
    let reply = call.service().shipping_rules.evaluate(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_shipping_rule(call: Call) -> Result<Response> {
    let reply = call.service().shipping_rules.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_shipping_rule(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().shipping_rules.update(call.command()?, id, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_shipping_rule(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().shipping_rules.delete(call.command()?, id).await?;
    respond::reply(&call, reply)
}
