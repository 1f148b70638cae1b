//! Sample data: a small shop that fills the test world, so that every page of the console has something to show.
//!
//! The shop is a list of tasks. Each has a key, by which it is known whether it was done, and a body as a client would send it. A
//! body names what an earlier task made by its key: `$location/bristol`. Everything in it is invented: customers are numbered, and
//! their addresses of e-mail belong to `example.com`.

mod goods;
mod orders;
mod shapes;
mod task;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::Timestamp;
pub use shapes::SAMPLE_DATA;
pub use task::{Kind, Task};

/// The scopes beside that of the route that a caller needs, because the shop is made as by requests of the caller.
pub const SCOPES: [&str; 12] = [
    "locations:write",
    "location_configurations:write",
    "package_types:write",
    "shipping_rules:write",
    "inventory:write",
    "orders:write",
    "allocations:write",
    "shipments:write",
    "waves:write",
    "batches:write",
    "batches:purchase",
    "manifests:write",
];

/// Returns the tasks in phases. A task names only what tasks of earlier phases make. Times lie before and after the moment at which
/// the shop was begun.
pub fn phases(begun_at: Timestamp) -> Vec<Vec<Task>> {
    let mut equipment = goods::configurations();
    equipment.extend(goods::package_types());
    equipment.extend(goods::shipping_rules());
    equipment.extend(goods::items());
    vec![
        goods::locations(),
        equipment,
        goods::levels(),
        orders::orders(begun_at),
        orders::troubles(),
        orders::waves(),
        orders::manifests(),
    ]
}

/// What is kept of the shop: when it was begun, and what came of each task.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct SampleProgress {
    pub started_at: Timestamp,
    pub completed_at: Option<Timestamp>,
    /// The id of what a task made, by its key. Empty for what has no id.
    pub made: BTreeMap<String, String>,
    /// The code with which a task was refused, by its key.
    pub refused: BTreeMap<String, String>,
}

impl SampleProgress {
    pub fn begin(now: Timestamp) -> Self {
        Self { started_at: now, completed_at: None, made: BTreeMap::new(), refused: BTreeMap::new() }
    }

    /// Returns whether something came of a task. It is not done again.
    pub fn is_done(&self, key: &str) -> bool {
        self.made.contains_key(key) || self.refused.contains_key(key)
    }

    /// Returns the body of a task with ids in place of keys. From lists, keys without an id are left out.
    ///
    /// # Errors
    ///
    /// Returns the code of the refusal of what the body names.
    pub fn resolve(&self, body: &Value) -> Result<Value, String> {
        Ok(match body {
            Value::String(text) => match text.strip_prefix('$') {
                Some(key) => Value::String(self.id_of(key)?.to_owned()),
                None => body.clone(),
            },
            Value::Array(entries) => entries.iter().filter_map(|entry| self.resolve(entry).ok()).collect(),
            Value::Object(fields) => {
                let resolved = fields.iter().map(|(name, value)| Ok((name.clone(), self.resolve(value)?)));
                Value::Object(resolved.collect::<Result<Map<_, _>, String>>()?)
            }
            other => other.clone(),
        })
    }

    /// Returns the id of what a task made.
    ///
    /// # Errors
    ///
    /// Returns the code of its refusal.
    pub fn id_of(&self, key: &str) -> Result<&str, String> {
        match self.made.get(key) {
            Some(id) => Ok(id),
            None => Err(self.refused.get(key).cloned().unwrap_or_else(|| "not_found".to_owned())),
        }
    }

