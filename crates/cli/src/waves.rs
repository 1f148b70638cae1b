//! `dockside waves`: lists waves, and shows one with what came of its orders.

use clap::{Args, Subcommand};

use crate::common::{Common, part};
use crate::failure::Failure;
use crate::list::{Filters, List, Listing, Paging};
use crate::operation::{GET_WAVE, LIST_WAVE_ORDERS, LIST_WAVES, Operation};
use crate::server::Call;
use crate::view::{Field, Kind};

#[derive(Subcommand)]
pub enum Waves {
    /// List waves, newest first.
    List(Box<List<WaveList>>),
    /// Show how far a wave is, and why orders were not processed.
    Show {
        #[command(flatten)]
        wave: Wave,
        #[command(flatten)]
        common: Common,
    },
    /// List the orders of a wave with what came of each.
    Orders {
        #[command(flatten)]
        wave: Wave,
        #[command(flatten)]
        filters: Filters<OrderList>,
        #[command(flatten)]
        paging: Paging,
        #[command(flatten)]
        common: Common,
    },
}

#[derive(Args)]
pub struct Wave {
    /// The wave: its id (wave_…).
    #[arg(value_name = "WAVE")]
    wave: String,
}

pub struct WaveList;

impl Listing for WaveList {
    const OPERATION: &'static Operation = &LIST_WAVES;
    const NOUN: &'static str = "waves";
    const FIELDS: &'static [Field] = &[
        Field::new("ID", Kind::Word, &["/id"]),
        Field::new("NAME", Kind::Text, &["/name"]),
        Field::new("STATUS", Kind::Status, &["/status"]),
        Field::new("ORDERS", Kind::Number, &["/orders_count"]),
        Field::new("DONE", Kind::Number, &["/done_count"]),
        Field::new("EXCEPTIONS", Kind::Number, &["/exceptions_count"]),
        Field::new("SHIPMENTS", Kind::Number, &["/shipments_count"]),
        Field::new("CREATED", Kind::Time, &["/created_at"]),
    ];
}

pub struct OrderList;

impl Listing for OrderList {
    const OPERATION: &'static Operation = &LIST_WAVE_ORDERS;
    const NOUN: &'static str = "orders";
    const FIELDS: &'static [Field] = &[
        Field::new("POSITION", Kind::Number, &["/position"]),
        Field::new("ORDER", Kind::Word, &["/order_id"]),
        Field::new("NUMBER", Kind::Text, &["/reference"]),
        Field::new("RESULT", Kind::Status, &["/result"]),
        Field::new("STEP", Kind::Word, &["/step"]),
        Field::new("CODE", Kind::Word, &["/code"]),
        Field::new("MESSAGE", Kind::Text, &["/message"]),
    ];
}

pub const WAVE: &[Field] = &[
    Field::new("Wave", Kind::Word, &["/id"]),
    Field::new("Name", Kind::Text, &["/name"]),
    Field::new("Status", Kind::Status, &["/status"]),
    Field::new("Steps", Kind::Text, &["/steps"]),
    Field::new("Orders", Kind::Number, &["/orders_count"]),
    Field::new("Waiting", Kind::Number, &["/pending_count"]),
    Field::new("Done", Kind::Number, &["/done_count"]),
    Field::new("Exceptions", Kind::Number, &["/exceptions_count"]),
    Field::new("Cancelled", Kind::Number, &["/cancelled_count"]),
    Field::new("Shipments", Kind::Number, &["/shipments_count"]),
    Field::new("Batches", Kind::Text, &["/batch_ids"]),
    Field::new("Started", Kind::Time, &["/started_at"]),
    Field::new("Ended", Kind::Time, &["/ended_at"]),
];

pub const EXCEPTIONS: &[Field] = &[
    Field::new("EXCEPTION", Kind::Word, &["/code"]),
    Field::new("ORDERS", Kind::Number, &["/orders_count"]),
];

pub const ERRORS: &[Field] = &[
    Field::new("BATCH", Kind::Word, &["/batch_id"]),
    Field::new("ERROR", Kind::Word, &["/code"]),
    Field::new("MESSAGE", Kind::Text, &["/message"]),
];

pub async fn run(command: Waves) -> Result<(), Failure> {
    match command {
        Waves::List(list) => list.run().await,
        Waves::Show { wave, common } => {
            let server = common.open()?;
            let answer = server.call(Call::new(&GET_WAVE).id(wave.wave)).await?;
            common.show(&answer, WAVE, |screen, wave| {
                format!(
                    "{}{}",
                    part(screen, EXCEPTIONS, &wave["exceptions"]),
                    part(screen, ERRORS, &wave["errors"])
                )
            })
        }
        Waves::Orders { wave, filters, paging, common } => {
            let server = common.open()?;
            paging.show::<OrderList>(&server, &common, &[&wave.wave], &filters.query).await
        }
    }
}
