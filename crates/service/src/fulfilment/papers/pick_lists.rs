//! Pick lists: what to collect at each location for some shipments, in the order of the walk.

use std::collections::BTreeMap;
use std::sync::Arc;

use labels::{Destination, PickLine, PickList};
use model::fulfilment::warehouse_paper::{PaperFormat, PaperKey};
use model::shipping::document::DocumentType;
use model::stock::bin::compare_bins;
use model::{Code, Error, Id, InventoryItem, Location, Owner, Result, ensure};
use serde::Deserialize;
use store::fulfilment::warehouse_papers;
use store::places::locations;

use super::gather::{Gathered, GatheredShipment};
use super::{Papers, page_size};

/// Destinations that a line names. The others are counted.
const DESTINATIONS_MAX: usize = 40;
/// The name of the list of shipments whose origin was given as an address.
const NO_LOCATION: &str = "Other addresses";

/// What to collect of one item.
#[derive(Default)]
struct Collected {
    quantity: i64,
    destinations: Vec<Destination>,
    more: usize,
}

/// What to collect at one location.
#[derive(Default)]
struct Walk {
    shipments: usize,
    items: BTreeMap<Id<InventoryItem>, Collected>,
}

/// What a list needs of a location.
#[derive(Deserialize)]
struct LocationText {
    name: String,
}

impl Papers {
    /// Draws one pick list for each location that shipments leave from. `subject` says on the paper what they are for.
    pub(super) async fn pick_lists(
        &self,
        owner: Owner,
        gathered: Gathered,
        format: PaperFormat,
        part: Option<usize>,
        subject: &str,
    ) -> Result<Vec<(PaperKey, Vec<u8>)>> {
        let walks = walks(&gathered.shipments);
        ensure(!walks.is_empty(), Code::NothingToPick)?;
        let (fonts, brand) = self.brand(&gathered).await?;
        let gathered = Arc::new(gathered);
        let mut lists = Vec::with_capacity(walks.len());
        for (location, walk) in walks {
            let (name, bins) = self.place(owner, location, &walk).await?;
            let key = PaperKey {
                r#type: DocumentType::PickList,
                format,
                part,
                location: location.map(|id| (id, name.clone())),
            };
            let subject = match part {
                Some(part) => format!("{subject}, part {part}"),
                None => subject.to_owned(),
            };
            let (gathered, fonts, brand) = (Arc::clone(&gathered), Arc::clone(&fonts), Arc::clone(&brand));
            let core = self.drawing.acquire().await?;
            // The permit moves along: if the request is given up, drawing goes on until its end.
            let draw = move || {
                let _core = core;
                let list = PickList {
                    location: name,
                    subject,
                    shipments: walk.shipments,
                    lines: lines(&gathered, walk.items, &bins),
                };
                labels::pick_list(&list, &brand, page_size(format), &fonts)
            };
            let bytes =
                tokio::task::spawn_blocking(draw).await.map_err(Error::fault)?.map_err(Error::fault)?;
            lists.push((key, bytes));
        }
        Ok(lists)
    }

    /// Returns the name of a location, and the bins of the items that are collected there.
    async fn place(
        &self,
        owner: Owner,
        location: Option<Id<Location>>,
        walk: &Walk,
    ) -> Result<(String, BTreeMap<Id<InventoryItem>, String>)> {
        let Some(location) = location else { return Ok((NO_LOCATION.to_owned(), BTreeMap::new())) };
        let items: Vec<Id<InventoryItem>> = walk.items.keys().copied().collect();
        let read = self.context.db().read(owner, async move |tx| {
            let stored = locations::get(tx, owner, location).await?;
            let bins = warehouse_papers::bins(tx, owner, location, &items).await?;
            Ok((stored.map(|stored| stored.doc), bins.into_iter().collect()))
        });
        let (doc, bins) = read.await?;
        let text =
            doc.map(|doc| serde_json::from_str::<LocationText>(&doc).map_err(Error::fault)).transpose()?;
        // A location that was deleted meanwhile has its id for a name.
        Ok((text.map_or_else(|| location.to_string(), |text| text.name), bins))
    }
}

/// Sums what is to be collected at each location. Shipments that name no inventory items are left out.
fn walks(shipments: &[GatheredShipment]) -> BTreeMap<Option<Id<Location>>, Walk> {
    let mut walks: BTreeMap<Option<Id<Location>>, Walk> = BTreeMap::new();
    for shipment in shipments {
        let packages = &shipment.shipment.details.packages;
        if packages.iter().all(|package| package.items.is_empty()) {
            continue;
        }
        let walk = walks.entry(shipment.origin).or_default();
        walk.shipments += 1;
        let reference = shipment.reference();
        for (number, package) in (1..).zip(packages) {
            let name = match packages.len() {
                1 => reference.clone(),
                count => format!("{reference} ({number}/{count})"),
            };
            for item in &package.items {
                let collected = walk.items.entry(item.id).or_default();
                collected.quantity = collected.quantity.saturating_add(item.quantity);
                if collected.destinations.len() < DESTINATIONS_MAX {
                    collected.destinations.push(Destination { name: name.clone(), quantity: item.quantity });
                } else {
                    collected.more += 1;
                }
            }
        }
    }
    walks
}

