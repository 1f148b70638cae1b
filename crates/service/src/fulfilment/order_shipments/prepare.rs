//! Deciding and packing: what the shipments of an order will be, before anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::fulfilment::order_packing::{LocationPacking, OrderToPack, PackableItem};
use model::fulfilment::order_shipment::{
    LocationToShip, NewShipment, OrderShipmentsInput, build, ensure_allocated, packages_of,
};
use model::fulfilment::packing_view::sendable;
use model::fulfilment::shipping_rule::{Evaluation, evaluate};
use model::places::location_configuration::CompleteOn;
use model::platform::id::AllocationKind;
use model::platform::problem::Issue;
use model::shipping::shipment::package::{PACKAGES_MAX, Package};
use model::{Allocation, Code, Id, Location, Order, Problem, Result, ensure};
use store::places::location_configurations::OriginConfiguration;
use store::shipping::shipments::Origin;

use super::gather::Gathered;
use crate::shipping::shipments::copy;

/// What the shipping rules decide for each location.
pub type Decided = BTreeMap<Id<Location>, Evaluation>;

/// The shipments of an order, ready to be written if nothing has changed since.
pub struct PreparedShipments {
    pub order: Id<Order>,
    pub version: i64,
    pub allocations: Vec<Allocation>,
    pub chosen: BTreeSet<Id<AllocationKind>>,
    pub locations: Vec<PreparedLocation>,
}

/// The shipments from one location.
pub struct PreparedLocation {
    pub origin: Origin,
    pub complete_allocations_on: CompleteOn,
    pub evaluation: Evaluation,
    pub is_by_rules: bool,
    pub shipments: Vec<NewShipment>,
}

impl Gathered {
    /// Asks the shipping rules about each location.
    ///
    /// # Errors
    ///
    /// Refuses an order that a rule holds back, unless the request names a carrier.
    pub fn decide(&self, input: &OrderShipmentsInput) -> Result<Decided> {
        let decided: Decided = self
            .facts
            .iter()
            .map(|(location, facts)| (*location, evaluate(&self.terms.rules, facts)))
            .collect();
        let held = decided.values().find_map(|evaluation| {
            let hold = evaluation.decision.hold.as_ref()?;
            let rule = evaluation.decision.set_by.get("hold");
            Some((hold.reason.clone(), rule.map(ToString::to_string).unwrap_or_default()))
        });
        match held.filter(|_| input.carrier.is_none()) {
            None => Ok(decided),
            Some((reason, rule)) => {
                let code = Code::HeldByRule;
                let issue = Issue::new(code.as_str(), "order_id", reason).with("rule_id", rule);
                Err(Problem::field(code, issue).into())
            }
        }
    }

    /// Returns what the packer needs. A package type that a rule names is the only one at its location.
    pub fn to_pack(&self, decided: &Decided) -> Arc<OrderToPack> {
        let items = self.items.iter().map(|(id, item)| {
            let packable = PackableItem {
                sku: item.sku.clone(),
                mass: item.mass,
                dimensions: item.dimensions,
                ships_alone: item.ships_alone,
                keep_upright: item.keep_upright,
            };
            (*id, packable)
        });
        let only = decided.iter().filter_map(|(at, one)| Some((*at, one.decision.package_type_id?)));
        Arc::new(OrderToPack {
            allocations: self.chosen.clone(),
            items: items.collect(),
            package_types: self.terms.package_types.clone(),
            only: only.collect(),
        })
    }

