//! Counting a scan and undoing it, each in one transaction that locks the shipment.

use model::fulfilment::scan::{PackedPart, PackedUnits, SCANS_MAX, ScanInput, ScanResult};
use model::platform::problem::Issue;
use model::shipping::shipment::Status;
use model::{Code, Id, InventoryItem, Owner, Problem, Result, Scan, Shipment, ensure};
use store::Tx;
use store::fulfilment::scans::{self, ScanKey};
use store::shipping::shipments::{self, StoredShipment};

use super::answer::answer;
use super::codes::{ScannedCode, look_up};
use super::stored::read_scan;
use crate::access::caller::Caller;
use crate::events::events::EventLog;
use crate::platform::resource::{found, json};
use crate::shipping::shipments::{change_with_documents, documents_of, read_shipment, without_links};

/// How soon a job looks for a label that a scan asks to print. The request itself usually finds it before.
const PRINT_AFTER_SECONDS: i64 = 1;

/// Counts a scan, unless it is counted already. Returns the path of the scan, and the scan with how far the shipment is packed.
///
/// # Errors
///
/// Refuses a shipment that is voided or whose packages say nothing of their contents, and a `scan_id` of another request.
pub async fn count(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Id<Shipment>,
    input: &ScanInput,
    log: &EventLog,
) -> Result<(String, String)> {
    let owner = caller.owner;
    let (stored, shipment) = lock(tx, owner, id).await?;
    let mut packed = packed_units(tx, owner, id).await?;
    let key = ScanKey { owner, shipment: id, scan_id: input.scan_id.clone() };
    let location = format!("/shipments/{id}/scans/{}", input.scan_id);
    if let Some(known) = scans::get(tx, &key).await? {
        let scan = read_scan(&known)?;
        ensure_same(&scan, input)?;
        return Ok((location, answer(tx, owner, &shipment, &packed, &scan).await?));
    }
    ensure_scannable(tx, owner, &shipment, input).await?;
    let judged = judge(tx, owner, &shipment, &packed, input).await?;
    for part in &judged.parts {
        if let Some(item) = judged.item {
            packed.add(part.package, item, part.quantity);
        }
    }
    let is_counted = judged.result == ScanResult::Packed;
    let is_complete = is_counted && packed.progress(&shipment.details.packages).is_complete;
    let scan = insert(tx, caller, &key, input, &judged, is_complete, log).await?;
    let shipment = match is_complete {
        true => mark(tx, owner, &stored, &shipment, true, log).await?,
        false => shipment,
    };
    Ok((location, answer(tx, owner, &shipment, &packed, &scan).await?))
}

/// Undoes a scan. A shipment that is no longer complete loses its `packed_at`.
pub async fn undo(tx: &mut Tx<'_>, key: &ScanKey, log: &EventLog) -> Result<()> {
    let (stored, shipment) = lock(tx, key.owner, key.shipment).await?;
    ensure(scans::delete(tx, key).await?, Code::NotFound)?;
    let packed = packed_units(tx, key.owner, key.shipment).await?;
    if shipment.packed_at.is_some() && !packed.progress(&shipment.details.packages).is_complete {
        mark(tx, key.owner, &stored, &shipment, false, log).await?;
    }
    Ok(())
}

/// Returns the units that scans have counted of a shipment.
pub(crate) async fn packed_units(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<PackedUnits> {
    let mut packed = PackedUnits::default();
    for (package, item, quantity) in scans::packed(tx, owner, id).await? {
        packed.add(package, item, quantity);
    }
    Ok(packed)
}

/// Returns a shipment without locking it.
pub async fn read(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<Shipment> {
    read_shipment(&found(shipments::get(tx, owner, id).await?)?)
}

/// Locks a shipment, so that all scans of it are counted one after the other. Refuses a voided one.
async fn lock(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<(StoredShipment, Shipment)> {
    let stored = found(shipments::get_for_update_alone(tx, owner, id).await?)?;
    ensure(stored.status != Status::Voided, Code::ShipmentVoided)?;
    let shipment = read_shipment(&stored)?;
    Ok((stored, shipment))
}

/// Refuses another request under the name of a scan.
fn ensure_same(scan: &Scan, input: &ScanInput) -> Result<()> {
    if scan.is_of(input) {
        return Ok(());
    }
    let code = Code::ScanIdReused;
    let message = format!("It is the scan of `{}` at {}.", scan.code, scan.created_at);
    Err(Problem::field(code, Issue::new(code.as_str(), "/scan_id", message)).into())
}

async fn ensure_scannable(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: &Shipment,
    input: &ScanInput,
) -> Result<()> {
    ensure(!shipment.units().is_empty(), Code::NothingToScan)?;
    let count = shipment.details.packages.len();
    if input.package.is_some_and(|number| number as usize > count) {
        let code = Code::PackageNotFound;
        let message = format!("The shipment has {count} packages.");
        return Err(Problem::field(code, Issue::new(code.as_str(), "/package", message)).into());
    }
    let known = scans::count(tx, owner, shipment.id).await?;
    ensure(known < SCANS_MAX as i64, Code::TooManyScans)
}

/// What a scan means, and where its units count.
struct Judged {
    result: ScanResult,
    item: Option<Id<InventoryItem>>,
    parts: Vec<PackedPart>,
}

async fn judge(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: &Shipment,
    packed: &PackedUnits,
    input: &ScanInput,
) -> Result<Judged> {
    let item = match look_up(tx, owner, shipment, packed, &input.code).await? {
        ScannedCode::Item(item) => item,
        ScannedCode::Other(result) => return Ok(Judged { result, item: None, parts: Vec::new() }),
    };
    let placed = packed.place(&shipment.details.packages, item, input.package, input.quantity);
    Ok(match placed {
        Ok(parts) => Judged { result: ScanResult::Packed, item: Some(item), parts },
        Err(result) => Judged { result, item: Some(item), parts: Vec::new() },
    })
}

async fn insert(
    tx: &mut Tx<'_>,
    caller: &Caller,
    key: &ScanKey,
    input: &ScanInput,
    judged: &Judged,
    is_complete: bool,
    log: &EventLog,
) -> Result<Scan> {
    let mut scan = Scan {
        id: log.new_id(),
        scan_id: input.scan_id.clone(),
        shipment_id: key.shipment,
        code: input.code.clone(),
        package: input.package,
        quantity: input.quantity,
        then: input.then.clone(),
        result: judged.result,
        item_id: judged.item,
        purchase: None,
        print: None,
        user_id: caller.user,
        created_at: log.now(),
    };
    if is_complete {
        scan.begin_steps();
    }
    let due_at = scan.is_print_waiting().then(|| log.now().plus_seconds(PRINT_AFTER_SECONDS));
    scans::insert(tx, key, scan.id, &json(&scan)?, due_at).await?;
    if let Some(item) = judged.item {
        scans::insert_units(tx, key, item, &judged.parts).await?;
    }
    Ok(scan)
}

/// Records that a locked shipment is packed, or no longer is.
async fn mark(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    old: &Shipment,
    is_packed: bool,
    log: &EventLog,
) -> Result<Shipment> {
    let packed_at = is_packed.then(|| log.now());
    let new = Shipment { packed_at, updated_at: log.now(), ..old.clone() };
    let documents = without_links(&documents_of(tx, owner, &[stored]).await?);
    let event = if is_packed { "shipment.packed" } else { "shipment.updated" };
    change_with_documents(tx, owner, stored, &new, &documents, event, log).await?;
    Ok(new)
}
