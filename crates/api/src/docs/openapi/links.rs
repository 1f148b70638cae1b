//! Links of the OpenAPI document: the operations that take an id that an answer contains.
//!
//! They follow from the route table. A path parameter has the shape of an identifier, whose prefix determines the
//! resource. An answer that contains an identifier with that prefix links to the operation.

use model::platform::shape::{Kind, Need, Shape};
use serde_json::{Map, Value, json};

use crate::access::route::{Route, Success};

/// Returns the links of a route's answer, by the operation that each leads to.
///
/// An operation is linked if the answer, or the path of its own request, has every id in the operation's path, and the
/// answer has at least one of them.
pub fn links(route: &Route, routes: &[Route]) -> Map<String, Value> {
    let Some((place, shape)) = resource(&route.success) else { return Map::new() };
    let mut links = Map::new();
    for target in routes.iter().filter(|target| !target.ids.is_empty()) {
        if let Some(parameters) = parameters(target, route, &place, shape) {
            let link = json!({ "operationId": target.operation, "parameters": parameters });
            links.insert(target.operation.to_owned(), link);
        }
    }
    links
}

/// Returns the JSON pointer to a resource in the answer, and the resource's shape. For a list, it points to the first
/// entry.
fn resource(success: &Success) -> Option<(String, &'static Shape)> {
    match success {
        Success::Created(shape) => Some((String::new(), shape)),
        Success::Many(_, shape) => Some(("/data/0".to_owned(), shape)),
        Success::List(name, shape) => Some((format!("/{name}/0"), shape)),
        _ => None,
    }
}

/// Returns an expression for each parameter in the target's path, or `None` if the answer does not determine one of
/// them.
fn parameters(
    target: &Route,
    route: &Route,
    place: &str,
    shape: &'static Shape,
) -> Option<Map<String, Value>> {
    let mut parameters = Map::new();
    let mut is_in_answer = false;
    for (name, id) in target.path_parameters() {
        let is_in_path = route.path_parameters().any(|(known, _)| known == name);
        let expression = if is_in_path {
            format!("$request.path.{name}")
        } else {
            is_in_answer = true;
            format!("$response.body#{place}/{}", field_with(shape, id)?)
        };
        parameters.insert(name.to_owned(), expression.into());
    }
    is_in_answer.then_some(parameters)
}

/// Returns the pointer to the identifier with the same prefix in a resource: its own `id`, the id of another resource that
/// it always refers to, or that of the first entry of one of its lists.
fn field_with(shape: &Shape, id: &Shape) -> Option<String> {
    if has_id(shape, id) {
        return Some("id".to_owned());
    }
    let mut fields = shape.fields().iter().filter(|field| matches!(field.need, Need::Required | Need::Given));
    let named = fields.find(|field| match &field.shape.kind {
        Kind::Identified { of, .. } => has_id(of, id),
        _ => has_id(field.shape, id),
    });
    if let Some(field) = named {
        return Some(format!("{}/id", field.name));
    }
    let mut fields = shape.fields().iter();
    let list = fields.find(|field| matches!(&field.shape.kind, Kind::List { of, .. } if has_id(of, id)));
    list.map(|field| format!("{}/0/id", field.name))
}

/// Returns whether the object's own `id` is an identifier with the same prefix.
fn has_id(object: &Shape, id: &Shape) -> bool {
    let own = object.fields().iter().find(|field| field.name == "id").map(|field| &field.shape.kind);
    matches!((own, &id.kind), (Some(Kind::Identifier(own)), Kind::Identifier(wanted)) if own == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes;

    fn links_of(operation: &str) -> Map<String, Value> {
        let routes = routes::all();
        let route = routes.iter().find(|route| route.operation == operation).expect("an operation");
        links(route, &routes)
    }

    #[test]
    fn every_operation_that_takes_an_id_is_linked() {
        let routes = routes::all();
        let linked: Vec<String> =
            routes.iter().flat_map(|route| links(route, &routes)).map(|(name, _)| name).collect();
        let takes_ids = |route: &&Route| {
            let is_id = |shape: &&Shape| matches!(shape.kind, Kind::Identifier(_));
            !route.ids.is_empty() && route.ids.iter().all(is_id)
        };
        for route in routes.iter().filter(takes_ids) {
            assert!(linked.iter().any(|name| name == route.operation), "{}", route.operation);
        }
    }

    #[test]
    fn a_new_resource_links_to_what_takes_its_id_under_any_path() {
        let links = links_of("create_order");
        for operation in ["get_order", "cancel_order", "create_order_allocations", "plan_order_allocations"] {
            assert_eq!(links[operation]["parameters"], json!({ "order_id": "$response.body#/id" }));
        }
    }

    #[test]
    fn a_list_links_by_its_first_entry_and_by_the_path_of_its_request() {
        assert_eq!(
            links_of("list_webhook_deliveries")["replay_webhook_delivery"]["parameters"],
            json!({
                "webhook_endpoint_id": "$request.path.webhook_endpoint_id",
                "webhook_delivery_id": "$response.body#/data/0/id",
            })
        );
        assert_eq!(
            links_of("list_inventory_levels")["adjust_inventory_level"]["parameters"],
            json!({
                "inventory_item_id": "$request.path.inventory_item_id",
                "location_id": "$response.body#/data/0/location/id",
            })
        );
    }
}
