//! Which shipments belong into one manifest. Pure, because parcels that a manifest leaves out are not collected.

use std::collections::BTreeMap;

use model::places::closing::Day;
use model::{CarrierAccount, Id, Location, Shipment};
use store::shipping::manifest_shipments::Open;

/// Shipments that a carrier collects together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub account: Id<CarrierAccount>,
    pub location: Option<Id<Location>>,
    pub ship_date: Day,
    pub shipments: Vec<Id<Shipment>>,
}

/// The origin of a shipment: a version of a location, or an address as it was given.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Location(Id<Location>, i64),
    Address(String),
}

/// Which days are closed out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Days {
    /// Only this day.
    One(Day),
    /// All days up to this one: parcels that were not handed over yesterday still wait today.
    UpTo(Day),
    All,
}

impl Days {
    fn has(self, day: Day) -> bool {
        match self {
            Days::One(one) => day == one,
            Days::UpTo(last) => day <= last,
            Days::All => true,
        }
    }
}

/// Returns the day on which a shipment leaves.
pub fn ship_date(open: &Open) -> Day {
    Day::of(open.date.unwrap_or(open.bought_at))
}

/// Returns the carrier behind a gateway that transports the shipment. A gateway's manifest covers one such carrier.
fn hand_over_carrier(open: &Open) -> String {
    let connector = open.carrier.as_deref().and_then(::carriers::connector);
    connector.map_or("", |connector| connector.hand_over_carrier(&open.service)).to_owned()
}

/// Returns the most packages that the carrier of a shipment takes in one manifest.
fn packages_max(open: &Open) -> usize {
    let connector = open.carrier.as_deref().and_then(::carriers::connector);
    connector.map_or(usize::MAX, |connector| connector.manifest_packages_max())
}

/// A group that further shipments may join, and how many packages it has.
struct Filling {
    group: Group,
    packages: usize,
}

/// Groups shipments by account, carrier behind a gateway, origin and day. A group that would have more packages than the carrier takes
/// in one manifest is divided.
pub fn groups(open: Vec<Open>, days: Days, account: Option<Id<CarrierAccount>>) -> Vec<Group> {
    let mut groups: BTreeMap<(Day, Id<CarrierAccount>, String, Origin), Vec<Filling>> = BTreeMap::new();
    for shipment in open {
        let day = ship_date(&shipment);
        if !days.has(day) || account.is_some_and(|account| account != shipment.account) {
            continue;
        }
        let (behind, most) = (hand_over_carrier(&shipment), packages_max(&shipment));
        let origin = match shipment.origin {
            Some((location, version)) => Origin::Location(location, version),
            None => Origin::Address(shipment.address.unwrap_or_default()),
        };
        let packages = usize::try_from(shipment.packages).unwrap_or_default();
        let room = most.saturating_sub(packages);
        let parts = groups.entry((day, shipment.account, behind, origin)).or_default();
        match parts.last_mut().filter(|part| part.packages <= room) {
            Some(part) => {
                part.packages += packages;
                part.group.shipments.push(shipment.shipment);
            }
            None => {
                let group = Group {
                    account: shipment.account,
                    location: shipment.origin.map(|(location, _)| location),
                    ship_date: day,
                    shipments: vec![shipment.shipment],
                };
                parts.push(Filling { group, packages });
            }
        }
    }
    groups.into_values().flatten().map(|part| part.group).collect()
}

#[cfg(test)]
mod tests {
    use model::Timestamp;
    use proptest::prelude::*;

    use super::*;

    fn open(number: u128) -> Open {
        Open {
            shipment: Id::from_bits(number),
            account: Id::from_bits(1),
            carrier: Some("easypost".to_owned()),
            service: "usps.priority".to_owned(),
            origin: Some((Id::from_bits(7), 1)),
            address: None,
            date: None,
            bought_at: Timestamp::parse("2026-11-01T23:59:59.999999Z").unwrap(),
            packages: 1,
        }
    }

    fn sizes(open: Vec<Open>, days: Days) -> Vec<usize> {
        groups(open, days, None).iter().map(|group| group.shipments.len()).collect()
    }

