//! `/orders/{order_id}/shipments`, and what becomes of such shipments: `/shipments/{shipment_id}/…`.

use http::StatusCode;
use model::fulfilment::order_shipment::{ORDER_SHIPMENTS_INPUT, OrderShipmentsInput};
use model::fulfilment::shipping_rule::EVALUATION;
use model::orders::order::ORDER_ID;
use model::shipping::shipment::{SHIPMENT, SHIPMENT_ID};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::response::Response;

pub fn routes() -> Vec<HandledRoute> {
    let write = Access::scope("shipments:write");
    vec![
        Route::post("/orders/{order_id}/shipments", write, "create_order_shipments", "Make shipments from an order")
            .about("Makes a draft for each location that has open allocations of the order, from the location configuration whose origin it is, to the order's destination. Packages are given or packed, customs items come from the items, the shipping rules choose service and options. All or nothing. Units that are not on hand, or that other shipments hold, are refused. The token also needs `orders:read` and `allocations:read`.")
            .id(&ORDER_ID)
            .body(Body::Optional(&ORDER_SHIPMENTS_INPUT))
            .success(Success::Many(StatusCode::CREATED, &SHIPMENT))
            .refusals(&[
                Code::NothingToShip,
                Code::InsufficientStock,
                Code::OrderNotCommitted,
                Code::OrderCancelled,
                Code::OrderOnHold,
                Code::OrderBlocked,
                Code::OrderChanged,
                Code::HeldByRule,
                Code::AllocationCompleted,
                Code::AllocationInShipment,
                Code::AllocationNotFound,
                Code::DuplicateAllocation,
                Code::DestinationMissing,
                Code::LocationConfigurationMissing,
                Code::LocationConfigurationAmbiguous,
                Code::PackagesExceedAllocations,
                Code::PackagesNeedLocation,
                Code::PackageTypeNotFound,
                Code::PackageTypeMissing,
                Code::ItemMassMissing,
                Code::TooManyUnits,
                Code::CustomsDataMissing,
                Code::CustomsCurrencyMixed,
            ])
            .to(create_order_shipments),
        Route::get(
            "/shipments/{shipment_id}/rule_evaluation",
            Access::scope("shipping_rules:read"),
            "get_shipment_rule_evaluation",
            "Get what the shipping rules decided for a shipment",
        )
            .about("What the rules decided when the shipment was made from an order, and why, rule by rule. Rules that were changed or deleted since are shown as they were. A shipment that was not made from an order has none. The token also needs `shipments:read`.")
            .id(&SHIPMENT_ID)
            .success(Success::Answer(&EVALUATION))
            .refusals(&[Code::RuleEvaluationNotFound])
            .to(get_shipment_rule_evaluation),
        Route::post(
            "/shipments/{shipment_id}/hand_over",
            Access::scope("packing:write"),
            "hand_over_shipment",
            "Record that the carrier has a shipment",
        )
            .about("For carriers with neither manifests nor tracking. If the shipment's `complete_allocations_on` is `hand_over`, its allocations are completed and their stock is taken. Repeating it changes nothing. The token also needs `shipments:read`.")
            .id(&SHIPMENT_ID)
            .success(Success::Resource(&SHIPMENT))
            .refusals(&[Code::ShipmentPurchasing, Code::ShipmentNotPurchased, Code::ShipmentVoided])
            .to(hand_over_shipment),
    ]
}

async fn create_order_shipments(call: Call) -> Result<Response> {
    let order = call.id()?;
    let input: OrderShipmentsInput = call.optional_input()?;
    let reply = call.service().order_shipments.create(call.command()?, order, input).await?;
    respond::reply(&call, reply)
}

async fn get_shipment_rule_evaluation(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().order_shipments.get_evaluation(call.caller()?, id).await?;
    respond::reply(&call, reply)
}

async fn hand_over_shipment(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().hand_overs.create(call.command()?, id).await?;
    respond::reply(&call, reply)
}
