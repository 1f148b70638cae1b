//! Carriers and what they offer. They are known to the program, not kept in the database: their ids are made of their
//! handles, so that they are the same on every server and for ever.

use std::borrow::Cow;
use std::sync::LazyLock;

use ::carriers::{Account, dhl_express, dhl_parcel_de, easypost, own, royal_mail, sandbox, ups, usps};
use model::platform::id::Kind;
use model::platform::nearest::suggestion;
use model::shipping::carrier::{Carrier, CarrierAccount, CarrierService, Reference};
use model::{Id, Result, World};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use store::shipping::carrier_accounts::{self, StoredCarrierAccount};
use store::{Order, Page, Start};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json};
use crate::shipping::account_details::details;

/// A carrier that there is a connector for.
struct Known {
    handle: &'static str,
    name: &'static str,
    description: &'static str,
    /// The worlds in which it can be used: money is spent in one, and never in the other.
    worlds: &'static [World],
}

/// EasyPost's services: some nine hundred, with a hash for the id of each. They are made once, because every shipment that is
/// bought asks for the name of its service.
static EASYPOST_SERVICES: LazyLock<Vec<CarrierService>> = LazyLock::new(|| {
    let service = |(carrier, name): (&str, &str)| {
        let handle = easypost::handle(carrier, name);
        let (id, name) = (service_id(easypost::HANDLE, &handle), format!("{carrier} {name}"));
        CarrierService { id, name, handle, description: String::new() }
    };
    easypost::services().map(service).collect()
});

const KNOWN: &[Known] = &[
    Known {
        handle: dhl_express::HANDLE,
        name: "DHL Express",
        description: "DHL Express itself, at the prices of your own contract.",
        worlds: &[World::Live, World::Test],
    },
    Known {
        handle: dhl_parcel_de::HANDLE,
        name: "DHL Parcel DE",
        description: "DHL in Germany (Post & Parcel Germany) itself, with your own contract and a rate card of yours.",
        worlds: &[World::Live, World::Test],
    },
    Known {
        handle: easypost::HANDLE,
        name: "EasyPost",
        description: "Some eighty carriers behind one account: USPS, UPS, FedEx, DHL, Royal Mail, Evri, DPD and others.",
        worlds: &[World::Live, World::Test],
    },
    Known {
        handle: own::HANDLE,
        name: "Own vehicles",
        description: "Your own vans, or a local courier without an API: a rate table of yours, labels drawn by us.",
        worlds: &[World::Live],
    },
    Known {
        handle: royal_mail::HANDLE,
        name: "Royal Mail",
        description: "Royal Mail through Click & Drop, with a rate card of yours.",
        // Click & Drop has no test system: every order may be charged.
        worlds: &[World::Live],
    },
    Known {
        handle: sandbox::HANDLE,
        name: "Sandbox",
        description: "A carrier that costs nothing and does as it is told, for tests.",
        worlds: &[World::Test],
    },
    Known {
        handle: ups::HANDLE,
        name: "UPS",
        description: "UPS itself, at the prices of your own contract.",
        worlds: &[World::Live, World::Test],
    },
    Known {
        handle: usps::HANDLE,
        name: "USPS",
        description: "The United States Postal Service itself, with your own payment account.",
        worlds: &[World::Live, World::Test],
    },
];

impl Known {
    fn carrier(&self) -> Carrier {
        Carrier {
            id: carrier_id(self.handle),
            name: self.name.to_owned(),
            handle: self.handle.to_owned(),
            description: self.description.to_owned(),
        }
    }
}

/// The carriers that an organisation may use, and their services.
#[derive(Clone)]
pub struct Carriers {
    context: Context,
}