    /// Returns what is shown. `created` has the keys of what this request made.
    pub fn view(&self, created: &[String]) -> Value {
        let mut counts: BTreeMap<Kind, [usize; 3]> = BTreeMap::new();
        for task in phases(self.started_at).iter().flatten() {
            let [total, present, new] = counts.entry(task.kind).or_default();
            *total += 1;
            *present += usize::from(self.made.contains_key(&task.key));
            *new += usize::from(created.contains(&task.key));
        }
        let resources = counts.into_iter().map(|(kind, [total, present, new])| {
            json!({"name": kind.as_str(), "total_count": total, "present_count": present, "created_count": new})
        });
        let refused = self.refused.iter().map(|(key, code)| json!({"name": key, "code": code}));
        json!({
            "status": if self.completed_at.is_some() { "completed" } else { "running" },
            "resources": resources.collect::<Vec<_>>(),
            "refused": refused.collect::<Vec<_>>(),
            "started_at": self.started_at,
            "completed_at": self.completed_at,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fulfilment::package_type::PackageTypeInput;
    use crate::fulfilment::wave::WaveInput;
    use crate::orders::order::OrderInput;
    use crate::places::location::LocationInput;
    use crate::platform::shape;
    use crate::stock::inventory_item::InventoryItemInput;

    fn begun_at() -> Timestamp {
        Timestamp::parse("2026-11-18T12:00:00.000000Z").unwrap()
    }

    #[test]
    fn the_shop_has_what_every_page_needs() {
        let progress = SampleProgress::begin(begun_at());
        let view = progress.view(&["order/001".to_owned()]);
        let counts: Vec<_> = view["resources"].as_array().unwrap().iter().collect();
        let total = |name: &str| {
            counts.iter().find(|count| count["name"] == name).unwrap()["total_count"].as_u64().unwrap()
        };
        assert_eq!((total("locations"), total("inventory_items"), total("orders")), (3, 40, 120));
        assert_eq!((total("waves"), total("manifests"), total("shipping_rules")), (4, 1, 2));
        assert_eq!(counts[6]["created_count"], 1);
        assert_eq!(view["status"], "running");
    }

    #[test]
    fn keys_are_unique_and_name_what_is_made_before() {
        let mut known = BTreeSet::new();
        for phase in phases(begun_at()) {
            let named: Vec<&String> = phase.iter().flat_map(|task| &task.of).collect();
            assert!(named.into_iter().all(|key| known.contains(key)), "{phase:?}");
            for task in phase {
                assert!(known.insert(task.key.clone()), "{} twice", task.key);
            }
        }
    }

    #[test]
    fn every_body_is_one_that_a_client_may_send() {
        let mut progress = SampleProgress::begin(begun_at());
        for (place, task) in phases(begun_at()).into_iter().flatten().enumerate() {
            let body = progress.resolve(&task.body).unwrap();
            let checked = match task.kind {
                Kind::Location => shape::parse::<LocationInput>(body).map(drop),
                Kind::PackageType => shape::parse::<PackageTypeInput>(body).map(drop),
                Kind::InventoryItem => shape::parse::<InventoryItemInput>(body).map(drop),
                Kind::Order => shape::parse::<OrderInput>(body).map(drop),
                Kind::Wave => shape::parse::<WaveInput>(body).map(drop),
                _ => Ok(()),
            };
            assert!(checked.is_ok(), "{}: {checked:?}", task.key);
            let prefix = match task.kind {
                Kind::Location => "loc",
                Kind::InventoryItem => "inv",
                Kind::Order => "ord",
                _ => "x",
            };
            progress.made.insert(task.key, format!("{prefix}_{place:026}"));
        }
    }

    #[test]
    fn addresses_and_persons_are_invented() {
        let text = format!("{:?}", phases(begun_at()));
        let at_signs = text.matches('@').count();
        assert_eq!(at_signs, text.matches("@example.com").count());
        assert!(at_signs > 100 && !text.contains("http"));
    }

    #[test]
    fn what_is_missing_is_left_out_of_lists_and_refuses_the_rest() {
        let mut progress = SampleProgress::begin(begun_at());
        progress.made.insert("order/1".to_owned(), "ord_1".to_owned());
        progress.refused.insert("order/2".to_owned(), "unknown_sku".to_owned());
        let resolved = progress.resolve(&json!({"order_ids": ["$order/1", "$order/2"], "name": "A"}));
        assert_eq!(resolved, Ok(json!({"order_ids": ["ord_1"], "name": "A"})));
        assert_eq!(progress.resolve(&json!({"id": "$order/2"})), Err("unknown_sku".to_owned()));
    }
}
