//! What shipments need to know of an order.

use serde::Deserialize;

use crate::orders::order::Destination;
use crate::orders::order_line::OrderLine;

/// The fields of an order's document that shipments need.
#[derive(Deserialize, Clone)]
pub struct OrderToShip {
    pub reference: Option<String>,
    pub destination: Option<Destination>,
    #[serde(default)]
    pub lines: Vec<OrderLine>,
    pub currency_code: Option<String>,
}