impl Carriers {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery) -> Result<Listing> {
        let all =
            usable(caller.owner.world).map(|known| Ok((known.handle.to_owned(), json(&known.carrier())?)));
        self.list_known(caller, &query, all.collect::<Result<_>>()?)
    }

    pub async fn get(&self, caller: &Caller, id: Id<Carrier>) -> Result<Reply> {
        let carrier = found(by_id(caller.owner.world, id))?.carrier();
        let body = json(&carrier)?;
        Ok(Reply::resource(format!("\"{}\"", hex(&Sha256::digest(&body)[..8])), body))
    }

    /// What a carrier offers; that of own vehicles and of Royal Mail is what the accounts' tables say.
    pub async fn list_carrier_services(
        &self,
        caller: &Caller,
        id: Id<Carrier>,
        query: ListQuery,
    ) -> Result<Listing> {
        let owner = caller.owner;
        let handle = found(by_id(owner.world, id))?.handle;
        let accounts =
            self.context.db().read(owner, async move |tx| carrier_accounts::all(tx, owner).await).await?;
        let known = known_services(handle, &accounts)?;
        let all = known.iter().map(|service| Ok((service.handle.clone(), json(service)?)));
        self.list_known(caller, &query, all.collect::<Result<_>>()?)
    }

    /// A page of a list that is not kept in the database, by the keys of its entries.
    fn list_known(
        &self,
        caller: &Caller,
        query: &ListQuery,
        mut all: Vec<(String, String)>,
    ) -> Result<Listing> {
        all.sort();
        let start = self.context.start(caller.owner, query)?;
        self.context.listing_in(Order::OldestFirst, caller.owner, query, page_of(&all, &start, query.limit))
    }
}

/// A page of what is sorted by its keys.
fn page_of(all: &[(String, String)], start: &Start, limit: usize) -> Page<String> {
    let (from, to) = match start {
        Start::First => (0, limit),
        Start::NewerThan(key) => {
            let from = all.partition_point(|(known, _)| known <= key);
            (from, from + limit)
        }
        Start::OlderThan(key) => {
            let to = all.partition_point(|(known, _)| known < key);
            (to.saturating_sub(limit), to)
        }
    };
    let to = to.min(all.len());
    let shown = &all[from.min(to)..to];
    let key = |entry: Option<&(String, String)>| entry.map(|(key, _)| key.clone());
    Page {
        items: shown.iter().map(|(_, doc)| doc.clone()).collect(),
        older_than: key(shown.first()).filter(|_| from > 0),
        newer_than: key(shown.last()).filter(|_| to < all.len()),
    }
}

/// The carriers that can be used in a world.
fn usable(world: World) -> impl Iterator<Item = &'static Known> {
    KNOWN.iter().filter(move |known| known.worlds.contains(&world))
}

fn by_id(world: World, id: Id<Carrier>) -> Option<&'static Known> {
    usable(world).find(|known| carrier_id(known.handle) == id)
}

/// The handle of a carrier that can be used in this world, by its id or its handle.
pub fn handle_of(world: World, id: Option<Id<Carrier>>, handle: Option<&str>) -> Option<&'static str> {
    let is_it = |known: &&Known| {
        id.is_none_or(|id| carrier_id(known.handle) == id)
            && handle.is_none_or(|handle| known.handle == handle)
    };
    if id.is_none() && handle.is_none() {
        return None;
    }
    usable(world).find(is_it).map(|known| known.handle)
}

/// Says why no carrier of this world has the id or the handle.
pub fn why_unusable(world: World, id: Option<Id<Carrier>>, handle: Option<&str>) -> String {
    let other = match world {
        World::Live => World::Test,
        World::Test => World::Live,
    };
    // By its handle alone: ids of the other world answer like ids of nothing.
    let elsewhere = handle.filter(|_| id.is_none()).and_then(|handle| handle_of(other, None, Some(handle)));
    if let Some(known) = KNOWN.iter().find(|known| Some(known.handle) == elsewhere) {
        let world = other.as_str();
        return format!("{} is available in the {world} world only. Use a {world} token.", known.name);
    }
    let handles: Vec<_> = usable(world).map(|known| known.handle).collect();
    let meant = suggestion(handle.unwrap_or_default(), handles.iter().copied());
    format!(
        "There is no such carrier.{meant} Carriers of the {} world: {}.",
        world.as_str(),
        handles.join(", ")
    )
}

/// The carrier with this handle.
pub fn carrier(handle: &str) -> Option<Carrier> {
    KNOWN.iter().find(|known| known.handle == handle).map(Known::carrier)
}

