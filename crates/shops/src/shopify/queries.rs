//! The queries and mutations. Shopify refuses a query that may return too many objects, so lists are short and nested
//! lists are few.

pub const TEST: &str =
    "query { shop { name currencyCode } currentAppInstallation { accessScopes { handle } } }";

/// The fields of an order without its lines.
macro_rules! order_fields {
    () => {
        "id name updatedAt createdAt processedAt cancelledAt displayFinancialStatus displayFulfillmentStatus currencyCode \
         taxesIncluded test note tags email phone shippingLine { title } \
         shippingAddress { name company address1 address2 city province provinceCode zip countryCodeV2 phone } \
         billingAddress { name company address1 address2 city province provinceCode zip countryCodeV2 phone } "
    };
}

/// The fields of a line.
macro_rules! line_fields {
    () => {
        "nodes { id sku name quantity currentQuantity requiresShipping variant { id barcode } \
         discountedUnitPriceAfterAllDiscountsSet { shopMoney { amount } } taxLines { priceSet { shopMoney { amount } } } } \
         pageInfo { hasNextPage endCursor } "
    };
}

/// Orders and lines of a page of changes. An order with more lines is fetched alone.
pub const ORDERS: &str = concat!(
    "query($after: String, $query: String!) { orders(first: 8, after: $after, sortKey: UPDATED_AT, query: $query) { nodes { ",
    order_fields!(),
    "lineItems(first: 15) { ",
    line_fields!(),
    "} } pageInfo { hasNextPage endCursor } } }"
);

pub const ORDER: &str = concat!(
    "query($id: ID!, $after: String) { order(id: $id) { ",
    order_fields!(),
    "lineItems(first: 50, after: $after) { ",
    line_fields!(),
    "} } }"
);

pub const FULFILMENTS: &str = "query($id: ID!) { order(id: $id) { id cancelledAt \
    fulfillments(first: 100) { id status trackingInfo(first: 5) { number } } } }";

pub const FULFILMENT_LINES: &str = "query($id: ID!, $after: String) { fulfillment(id: $id) { \
    fulfillmentLineItems(first: 100, after: $after) { nodes { quantity lineItem { id } } pageInfo { hasNextPage endCursor } } } }";

pub const FULFILMENT_ORDERS: &str = "query($id: ID!, $after: String) { order(id: $id) { \
    fulfillmentOrders(first: 50, after: $after) { nodes { id status assignedLocation { location { id } } } \
    pageInfo { hasNextPage endCursor } } } }";

pub const FULFILMENT_ORDER_LINES: &str = "query($id: ID!, $after: String) { fulfillmentOrder(id: $id) { \
    lineItems(first: 100, after: $after) { nodes { id remainingQuantity lineItem { id } } pageInfo { hasNextPage endCursor } } } }";

pub const CREATE_FULFILMENT: &str = "mutation($fulfillment: FulfillmentInput!) { \
    fulfillmentCreate(fulfillment: $fulfillment) { fulfillment { id status } userErrors { field message } } }";

pub const CANCEL_FULFILMENT: &str = "mutation($id: ID!) { \
    fulfillmentCancel(id: $id) { fulfillment { id status } userErrors { field message } } }";

pub const VARIANTS: &str = "query($after: String, $query: String!, $location: ID!) { \
    productVariants(first: 50, after: $after, query: $query) { nodes { id sku inventoryItem { id tracked \
    inventoryLevel(locationId: $location) { quantities(names: [\"available\"]) { name quantity } } } } \
    pageInfo { hasNextPage endCursor } } }";

pub const SET_QUANTITIES: &str = "mutation($input: InventorySetQuantitiesInput!, $key: String!) { \
    inventorySetQuantities(input: $input) @idempotent(key: $key) { userErrors { code field message } } }";
