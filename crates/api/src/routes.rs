//! The table of routes: the rows of every area, in the order of the documentation.

use crate::access::route::Route;
use crate::access::table::HandledRoute;
use crate::access::{access_tokens, oauth, organisations};
use crate::docs;
use crate::events::{
    connection, events, openid, passkeys, password_resets, revocations, roles, sessions, users,
    webhook_endpoints,
};
use crate::exchange::{cost_reports, exports, imports, sample_data, search, summary};
use crate::fulfilment::{
    branding, order_shipments, package_types, packings, papers, print_jobs, printers, scans, shipping_rules,
    waves,
};
use crate::orders::{allocations, order_progress, orders};
use crate::places::{location_configurations, locations};
use crate::server::{console, system};
use crate::shipping::{batch_labels, batches, carrier_webhooks, carriers, files, manifests, shipments};
use crate::stock::inventory_items;

/// Returns every route of the OpenAPI document.
pub fn all() -> Vec<Route> {
    published().into_iter().map(|row| row.route).collect()
}

/// Returns the routes of event streams. They are not part of the OpenAPI document, because they lead to a protocol of
/// their own.
pub fn connections() -> Vec<Route> {
    streams().into_iter().map(|row| row.route).collect()
}

/// Returns every route of the OpenAPI document with its handler.
pub(crate) fn published() -> Vec<HandledRoute> {
    [
        locations::routes(),
        location_configurations::routes(),
        inventory_items::routes(),
        orders::routes(),
        order_progress::routes(),
        allocations::routes(),
        packings::routes(),
        order_shipments::routes(),
        package_types::routes(),
        carriers::routes(),
        carrier_webhooks::routes(),
        shipments::routes(),
        scans::routes(),
        batches::routes(),
        batch_labels::routes(),
        manifests::routes(),
        shipping_rules::routes(),
        waves::routes(),
        imports::routes(),
        exports::routes(),
        search::routes(),
        summary::routes(),
        cost_reports::routes(),
        sample_data::routes(),
        papers::routes(),
        printers::routes(),
        print_jobs::routes(),
        events::routes(),
        webhook_endpoints::routes(),
        access_tokens::routes(),
        revocations::routes(),
        users::routes(),
        roles::routes(),
        sessions::routes(),
        password_resets::routes(),
        passkeys::routes(),
        openid::routes(),
        organisations::routes(),
        branding::routes(),
        oauth::routes(),
        files::routes(),
        system::routes(),
        docs::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the routes of event streams with their handlers.
pub(crate) fn streams() -> Vec<HandledRoute> {
    connection::routes()
}

/// Returns the routes of the console, and of signing in at the identity provider, with their handlers. They are not part of the OpenAPI document, because they lead
/// to pages for people.
pub(crate) fn pages() -> Vec<HandledRoute> {
    let mut pages = console::routes();
    pages.extend(openid::pages());
    pages.push(exports::unknown());
    pages
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_operation_id_names_one_route() {
        let routes: Vec<Route> = all().into_iter().chain(connections()).collect();
        let ids: HashSet<&str> = routes.iter().map(|route| route.operation).collect();
        assert_eq!(ids.len(), routes.len());
        let is_name = |id: &&str| id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        assert!(ids.iter().all(is_name), "{ids:?}");
    }
}