    /// Builds the shipments of all locations.
    ///
    /// # Errors
    ///
    /// Refuses a location without a configuration, packages that exceed the allocations, and items without what customs demand.
    pub fn prepare(
        &self,
        input: &OrderShipmentsInput,
        decided: Decided,
        packed: Option<Vec<LocationPacking>>,
    ) -> Result<PreparedShipments> {
        let mut packages = match packed {
            Some(packed) => self.packed(packed),
            None => self.given(input)?,
        };
        let mut locations = Vec::with_capacity(decided.len());
        for (location, evaluation) in decided {
            let configuration = self.configuration(location)?;
            let service = evaluation.decision.service.as_ref().filter(|_| input.carrier.is_none());
            let account = service.and_then(|service| self.terms.accounts.get(&service.carrier_account));
            let to_ship = LocationToShip {
                configuration: configuration.id,
                origin: copy(&configuration.origin_doc)?,
                r#return: copy(&configuration.return_doc)?,
                packages: packages.remove(&location).unwrap_or_default(),
                decision: evaluation.decision.clone(),
                carrier: input.carrier.clone(),
                decided_carrier: account.map(|(carrier, _)| carrier.clone()),
                packages_max: account
                    .map_or_else(|| self.named_packages_max(input), |(_, packages_max)| *packages_max),
            };
            locations.push(PreparedLocation {
                origin: Origin { location, version: configuration.origin_version },
                complete_allocations_on: configuration.complete_allocations_on,
                is_by_rules: input.carrier.is_none(),
                evaluation,
                shipments: build(&self.order, &self.items, to_ship)?,
            });
        }
        Ok(PreparedShipments {
            order: self.id,
            version: self.version,
            allocations: self.all.clone(),
            chosen: self.chosen.iter().map(|allocation| allocation.id).collect(),
            locations,
        })
    }

    /// Returns the most packages that the carrier takes that the request names.
    fn named_packages_max(&self, input: &OrderShipmentsInput) -> usize {
        let Some(choice) = &input.carrier else { return PACKAGES_MAX };
        let is_named = |(id, (carrier, _)): &(&String, &(String, usize))| {
            choice.carrier_accounts.contains(id) || choice.carrier_code.as_ref() == Some(carrier)
        };
        let named = self.terms.accounts.iter().filter(is_named);
        named.map(|(_, (_, packages_max))| *packages_max).min().unwrap_or(PACKAGES_MAX)
    }

    fn packed(&self, packed: Vec<LocationPacking>) -> BTreeMap<Id<Location>, Vec<Package>> {
        let known: BTreeMap<_, _> = self.terms.package_types.iter().map(|one| (one.id, one)).collect();
        let packages = |location: &LocationPacking| {
            let all = location.packing.packages.iter();
            all.map(|package| sendable(package, known.get(&package.package_type).copied())).collect()
        };
        packed.iter().map(|location| (location.location, packages(location))).collect()
    }

    fn given(&self, input: &OrderShipmentsInput) -> Result<BTreeMap<Id<Location>, Vec<Package>>> {
        let given = input.packages.as_deref().unwrap_or_default();
        let places: BTreeSet<_> = self.chosen.iter().map(|allocation| allocation.location).collect();
        ensure(places.len() == 1, Code::PackagesNeedLocation)?;
        ensure_allocated(given, &self.chosen)?;
        let packages = packages_of(given, &self.items, &self.terms.package_types)?;
        Ok(places.into_iter().map(|location| (location, packages.clone())).collect())
    }

    fn configuration(&self, location: Id<Location>) -> Result<&OriginConfiguration> {
        let known = self.configurations.get(&location).map_or(&[][..], Vec::as_slice);
        let refuse = |code: Code, message: String| {
            let issue = Issue::new(code.as_str(), "order_id", message);
            Problem::field(code, issue.with("location_id", location.to_string())).into()
        };
        match known {
            [] => Err(refuse(
                Code::LocationConfigurationMissing,
                format!("No location configuration has {location} as its origin."),
            )),
            [only] => Ok(only),
            [first, ..] if first.is_default => Ok(first),
            several => {
                let ids: Vec<_> = several.iter().map(|one| one.id.to_string()).collect();
                let message = format!("{location} is the origin of {}.", ids.join(", "));
                Err(refuse(Code::LocationConfigurationAmbiguous, message))
            }
        }
    }
}
