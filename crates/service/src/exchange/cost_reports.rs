//! The cost report: the database sums what carriers charged, part by part, and the groups are gathered here.

use std::collections::{BTreeMap, BTreeSet};

use model::exchange::cost_report::{
    Charges, CostGroup, CostReport, CostTotal, Dimension, GROUPS_MAX, Grouping, Named, NamedLocation, Period,
    ReportDays,
};
use model::shipping::carrier::CarrierService;
use model::{Code, Day, Id, Location, Owner, Result};
use store::Tx;
use store::access::organisations;
use store::exchange::costs::{self, CostSums, PurchasePlace, SumsBy};
use store::shipping::carrier_accounts;

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::platform::context::Context;
use crate::platform::resource::json;
use crate::shipping::carriers::{carrier_reference, known_services};

/// Purchases that one statement adds up. SQLite needs about 200 bytes of memory for each to group them.
const CHUNK_ROWS: i64 = 20_000;

/// Reports what carriers charged.
#[derive(Clone)]
pub struct CostReports {
    context: Context,
}

/// What the shipments of a group have in common. Sorts the groups.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct GroupKey {
    day: Option<Day>,
    carrier: Option<String>,
    service: Option<String>,
    location: Option<Id<Location>>,
    currency: Option<String>,
}

/// The groups of a report.
struct Groups {
    grouping: Grouping,
    sums: BTreeMap<GroupKey, Charges>,
}

impl CostReports {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Sums what carriers charged for the shipments that were bought on some days, in one snapshot.
    pub async fn get(
        &self,
        caller: &Caller,
        from: Option<Day>,
        to: Option<Day>,
        grouping: Grouping,
    ) -> Result<Reply> {
        let (owner, now) = (caller.owner, self.context.now());
        let read = self.context.db().read(owner, async move |tx| {
            let time_zone = organisations::settings(tx, owner).await?.settings.time_zone;
            let days = ReportDays::new(from, to, Day::in_zone(now, &time_zone))?;
            let periods = days.periods(&time_zone, grouping.has(Dimension::Day))?;
            let mut groups = Groups { grouping: grouping.clone(), sums: BTreeMap::new() };
            groups.read(tx, owner, &periods).await?;
            let totals = groups.totals();
            let groups = groups.named(tx, owner).await?;
            let ReportDays { from, to } = days;
            Ok(CostReport {
                from,
                to,
                time_zone,
                group_by: grouping.clone(),
                totals,
                groups,
                created_at: now,
            })
        });
        Ok(Reply::done(json(&read.await?)?))
    }
}

impl Groups {
    /// Reads the sums of all periods, a bounded number of purchases at a time.
    async fn read(&mut self, tx: &mut Tx<'_>, owner: Owner, periods: &[Period]) -> Result<()> {
        let (Some(first), Some(last)) = (periods.first(), periods.last()) else { return Ok(()) };
        let by = SumsBy {
            service: self.grouping.has(Dimension::Carrier),
            location: self.grouping.has(Dimension::Location),
        };
        let mut after = PurchasePlace { purchased_at: first.begins_at, id: String::new() };
        loop {
            let next = costs::chunk_end(tx, owner, &after, last.ends_at, CHUNK_ROWS).await?;
            let end = PurchasePlace { purchased_at: last.ends_at, id: String::new() };
            let until = next.as_ref().unwrap_or(&end);
            self.add(costs::shipment_sums(tx, owner, by, periods, (&after, until)).await?)?;
            match next {
                Some(next) => after = next,
                None => break,
            }
        }
        self.add(costs::duplicate_sums(tx, owner, by, periods).await?)
    }

    /// Adds sums to their groups.
    fn add(&mut self, sums: Vec<CostSums>) -> Result<()> {
        for sums in sums {
            let key = self.key(&sums);
            self.sums.entry(key).or_default().add(sums.charges);
            if self.sums.len() > GROUPS_MAX {
                return Err(Code::ReportTooLarge.into());
            }
        }
        Ok(())
    }

    fn key(&self, sums: &CostSums) -> GroupKey {
        let by = |dimension| self.grouping.has(dimension);
        let chosen = sums.chosen.as_deref().and_then(carrier_and_service);
        GroupKey {
            day: by(Dimension::Day).then_some(sums.day),
            carrier: chosen.map(|(carrier, _)| carrier.to_owned()).filter(|_| by(Dimension::Carrier)),
            service: chosen.map(|(_, service)| service.to_owned()).filter(|_| by(Dimension::Service)),
            location: sums.location,
            currency: sums.currency.clone(),
        }
    }