/// Carriers whose services are those of an account's table of prices.
const TABLED: [&str; 2] = [own::HANDLE, royal_mail::HANDLE];

/// Returns what a carrier offers to an organisation with these accounts, each service once; of carriers with tables of prices, what
/// all tables say.
pub fn known_services(carrier: &str, accounts: &[StoredCarrierAccount]) -> Result<Vec<CarrierService>> {
    if !TABLED.contains(&carrier) {
        return Ok(services(carrier, &Map::new()).into_owned());
    }
    let mut all: Vec<CarrierService> = Vec::new();
    for account in accounts.iter().filter(|account| account.carrier == carrier) {
        for service in services(carrier, &configuration(account)?).iter() {
            if !all.iter().any(|known| known.handle == service.handle) {
                all.push(service.clone());
            }
        }
    }
    Ok(all)
}

/// What a carrier offers to an account with this configuration.
pub fn services(carrier: &str, configuration: &Map<String, Value>) -> Cow<'static, [CarrierService]> {
    let service = |handle: &str, name: &str, description: String| CarrierService {
        id: service_id(carrier, handle),
        name: name.to_owned(),
        handle: handle.to_owned(),
        description,
    };
    let services: Vec<_> = match carrier {
        sandbox::HANDLE => sandbox::SERVICES
            .iter()
            .map(|known| {
                service(known.handle, known.name, format!("About {} days within a country.", known.days(1)))
            })
            .collect(),
        own::HANDLE => {
            let account = Account::new(Id::from_bits(0), configuration.clone(), Map::new());
            let table = own::Table::read(&account).map(|table| table.services).unwrap_or_default();
            table.iter().map(|known| service(&known.handle, &known.name, String::new())).collect()
        }
        royal_mail::HANDLE => {
            let account = Account::new(Id::from_bits(0), configuration.clone(), Map::new());
            let card = royal_mail::Card::read(&account).map(|card| card.services).unwrap_or_default();
            card.iter().map(|known| service(&known.handle, &known.name, String::new())).collect()
        }
        dhl_parcel_de::HANDLE => {
            let known = dhl_parcel_de::SERVICES.iter();
            known.map(|known| service(known.handle, known.name, String::new())).collect()
        }
        easypost::HANDLE => return Cow::Borrowed(&EASYPOST_SERVICES),
        dhl_express::HANDLE => dhl_express::SERVICES
            .iter()
            .map(|known| service(known.handle, known.name, String::new()))
            .collect(),
        ups::HANDLE => {
            ups::SERVICES.iter().map(|known| service(known.handle, known.name, String::new())).collect()
        }
        usps::HANDLE => {
            usps::SERVICES.iter().map(|known| service(known.handle, known.name, String::new())).collect()
        }
        _ => Vec::new(),
    };
    Cow::Owned(services)
}

/// Returns the handle of a service, by its id or handle. Of a gateway, every handle is accepted: its services are not all
/// known here.
pub fn find_service(account: &StoredCarrierAccount, name: &str) -> Result<Option<String>> {
    let is_gateway = account.carrier == easypost::HANDLE;
    if is_gateway && !name.starts_with("cs_") {
        return Ok(Some(name.to_owned()));
    }
    let known = services(&account.carrier, &configuration(account)?);
    let is_it = |service: &&CarrierService| service.handle == name || service.id.to_string() == name;
    let found = known.iter().find(is_it).map(|service| service.handle.clone());
    Ok(found)
}

/// A carrier as it is shown, or what is left of one that this version does not know any more.
pub fn carrier_or_handle(handle: &str) -> Carrier {
    carrier(handle).unwrap_or_else(|| Carrier {
        id: carrier_id(handle),
        name: handle.to_owned(),
        handle: handle.to_owned(),
        description: String::new(),
    })
}

/// A carrier as shipments and rates name it.
pub fn carrier_reference(handle: &str) -> Reference<Carrier> {
    let name = KNOWN.iter().find(|known| known.handle == handle).map_or(handle, |known| known.name);
    Reference { id: carrier_id(handle), name: name.to_owned(), handle: Some(handle.to_owned()) }
}

