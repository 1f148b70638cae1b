//! A purchase, and how it is read from a row.

use model::shipping::purchase::State;
use model::shipping::shipment::LabelFormat;
use model::{Batch, CarrierAccount, Day, Error, Id, Owner, PurchaseAttempt, Result, Shipment, Timestamp};

use crate::platform::engine::Row;

/// The columns that [`read`] expects.
macro_rules! columns {
    () => {
        "owner, id, shipment_id, account_id, service, reference, state, fence, sent_fence, sent_at, due_at, failures, \
         unknown_at, prepared, receipt, is_labelled, error, batch_id, label_format, created_at, updated_at, is_follow_up, \
         earlier_prepared, earlier_digest, crashes, resolution_note, ship_on"
    };
}
pub(super) use columns;

/// A purchase and its state.
#[derive(Clone, Debug)]
pub struct Purchase {
    pub owner: Owner,
    pub id: Id<PurchaseAttempt>,
    pub shipment: Id<Shipment>,
    pub account: Id<CarrierAccount>,
    /// The service's handle.
    pub service: String,
    /// The name under which the carrier knows it.
    pub reference: String,
    pub state: State,
    pub fence: i64,
    /// The fence under which it was last sent, and the time.
    pub sent_fence: i64,
    pub sent_at: Option<Timestamp>,
    pub due_at: Option<Timestamp>,
    pub failures: i64,
    pub unknown_at: Option<Timestamp>,
    pub prepared: Option<String>,
    /// As JSON.
    pub receipt: Option<String>,
    pub is_labelled: bool,
    /// Whether its shipment is shown as purchased, so that only follow-ups remain: a late label, duplicates,
    /// tracking.
    pub is_follow_up: bool,
    /// What an attempt that failed has prepared at the carrier.
    pub earlier: Option<Earlier>,
    /// As JSON.
    pub error: Option<String>,
    /// The batch that waits for its outcome.
    pub batch: Option<Id<Batch>>,
    /// The format in which a batch wants the label.
    pub label_format: Option<LabelFormat>,
    /// The mailing date. `None` in purchases of versions that stored none.
    pub ship_on: Option<Day>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The number of servers in a row that stopped while they held it. A claim counts it up, and a recorded answer resets it.
    pub crashes: i64,
    /// What the person said who resolved it.
    pub note: Option<String>,
}

/// A shipment that an earlier attempt prepared at the carrier. If that attempt was charged after all, the carrier refuses to
/// sell the same prepared shipment again, so the next attempt uses it too, unless its contents have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The carrier's id of it.
    pub prepared: String,
    /// A digest of the request that prepared it. Empty if an older version of Dockside did, which stored none.
    pub digest: String,
}

/// Reads a purchase from the columns of a row, the first of which has the number `first`.
pub(super) fn read(mut row: Row, first: usize) -> Result<Purchase> {
    let state = row.text(first + 6)?;
    let (prepared, digest) = (row.text_or_null(first + 22)?, row.text_or_null(first + 23)?);
    Ok(Purchase {
        owner: row.owner(first)?,
        id: row.id(first + 1)?,
        shipment: row.id(first + 2)?,
        account: row.id(first + 3)?,
        service: row.text(first + 4)?,
        reference: row.text(first + 5)?,
        state: State::parse(&state).ok_or_else(|| Error::fault("a purchase has no known state"))?,
        fence: row.int(first + 7)?,
        sent_fence: row.int(first + 8)?,
        sent_at: row.moment_or_null(first + 9)?,
        due_at: row.moment_or_null(first + 10)?,
        failures: row.int(first + 11)?,
        unknown_at: row.moment_or_null(first + 12)?,
        prepared: row.text_or_null(first + 13)?,
        receipt: row.text_or_null(first + 14)?,
        is_labelled: row.int(first + 15)? == 1,
        error: row.text_or_null(first + 16)?,
        batch: row.id_or_null(first + 17)?,
        label_format: row.text_or_null(first + 18)?.as_deref().and_then(LabelFormat::parse),
        created_at: row.moment(first + 19)?,
        updated_at: row.moment(first + 20)?,
        is_follow_up: row.int(first + 21)? == 1,
        crashes: row.int(first + 24)?,
        note: row.text_or_null(first + 25)?,
        ship_on: row.text_or_null(first + 26)?.as_deref().and_then(Day::parse),
        earlier: prepared.map(|prepared| Earlier { prepared, digest: digest.unwrap_or_default() }),
    })
}
