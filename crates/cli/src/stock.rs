//! `dockside stock`: lists items and their levels, and changes what is on hand.

use std::io;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use crate::common::Common;
use crate::failure::Failure;
use crate::find;
use crate::list::{List, Listing};
use crate::operation::{
    ADJUST_INVENTORY_LEVEL, EXPORT_INVENTORY_LEVELS_NDJSON, LIST_INVENTORY_ITEMS, Operation,
    SET_INVENTORY_LEVEL,
};
use crate::screen::{Screen, note, print};
use crate::server::Call;
use crate::view::{self, Field, Kind};

#[derive(Subcommand)]
pub enum Stock {
    /// List inventory items, newest first.
    Items(Box<List<ItemList>>),
    /// List what is on hand, allocated and available at each location.
    Levels(Levels),
    /// Add what came to a level, or take what went.
    Adjust(Adjust),
    /// Set a level to what was counted.
    Set(Set),
}

#[derive(Args)]
pub struct Levels {
    /// The item: its SKU or its id (inv_…). Without it, all items.
    #[arg(value_name = "ITEM")]
    item: Option<String>,
    /// Only levels at this location: its name or its id (loc_…).
    #[arg(long, value_name = "LOCATION", help_heading = "Filters")]
    location: Option<String>,
    /// Only levels at or below their reorder point.
    #[arg(long, help_heading = "Filters")]
    low_stock: bool,
    #[command(flatten)]
    common: Common,
}

/// An item at a location, and how to call the server.
#[derive(Args)]
pub struct Place {
    /// The item: its SKU or its id (inv_…).
    #[arg(value_name = "ITEM")]
    item: String,
    /// The location: its name or its id (loc_…).
    #[arg(value_name = "LOCATION")]
    location: String,
}

#[derive(Args)]
pub struct Adjust {
    #[command(flatten)]
    place: Place,
    /// How many pieces came, such as 24, or went, such as -2.
    #[arg(value_name = "DELTA", allow_negative_numbers = true)]
    delta: i64,
    /// Why, in your own words, such as delivery.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Refuse the change unless so many pieces are on hand before it.
    #[arg(long, value_name = "N")]
    expected_on_hand: Option<i64>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub struct Set {
    #[command(flatten)]
    place: Place,
    /// How many pieces are there.
    #[arg(value_name = "ON_HAND", allow_negative_numbers = true)]
    on_hand: i64,
    /// Where at the location they lie, such as a shelf.
    #[arg(long, value_name = "TEXT")]
    bin: Option<String>,
    /// The quantity at which you want to order more.
    #[arg(long, value_name = "N")]
    reorder_point: Option<i64>,
    #[command(flatten)]
    common: Common,
}

pub struct ItemList;

impl Listing for ItemList {
    const OPERATION: &'static Operation = &LIST_INVENTORY_ITEMS;
    const NOUN: &'static str = "inventory items";
    const FIELDS: &'static [Field] = &[
        Field::new("ID", Kind::Word, &["/id"]),
        Field::new("SKU", Kind::Text, &["/sku"]),
        Field::new("NAME", Kind::Text, &["/name"]),
        Field::new("KG", Kind::Number, &["/mass"]),
        Field::new("BARCODES", Kind::Text, &["/barcodes"]),
    ];
}

/// The columns of the export of levels. They are those of its table, and the guide has them.
pub const LEVEL_ROWS: &[Field] = &[
    Field::new("SKU", Kind::Word, &["/sku", "/item_id"]),
    Field::new("LOCATION", Kind::Text, &["/location", "/location_id"]),
    Field::new("ON HAND", Kind::Number, &["/on_hand"]),
    Field::new("ALLOCATED", Kind::Number, &["/allocated"]),
    Field::new("AVAILABLE", Kind::Number, &["/available"]),
    Field::new("BIN", Kind::Text, &["/bin"]),
    Field::new("REORDER AT", Kind::Number, &["/reorder_point"]),
    Field::new("LOW", Kind::Flag, &["/low_stock"]),
];

pub const LEVEL: &[Field] = &[
    Field::new("Item", Kind::Word, &["/item/id"]),
    Field::new("Location", Kind::Word, &["/location/id"]),
    Field::new("On hand", Kind::Number, &["/on_hand"]),
    Field::new("Allocated", Kind::Number, &["/allocated"]),
    Field::new("Available", Kind::Number, &["/available"]),
    Field::new("Bin", Kind::Text, &["/bin"]),
    Field::new("Reorder at", Kind::Number, &["/reorder_point"]),
    Field::new("Low stock", Kind::Flag, &["/low_stock"]),
];

pub async fn run(command: Stock) -> Result<(), Failure> {
    match command {
        Stock::Items(list) => list.run().await,
        Stock::Levels(levels) => levels.run().await,
        Stock::Adjust(adjust) => adjust.run().await,
        Stock::Set(set) => set.run().await,
    }
}

impl Levels {
    /// Shows the rows of one snapshot, so that their sum is right although stock is moved meanwhile.
    async fn run(&self) -> Result<(), Failure> {
        let server = self.common.open()?;
        let mut call = Call::new(&EXPORT_INVENTORY_LEVELS_NDJSON);
        if let Some(item) = &self.item {
            call = call.query("item_id", find::item(&server, item).await?);
        }
        if let Some(location) = &self.location {
            call = call.query("location_id", find::location(&server, location).await?);
        }
        let mut body = Vec::new();
        let mut sink = |data: &[u8]| -> io::Result<()> {
            body.extend_from_slice(data);
            Ok(())
        };
        server.download(call, &mut sink).await?;
        let foreign =
            |_| Failure::refused(format!("{} answers with something other than levels", server.url()));
        let levels: Result<Vec<Value>, _> = serde_json::Deserializer::from_slice(&body).into_iter().collect();
        let mut levels = levels.map_err(foreign)?;
        if self.low_stock {
            levels.retain(|level| level["low_stock"] == true);
        }
        if self.common.json {
            return print(&levels.iter().map(|level| format!("{level}\n")).collect::<String>());
        }
        if levels.is_empty() {
            note("There are no levels.");
            return Ok(());
        }
        print(&view::rows(&Screen::new(), LEVEL_ROWS, &levels))
    }
}

impl Adjust {
    async fn run(&self) -> Result<(), Failure> {
        let body = json!({
            "delta": self.delta, "reason": self.reason, "expected_on_hand": self.expected_on_hand,
        });
        self.place.change(&self.common, &ADJUST_INVENTORY_LEVEL, &body).await
    }
}

impl Set {
    async fn run(&self) -> Result<(), Failure> {
        // What is not in the body stays as it is, and null would remove it.
        let mut body = Map::from_iter([("on_hand".to_owned(), json!(self.on_hand))]);
        body.extend(self.bin.as_ref().map(|bin| ("bin".to_owned(), json!(bin))));
        body.extend(self.reorder_point.map(|point| ("reorder_point".to_owned(), json!(point))));
        self.place.change(&self.common, &SET_INVENTORY_LEVEL, &Value::Object(body)).await
    }
}

impl Place {
    /// Changes the level, and shows what it is then.
    async fn change(
        &self,
        common: &Common,
        operation: &'static Operation,
        body: &Value,
    ) -> Result<(), Failure> {
        let server = common.open()?;
        let item = find::item(&server, &self.item).await?;
        let location = find::location(&server, &self.location).await?;
        let answer = server.call(Call::new(operation).id(item).id(location).json(body)).await?;
        common.show(&answer, LEVEL, |_, _| String::new())
    }
}