/// Returns a service as shipments and rates name it. A gateway may offer services that are not known here: their name is
/// their handle.
pub fn service_reference(account: &StoredCarrierAccount, handle: &str) -> Result<Reference<CarrierService>> {
    let known = services(&account.carrier, &configuration(account)?);
    let name = known
        .iter()
        .find(|service| service.handle == handle)
        .map_or_else(|| handle.to_owned(), |known| known.name.clone());
    Ok(Reference { id: service_id(&account.carrier, handle), name, handle: Some(handle.to_owned()) })
}

/// An account as shipments and rates name it.
pub fn account_reference(account: &StoredCarrierAccount) -> Result<Reference<CarrierAccount>> {
    let details = details(account)?;
    Ok(Reference { id: account.id, name: details.name, handle: details.handle })
}

fn configuration(account: &StoredCarrierAccount) -> Result<Map<String, Value>> {
    Ok(details(account)?.configuration)
}

pub fn carrier_id(handle: &str) -> Id<Carrier> {
    made_of(&format!("carrier {handle}"))
}

pub fn service_id(carrier: &str, handle: &str) -> Id<CarrierService> {
    made_of(&format!("carrier service {carrier} {handle}"))
}

/// An identifier that is the same wherever it is made.
fn made_of<K: Kind>(text: &str) -> Id<K> {
    let mut bits = [0; 16];
    bits.copy_from_slice(&Sha256::digest(text)[..16]);
    Id::from_bits(u128::from_be_bytes(bits))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_world_has_its_carriers_and_every_one_a_connector() {
        let handles = |world| usable(world).map(|known| known.handle).collect::<Vec<_>>();
        assert_eq!(
            handles(World::Test),
            ["dhl_express", "dhl_parcel_de", "easypost", "sandbox", "ups", "usps"],
            "with keys that spend no money"
        );
        assert_eq!(
            handles(World::Live),
            ["dhl_express", "dhl_parcel_de", "easypost", "own", "royal_mail", "ups", "usps"]
        );
        for known in KNOWN {
            assert!(::carriers::connector(known.handle).is_some(), "{}", known.handle);
            for world in known.worlds {
                assert_eq!(handle_of(*world, Some(carrier_id(known.handle)), None), Some(known.handle));
                assert_eq!(handle_of(*world, None, Some(known.handle)), Some(known.handle));
            }
        }
        assert_eq!(handle_of(World::Live, None, Some("sandbox")), None);
        assert_eq!(handle_of(World::Live, None, None), None);
        assert_eq!(handle_of(World::Live, Some(carrier_id("own")), Some("easypost")), None);
    }

    #[test]
    fn easyposts_services_are_made_once() {
        let made = || services(easypost::HANDLE, &Map::new());
        assert!(matches!(made(), Cow::Borrowed(all) if all.len() > 900), "made anew for each who asks");
        let service = made()[7].clone();
        assert_eq!(service.id, service_id(easypost::HANDLE, &service.handle));
    }

    proptest! {
        #[test]
        fn pages_of_a_known_list_join_up(count in 0usize..30, limit in 1usize..12) {
            let all: Vec<_> = (0..count).map(|n| (format!("{n:02}"), n.to_string())).collect();
            let (mut seen, mut start) = (Vec::new(), Start::First);
            loop {
                let page = page_of(&all, &start, limit);
                prop_assert!(page.items.len() <= limit);
                if let (Some(first), Some(back)) = (page.items.first(), &page.older_than) {
                    let before = page_of(&all, &Start::OlderThan(back.clone()), limit);
                    let place: usize = first.parse().unwrap();
                    prop_assert_eq!(before.items.last(), Some(&(place - 1).to_string()));
                }
                seen.extend(page.items);
                match page.newer_than {
                    Some(key) => start = Start::NewerThan(key),
                    None => break,
                }
            }
            prop_assert_eq!(seen, (0..count).map(|n| n.to_string()).collect::<Vec<_>>());
        }
    }
}
