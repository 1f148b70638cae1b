//! Sums of the cost report: the same whatever the size of the chunks in which the database adds them up, and read from an index
//! alone.

use std::collections::BTreeMap;

use model::exchange::cost_report::{Charges, Period};
use model::{Day, Id, Location, Owner, Result, Shipment, Timestamp};
use store::exchange::costs::{self, CostSums, PurchasePlace, SumsBy};
use store::shipping::duplicate_charges::{self, DuplicateCharge};
use store::{Db, Sql, Tx};

use crate::fresh::{Engine, Fresh, owner};
use crate::plans::plan;

const INSERT: Sql = Sql::same(
    "INSERT INTO shipment (owner, id, version, status, origin_id, chosen, doc, purchased_at, cost_amount, cost_currency)
     VALUES ($1, $2, 1, $3, $4, $5, '{}', $6, $7, $8)",
);
const HOUR: i64 = 3_600_000_000;
const SHIPMENTS: u128 = 500;
const DAYS: i64 = 5;
const BY: SumsBy = SumsBy { service: true, location: true };

/// A shipment as its number says. Many are bought at the same moment, so that chunks end between them.
struct Bought {
    status: &'static str,
    location: Option<Id<Location>>,
    chosen: Option<String>,
    purchased_at: i64,
    cost: Option<(i64, &'static str)>,
}

impl Bought {
    fn of(number: u128) -> Self {
        let at = i64::try_from(number / 7).unwrap() * HOUR * 2;
        Self {
            status: if number.is_multiple_of(9) { "voided" } else { "purchased" },
            location: (!number.is_multiple_of(4)).then(|| Id::from_bits(number % 3 + 1)),
            chosen: (number != 8)
                .then(|| format!("sandbox/{}/ca_1", ["economy", "express"][number as usize % 2])),
            purchased_at: at,
            cost: (!number.is_multiple_of(11))
                .then(|| (100 + at / HOUR, ["GBP", "JPY"][number as usize % 5 / 4])),
        }
    }
}

fn begin(day: i64) -> Timestamp {
    Timestamp::from_micros(day * 24 * HOUR)
}

fn periods() -> Vec<Period> {
    let first = Day::parse("2026-11-01").unwrap();
    let period =
        |day| Period { date: first.plus_days(day).unwrap(), begins_at: begin(day), ends_at: begin(day + 1) };
    (0..DAYS).map(period).collect()
}

async fn insert(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    for number in 0..SHIPMENTS {
        let (bought, id) = (Bought::of(number), Id::<Shipment>::from_bits(number));
        let values = [
            owner.into(),
            id.into(),
            bought.status.into(),
            bought.location.into(),
            bought.chosen.into(),
            bought.purchased_at.into(),
            bought.cost.map(|(amount, _)| amount).into(),
            bought.cost.map(|(_, currency)| currency).into(),
        ];
        tx.execute(&INSERT, &values).await?;
    }
    Ok(())
}

type Key = (String, Option<String>, Option<String>, Option<Id<Location>>);

fn add(sums: &mut BTreeMap<Key, Charges>, row: CostSums) {
    let key = (row.day.to_string(), row.currency, row.chosen, row.location);
    sums.entry(key).or_default().add(row.charges);
}

/// Reads all sums, this many purchases at a time. Returns them with the number of statements.
async fn summed(db: &Db, owner: Owner, rows: i64) -> (BTreeMap<Key, Charges>, usize) {
    let read = db.read(owner, async move |tx| {
        let (mut sums, mut chunks) = (BTreeMap::new(), 0);
        let mut after = PurchasePlace { purchased_at: begin(0), id: String::new() };
        let end = PurchasePlace { purchased_at: begin(DAYS), id: String::new() };
        loop {
            let next = costs::chunk_end(tx, owner, &after, end.purchased_at, rows).await?;
            let until = next.as_ref().unwrap_or(&end);
            for row in costs::shipment_sums(tx, owner, BY, &periods(), (&after, until)).await? {
                add(&mut sums, row);
            }
            chunks += 1;
            let Some(next) = next else { return Ok((sums, chunks)) };
            after = next;
        }
    });
    read.await.unwrap()
}

async fn chunks_of_any_size_have_the_same_sums(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    for number in [1, 2] {
        let owner = owner(number);
        db.write(owner, async move |tx| insert(tx, owner).await).await.unwrap();
    }
    let mut expected: BTreeMap<Key, Charges> = BTreeMap::new();
    let mut count = 0;
    for bought in
        (0..SHIPMENTS).map(Bought::of).filter(|bought| bought.purchased_at < begin(DAYS).as_micros())
    {
        let day = Day::parse("2026-11-01").unwrap().plus_days(bought.purchased_at / (24 * HOUR)).unwrap();
        let (charged, is_voided) = (bought.cost.map_or(0, |(amount, _)| amount), bought.status == "voided");
        let voided = if is_voided { charged } else { 0 };
        let (shipments_count, voided_count) = (1, is_voided.into());
        let charges = Charges {
            charged,
            voided,
            net: charged - voided,
            shipments_count,
            voided_count,
            duplicates_count: 0,
        };
        let currency = bought.cost.map(|(_, currency)| currency.to_owned());
        add(
            &mut expected,
            CostSums { day, currency, chosen: bought.chosen, location: bought.location, charges },
        );
        count += 1;
    }
    assert!(count > 300 && expected.len() > 40, "{count} shipments in {} groups", expected.len());
    for rows in [1, 3, 7, 50, count, 20_000] {
        let (sums, chunks) = summed(&db, owner(1), rows).await;
        assert_eq!(sums, expected, "{rows} rows at a time");
        // A last chunk is empty if the purchases fill all chunks before it.
        assert_eq!(i64::try_from(chunks).unwrap(), count / rows + 1, "{rows} rows at a time");
    }
    assert!(summed(&db, owner(3), 10).await.0.is_empty());
}

async fn a_duplicate_is_charged_once_and_like_its_shipment(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let (db, owner) = (fresh.open().await, owner(1));
    db.write(owner, async move |tx| insert(tx, owner).await).await.unwrap();
    let duplicate = |carrier_purchase: &str, amount: i64, is_voided| DuplicateCharge {
        carrier_purchase: carrier_purchase.to_owned(),
        cost: (amount > 0).then(|| (amount, "GBP".to_owned())),
        is_voided,
    };
    let charges = [
        (1, duplicate("a", 700, true)),
        (1, duplicate("b", 30, false)),
        (1, duplicate("a", 700, true)),
        (2, duplicate("c", 0, true)),
    ];
    let kept = charges.clone();
    let keep = db.write(owner, async move |tx| {
        for (number, charge) in &kept {
            duplicate_charges::insert(tx, owner, Id::from_bits(*number), charge).await?;
        }
        // It was never bought.
        duplicate_charges::insert(tx, owner, Id::from_bits(SHIPMENTS + 1), &kept[0].1).await
    });
    keep.await.unwrap();
    let read = db.read(owner, async move |tx| costs::duplicate_sums(tx, owner, BY, &periods()).await);
    let mut sums = BTreeMap::new();
    read.await.unwrap().into_iter().for_each(|row| add(&mut sums, row));
    let key = |currency: Option<&str>, number: u128| {
        let bought = Bought::of(number);
        ("2026-11-01".to_owned(), currency.map(str::to_owned), bought.chosen, bought.location)
    };
    let charged = |charged, voided, duplicates_count| Charges {
        charged,
        voided,
        net: charged - voided,
        duplicates_count,
        ..Charges::default()
    };
    let expected =
        BTreeMap::from([(key(Some("GBP"), 1), charged(730, 700, 2)), (key(None, 2), charged(0, 0, 1))]);
    assert_eq!(sums, expected);
}

async fn the_report_reads_an_index_alone(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    drop(fresh.open().await);
    let expected = match engine {
        Engine::Sqlite => {
            "USING COVERING INDEX shipment_by_purchased (owner=? AND purchased_at>? AND purchased_at<?)"
        }
        Engine::Postgres => "Index Only Scan using shipment_by_purchased on shipment",
    };
    for words in [&["SELECT purchased_at, id FROM shipment", "OFFSET $5"][..], &["sums.*", "FROM shipment"]] {
        let plan = plan(&fresh, engine, words).await;
        assert!(plan.contains(expected), "{plan}");
    }
}

on_both_engines!(
    chunks_of_any_size_have_the_same_sums,
    a_duplicate_is_charged_once_and_like_its_shipment,
    the_report_reads_an_index_alone
);