    fn totals(&self) -> Vec<CostTotal> {
        let mut totals: BTreeMap<Option<String>, Charges> = BTreeMap::new();
        for (key, charges) in &self.sums {
            totals.entry(key.currency.clone()).or_default().add(*charges);
        }
        totals.into_iter().map(|(currency_code, charges)| CostTotal { currency_code, charges }).collect()
    }

    /// Returns the groups with the names of carriers, services and locations.
    async fn named(&self, tx: &mut Tx<'_>, owner: Owner) -> Result<Vec<CostGroup>> {
        let ids: BTreeSet<_> = self.sums.keys().filter_map(|key| key.location).collect();
        let ids: Vec<_> = ids.into_iter().collect();
        let locations: BTreeMap<_, _> = costs::location_names(tx, owner, &ids).await?.into_iter().collect();
        let services = self.service_names(tx, owner).await?;
        let named = |(key, charges): (&GroupKey, &Charges)| {
            let key = key.clone();
            let service = key.carrier.clone().zip(key.service).map(|(carrier, handle)| {
                let name = services.get(&(carrier, handle.clone())).unwrap_or(&handle).clone();
                Named { handle, name }
            });
            let carrier = key.carrier.map(|handle| Named { name: carrier_reference(&handle).name, handle });
            let location = key.location.map(|id| NamedLocation { id, name: locations.get(&id).cloned() });
            let total = CostTotal { currency_code: key.currency, charges: *charges };
            CostGroup { day: key.day, carrier, service, location, total }
        };
        Ok(self.sums.iter().map(named).collect())
    }

    /// Returns the names of the services of the carriers in the groups, by the handles of carrier and service.
    async fn service_names(
        &self,
        tx: &mut Tx<'_>,
        owner: Owner,
    ) -> Result<BTreeMap<(String, String), String>> {
        let mut names = BTreeMap::new();
        if !self.grouping.has(Dimension::Service) {
            return Ok(names);
        }
        let accounts = carrier_accounts::all(tx, owner).await?;
        let carriers: BTreeSet<_> = self.sums.keys().filter_map(|key| key.carrier.as_ref()).collect();
        for carrier in carriers {
            for CarrierService { handle, name, .. } in known_services(carrier, &accounts)? {
                names.insert((carrier.clone(), handle), name);
            }
        }
        Ok(names)
    }
}

/// Splits `carrier/service/account`.
fn carrier_and_service(chosen: &str) -> Option<(&str, &str)> {
    let (carrier, rest) = chosen.split_once('/')?;
    let (service, _account) = rest.rsplit_once('/')?;
    Some((carrier, service))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(location: u128, currency: &str, charged: i64) -> CostSums {
        CostSums {
            day: Day::parse("2026-11-01").unwrap(),
            currency: Some(currency.to_owned()),
            chosen: Some("sandbox/standard/ca_1".to_owned()),
            location: Some(Id::from_bits(location)),
            charges: Charges { charged, net: charged, shipments_count: 1, ..Charges::default() },
        }
    }

    #[test]
    fn groups_are_added_up_by_currency_and_limited() {
        let mut groups = Groups { grouping: Grouping::new([Dimension::Location]), sums: BTreeMap::new() };
        groups.add(vec![sums(1, "GBP", 5), sums(2, "GBP", 7), sums(1, "JPY", 9), sums(1, "GBP", 1)]).unwrap();
        assert_eq!(groups.sums.len(), 3);
        let totals = groups.totals();
        let nets: Vec<_> =
            totals.iter().map(|total| (total.currency_code.as_deref(), total.charges.net)).collect();
        assert_eq!(nets, [(Some("GBP"), 13), (Some("JPY"), 9)]);
        let limit = GROUPS_MAX as u128;
        groups.add((3..limit).map(|location| sums(location, "GBP", 1)).collect()).unwrap();
        assert_eq!(groups.sums.len(), GROUPS_MAX);
        assert!(groups.add(vec![sums(limit, "GBP", 1)]).is_err());
    }

    #[test]
    fn a_chosen_service_is_split_at_its_first_and_last_slash() {
        assert_eq!(carrier_and_service("sandbox/standard/ca_1"), Some(("sandbox", "standard")));
        assert_eq!(carrier_and_service("own/next/day/ca_1"), Some(("own", "next/day")));
        assert_eq!(carrier_and_service("own"), None);
    }
}