/// Returns the lines of a list, by bin and then by SKU.
fn lines(
    gathered: &Gathered,
    items: BTreeMap<Id<InventoryItem>, Collected>,
    bins: &BTreeMap<Id<InventoryItem>, String>,
) -> Vec<PickLine> {
    let line = |(id, collected): (Id<InventoryItem>, Collected)| {
        let text = gathered.item(id);
        PickLine {
            bin: bins.get(&id).cloned().unwrap_or_default(),
            sku: text.sku,
            name: text.name,
            quantity: collected.quantity,
            destinations: collected.destinations,
            more: collected.more,
        }
    };
    let mut lines: Vec<PickLine> = items.into_iter().map(line).collect();
    lines.sort_by(|a, b| compare_bins(&a.bin, &b.bin).then_with(|| compare_bins(&a.sku, &b.sku)));
    lines
}

#[cfg(test)]
mod tests {
    use model::Shipment;
    use model::fulfilment::branding::BrandingInput;
    use model::shipping::shipment::Status;
    use serde_json::json;

    use super::super::gather::ItemText;
    use super::*;

    fn item(number: u128) -> Id<InventoryItem> {
        Id::from_bits(number)
    }

    /// Returns a shipment from a location, with these items in each of its packages.
    fn shipment(number: u128, origin: Option<u128>, packages: &[&[(u128, i64)]]) -> GatheredShipment {
        let package = |items: &&[(u128, i64)]| {
            let items = items.iter().map(|(id, quantity)| json!({"id": item(*id), "quantity": quantity}));
            json!({"items": items.collect::<Vec<_>>()})
        };
        let address =
            json!({"address": {"line_1": "1 Quay Street", "city": "Bristol", "country_code": "GB"}});
        let id = Id::<Shipment>::from_bits(number);
        let moment = "2026-11-15T12:00:00Z";
        let shipment = json!({
            "id": id, "addresses": {"destination": address},
            "packages": packages.iter().map(package).collect::<Vec<_>>(),
            "rates": [], "errors": [], "status": "draft", "tracking_status": "unknown",
            "created_at": moment, "updated_at": moment,
        });
        GatheredShipment {
            id,
            status: Status::Draft,
            origin: origin.map(Id::from_bits),
            shipment: serde_json::from_value(shipment).unwrap(),
            order: Some(format!("ORD-{number}")),
        }
    }

    fn gathered(shipments: Vec<GatheredShipment>) -> Gathered {
        let text = |n: u128| (item(n), ItemText { sku: format!("SKU-{n}"), name: format!("Item {n}") });
        Gathered { shipments, items: (1..20).map(text).collect(), branding: BrandingInput::default() }
    }

    #[test]
    fn units_are_summed_per_location_and_say_where_they_go() {
        let shipments = vec![
            shipment(1, Some(7), &[&[(1, 2)], &[(1, 1), (2, 5)]]),
            shipment(2, Some(7), &[&[(1, 4)]]),
            shipment(3, None, &[&[(1, 9)]]),
            shipment(4, Some(8), &[&[]]),
        ];
        let walks = walks(&shipments);
        assert_eq!(walks.keys().collect::<Vec<_>>(), [&None, &Some(Id::from_bits(7))]);
        let walk = &walks[&Some(Id::from_bits(7))];
        assert_eq!((walk.shipments, walk.items[&item(1)].quantity, walk.items[&item(2)].quantity), (2, 7, 5));
        let to: Vec<String> = walk.items[&item(1)]
            .destinations
            .iter()
            .map(|to| format!("{} {}", to.quantity, to.name))
            .collect();
        assert_eq!(to, ["2 ORD-1 (1/2)", "1 ORD-1 (2/2)", "4 ORD-2"]);
    }

    #[test]
    fn lines_are_in_the_order_of_the_walk() {
        let all =
            gathered(vec![shipment(1, Some(7), &[&[(1, 1), (2, 1), (3, 1), (10, 1), (4, 1), (99, 1)]])]);
        let bins = [(1, "B-1"), (2, "A-10"), (3, "A-2")].map(|(id, bin)| (item(id), bin.to_owned()));
        let walk = walks(&all.shipments).into_values().next().unwrap();
        let lines = lines(&all, walk.items, &bins.into_iter().collect());
        let seen: Vec<(&str, &str)> =
            lines.iter().map(|line| (line.bin.as_str(), line.sku.as_str())).collect();
        // Items without a bin come last, by SKU. An item that was deleted has no SKU, and its id for a name.
        let expected =
            [("A-2", "SKU-3"), ("A-10", "SKU-2"), ("B-1", "SKU-1"), ("", "SKU-4"), ("", "SKU-10"), ("", "")];
        assert_eq!(seen, expected);
        assert_eq!(lines[5].name, item(99).to_string());
    }

    #[test]
    fn destinations_beyond_the_limit_are_counted() {
        let many = (1..=60).map(|number| shipment(number, None, &[&[(1, 1)]])).collect::<Vec<_>>();
        let walk = walks(&many).into_values().next().unwrap();
        let collected = &walk.items[&item(1)];
        assert_eq!((collected.quantity, collected.destinations.len(), collected.more), (60, 40, 20));
    }
}