    #[test]
    fn account_origin_and_day_make_a_group() {
        let same = || vec![open(1), open(2)];
        assert_eq!(sizes(same(), Days::All), [2]);
        let other: [fn(&mut Open); 6] = [
            |open| open.service = "ups.ground".to_owned(),
            |open| open.account = Id::from_bits(2),
            |open| open.origin = Some((Id::from_bits(8), 1)),
            |open| open.origin = Some((Id::from_bits(7), 2)),
            |open| (open.origin, open.address) = (None, Some("{}".to_owned())),
            |open| open.bought_at = open.bought_at.plus_seconds(1),
        ];
        for change in other {
            let mut shipments = same();
            change(&mut shipments[1]);
            assert_eq!(sizes(shipments, Days::All), [1, 1]);
        }
    }

    #[test]
    fn services_of_one_carrier_go_together() {
        let mut shipments = vec![open(1), open(2)];
        shipments[1].service = "usps.express.ca_1".to_owned();
        assert_eq!(sizes(shipments.clone(), Days::All), [2]);
        // If the account is not a gateway's, its services name no carrier.
        shipments.iter_mut().for_each(|open| open.carrier = Some("own".to_owned()));
        shipments[1].service = "van.large".to_owned();
        assert_eq!(sizes(shipments, Days::All), [2]);
    }

    #[test]
    fn a_group_is_divided_where_the_carrier_takes_only_so_many_packages() {
        let parcels = |carrier: &str, packages: &[i64]| {
            let open = |(number, packages): (u128, &i64)| {
                let carrier = Some(carrier.to_owned());
                Open { carrier, packages: *packages, ..open(number) }
            };
            (1..).zip(packages).map(open).collect::<Vec<_>>()
        };
        for (carrier, most) in [("dhl_parcel_de", 180), ("royal_mail", 500)] {
            assert_eq!(sizes(parcels(carrier, &vec![1; most]), Days::All), [most]);
            assert_eq!(sizes(parcels(carrier, &vec![1; 2 * most + 1]), Days::All), [most, most, 1]);
        }
        assert_eq!(sizes(parcels("dhl_parcel_de", &[91, 90, 90]), Days::All), [1, 2]);
        assert_eq!(sizes(parcels("easypost", &[1; 1001]), Days::All), [1001]);
    }

    #[test]
    fn the_day_is_that_of_shipping_else_that_of_buying_and_begins_at_midnight_in_utc() {
        let mut shipment = open(1);
        assert_eq!(ship_date(&shipment).to_string(), "2026-11-01");
        shipment.date = Timestamp::parse("2026-11-03T23:30:00-02:00");
        assert_eq!(ship_date(&shipment).to_string(), "2026-11-04");
    }

    #[test]
    fn what_is_left_from_yesterday_is_closed_out_today_and_tomorrows_is_not() {
        let shipments = || {
            let date =
                |day: i64| Some(Timestamp::parse("2026-11-02T12:00:00Z").unwrap().plus_seconds(day * 86_400));
            (-1..=1).map(|day| Open { date: date(day), ..open((day + 2) as u128) }).collect::<Vec<_>>()
        };
        let today = Day::parse("2026-11-02").unwrap();
        assert_eq!(sizes(shipments(), Days::UpTo(today)), [1, 1]);
        assert_eq!(sizes(shipments(), Days::One(today)), [1]);
        assert_eq!(sizes(shipments(), Days::All), [1, 1, 1]);
    }

    proptest! {
        #[test]
        fn every_shipment_is_in_exactly_one_group(
            kinds in proptest::collection::vec((0u128..3, 0i64..3, 0i64..3, any::<bool>()), 0..60),
        ) {
            let all: Vec<Open> = (1..).zip(&kinds).map(|(number, (account, version, day, is_given))| Open {
                account: Id::from_bits(*account),
                origin: (!is_given).then_some((Id::from_bits(7), *version)),
                address: is_given.then(|| version.to_string()),
                bought_at: open(1).bought_at.plus_seconds(day * 86_400),
                ..open(number)
            }).collect();
            let mut grouped: Vec<_> =
                groups(all.clone(), Days::All, None).into_iter().flat_map(|group| group.shipments).collect();
            grouped.sort();
            prop_assert_eq!(grouped, all.iter().map(|open| open.shipment).collect::<Vec<_>>());
        }
    }
}
