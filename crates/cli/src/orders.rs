//! `dockside orders`: lists orders, shows one, and puts it on hold or releases it.

use clap::{Args, Subcommand};
use serde_json::json;

use crate::common::{Common, part};
use crate::failure::Failure;
use crate::find;
use crate::list::{List, Listing};
use crate::operation::{GET_ORDER, HOLD_ORDER, LIST_ORDERS, Operation, RELEASE_ORDER};
use crate::server::{Answer, Call};
use crate::view::{Field, Kind};

#[derive(Subcommand)]
pub enum Orders {
    /// List orders, newest first.
    List(Box<List<OrderList>>),
    /// Show an order with its lines and exceptions.
    Show {
        #[command(flatten)]
        order: Order,
    },
    /// Put an order on hold: it is not planned until it is released.
    Hold {
        #[command(flatten)]
        order: Order,
        /// Why, in your own words, such as address_check.
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// When the server ends the hold by itself, such as 2026-11-01T09:00:00Z. Without it, release the order yourself.
        #[arg(long, value_name = "TIME")]
        until: Option<String>,
    },
    /// Release an order from its hold.
    Release {
        #[command(flatten)]
        order: Order,
    },
}

/// An order, and how to call the server.
#[derive(Args)]
pub struct Order {
    /// The order: its id (ord_…) or its number in your shop.
    #[arg(value_name = "ORDER")]
    order: String,
    #[command(flatten)]
    common: Common,
}

pub struct OrderList;

impl Listing for OrderList {
    const OPERATION: &'static Operation = &LIST_ORDERS;
    const NOUN: &'static str = "orders";
    const FIELDS: &'static [Field] = &[
        Field::new("ID", Kind::Word, &["/id"]),
        Field::new("NUMBER", Kind::Text, &["/reference"]),
        Field::new("STATUS", Kind::Status, &["/status"]),
        Field::new("FULFILMENT", Kind::Status, &["/fulfilment/status"]),
        Field::new("CUSTOMER", Kind::Text, CUSTOMER),
        Field::new("PLACED", Kind::Time, &["/placed_at", "/created_at"]),
        Field::new("ON HOLD", Kind::Text, &["/hold/reason"]),
    ];
}

const CUSTOMER: &[&str] =
    &["/customer/name", "/customer/company", "/destination/contact/name", "/destination/contact/company"];

pub const ORDER: &[Field] = &[
    Field::new("Order", Kind::Word, &["/id"]),
    Field::new("Number", Kind::Text, &["/reference"]),
    Field::new("Status", Kind::Status, &["/status"]),
    Field::new("Fulfilment", Kind::Status, &["/fulfilment/status"]),
    Field::new("On hold", Kind::Text, &["/hold/reason"]),
    Field::new("Until", Kind::Time, &["/hold/until"]),
    Field::new("Customer", Kind::Text, CUSTOMER),
    Field::new("Email", Kind::Text, &["/customer/email_address"]),
    Field::new("Street", Kind::Text, &["/destination/address/line_1"]),
    Field::new("Post code", Kind::Text, &["/destination/address/post_code"]),
    Field::new("City", Kind::Text, &["/destination/address/city"]),
    Field::new("Country", Kind::Text, &["/destination/address/country_code"]),
    Field::new("Channel", Kind::Text, &["/channel"]),
    Field::new("Service", Kind::Text, &["/requested_service"]),
    Field::new("Placed", Kind::Time, &["/placed_at", "/created_at"]),
    Field::new("Ship by", Kind::Time, &["/ship_by"]),
    Field::new("Tags", Kind::Text, &["/tags"]),
    Field::new("Shipments", Kind::Text, &["/fulfilment/shipment_ids"]),
];

pub const LINES: &[Field] = &[
    Field::new("SKU", Kind::Text, &["/sku"]),
    Field::new("ITEM", Kind::Text, &["/name", "/item_id"]),
    Field::new("QUANTITY", Kind::Number, &["/quantity"]),
];

/// An order without lines has its items alone.
pub const ITEMS: &[Field] =
    &[Field::new("ITEM", Kind::Word, &["/id"]), Field::new("QUANTITY", Kind::Number, &["/quantity"])];

pub const EXCEPTIONS: &[Field] = &[
    Field::new("EXCEPTION", Kind::Word, &["/code"]),
    Field::new("BLOCKS", Kind::Flag, &["/is_blocking"]),
    Field::new("RESOLVED", Kind::Time, &["/resolved_at"]),
    Field::new("MESSAGE", Kind::Text, &["/message"]),
];

pub async fn run(command: Orders) -> Result<(), Failure> {
    match command {
        Orders::List(list) => list.run().await,
        Orders::Show { order } => order.call(&GET_ORDER, |call| call).await,
        Orders::Hold { order, reason, until } => {
            let hold = json!({ "reason": reason, "until": until });
            order.call(&HOLD_ORDER, |call| call.json(&hold)).await
        }
        Orders::Release { order } => order.call(&RELEASE_ORDER, |call| call).await,
    }
}

impl Order {
    /// Calls an operation on the order, and shows the order that it answers with.
    async fn call(
        &self,
        operation: &'static Operation,
        with: impl FnOnce(Call) -> Call,
    ) -> Result<(), Failure> {
        let server = self.common.open()?;
        let id = find::order(&server, &self.order).await?;
        let answer: Answer = server.call(with(Call::new(operation).id(id))).await?;
        self.common.show(&answer, ORDER, |screen, order| {
            let has_lines = order["lines"].as_array().is_some_and(|lines| !lines.is_empty());
            let (fields, entries) =
                if has_lines { (LINES, &order["lines"]) } else { (ITEMS, &order["items"]) };
            format!("{}{}", part(screen, fields, entries), part(screen, EXCEPTIONS, &order["exceptions"]))
        })
    }
}
