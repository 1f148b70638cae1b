//! Stores with many orders. Making them over HTTP would take longer than the measurement. So all but one are written
//! directly into the tables, with the rows that the product writes, except for events.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use model::access::access_token::Secret;
use model::orders::indexed_order::IndexedOrder;
use model::orders::order::{Line, QUANTITY_MAX};
use model::{Id, InventoryItem, Order, Owner};
use service::{Clock, SystemClock};
use store::orders::orders;

use crate::harness::load;
use crate::harness::outcome::Outcome;
use crate::harness::postgres::Database;
use crate::harness::process::{self, Data, Server, create_request, request};
use crate::harness::store::open;

/// Orders in one transaction: enough that the cost of its commit does not matter.
const ORDERS_PER_WRITE: usize = 20_000;
/// The reference of the order of which the others are copies.
const REFERENCE: &str = "SO-sample";
/// The step from one requested order to the next: a prime, so that all orders are visited, and never two neighbours
/// in a row.
const STRIDE: usize = 7919;

/// A store with a location, an item and orders for it, and the server of it.
pub struct OrderStore {
    pub server: Server,
    pub data: Data,
    pub token: String,
    pub owner: Owner,
    pub location: String,
    pub item: String,
    /// The one order that was made over HTTP. It has one allocation.
    pub sample: String,
    /// The product's answer to that request.
    pub answer: Vec<u8>,
}

impl OrderStore {
    /// Makes the store with this number of orders, numbered from 0.
    pub async fn open(data: Data, database: Option<&Database>, orders: usize) -> Outcome<Self> {
        Self::open_with(data, database, orders, "").await
    }

    /// Makes the store as [`OrderStore::open`] does, with more fields in each order. `SO-sample` in them becomes the
    /// number of the order.
    pub async fn open_with(
        data: Data,
        database: Option<&Database>,
        orders: usize,
        fields: &str,
    ) -> Outcome<Self> {
        let token = data.token().await?;
        let owner = Secret::owner_of(&token).ok_or("the token names no owner")?;
        let server = data.serve().await?;
        let ask = async |path: &str, body: &str| {
            load::ask(&server.target(request("POST", path, Some(&token), body))).await
        };
        let location = process::id(&load::ask(&server.target(create_request(&token))).await?)?;
        let item = process::id(&ask("/inventory_items", r#"{"sku":"MUG-1","name":"Mug"}"#).await?)?;
        let body = format!(
            r#"{{"reference":"{REFERENCE}",{fields}"items":[{{"id":"{item}","quantity":{QUANTITY_MAX}}}],"destination":{{"address":{{"line_1":"3 High Street","city":"Leeds","post_code":"LS1 4AP","country_code":"GB"}}}}}}"#
        );
        let order = ask("/orders", &body).await?;
        let sample = process::id(&order)?;
        let answer =
            ask(&format!("/allocations/orders/{sample}"), &allocation_body(&location, &item)).await?;
        let doc = process::body(&order)?;
        let copies = Copies { owner, item: &item, doc, id: &sample };
        match database {
            Some(database) => copies.to_postgres(database, orders).await?,
            None => copies.to_sqlite(&data.file(), orders).await?,
        }
        Ok(Self { server, data, token, owner, location, item, sample, answer })
    }

    /// Returns requests to allocate one piece for each of these orders.
    pub fn allocate(&self, orders: impl Iterator<Item = usize>) -> Arc<[Bytes]> {
        let body = allocation_body(&self.location, &self.item);
        let path = |order| format!("/allocations/orders/{}", order_id(order));
        orders.map(|order| request("POST", &path(order), Some(&self.token), &body)).collect()
    }

    /// Returns requests to read each of these orders.
    pub fn get(&self, orders: impl Iterator<Item = usize>) -> Arc<[Bytes]> {
        orders
            .map(|order| request("GET", &format!("/orders/{}", order_id(order)), Some(&self.token), ""))
            .collect()
    }

    /// Returns requests to search, for each of these orders one.
    pub fn search(
        &self,
        orders: impl Iterator<Item = usize>,
        query: impl Fn(usize) -> String,
    ) -> Arc<[Bytes]> {
        let path = |order| format!("/search?q={}", query(order));
        orders.map(|order| request("GET", &path(order), Some(&self.token), "")).collect()
    }

    /// Returns the request for a page of them.
    pub fn list(&self) -> Arc<[Bytes]> {
        [request("GET", "/orders", Some(&self.token), "")].into()
    }
}

fn allocation_body(location: &str, item: &str) -> String {
    format!(
        r#"{{"allocations":[{{"location":{{"id":"{location}"}},"items":[{{"id":"{item}","quantity":1}}]}}]}}"#
    )
}

/// Returns the id of an order that was written directly into the tables. It has only digits, so that SQL can compute
/// it too.
pub fn order_id(order: usize) -> String {
    format!("ord_{order:026}")
}

/// Returns `amount` orders from all over the store.
pub fn scattered(orders: usize, amount: usize) -> impl Iterator<Item = usize> {
    (0..amount).map(move |place| place * STRIDE % orders)
}

/// The rows to copy.
struct Copies<'a> {
    owner: Owner,
    item: &'a str,
    doc: &'a str,
    id: &'a str,
}

impl Copies<'_> {
    async fn to_sqlite(&self, file: &Path, orders: usize) -> Outcome<()> {
        let db = open(file).await?;
        let (owner, now) = (self.owner, SystemClock.now());
        let line = Line {
            id: Id::<InventoryItem>::parse(self.item).ok_or("the item has no id")?,
            quantity: QUANTITY_MAX,
        };
        for first in (0..orders).step_by(ORDERS_PER_WRITE) {
            let (doc, sample) = (self.doc.to_owned(), self.id.to_owned());
            let write = db.write(owner, async move |tx| {
                for order in first..orders.min(first + ORDERS_PER_WRITE) {
                    let text = order_id(order);
                    let Some(id) = Id::<Order>::parse(&text) else { continue };
                    let reference = format!("SO-{order}");
                    let doc = doc.replace(&sample, &text).replace(REFERENCE, &reference);
                    let parsed = serde_json::from_str(&doc).map_err(model::Error::fault)?;
                    orders::insert(tx, owner, &IndexedOrder::of(&parsed)?, &doc).await?;
                    orders::set_lines(tx, owner, id, &[], &[line]).await?;
                    orders::reserve(tx, owner, Id::from_bits(id.bits()), id, now).await?;
                }
                Ok(())
            });
            write.await.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Returns the search terms of the order `n`, as a list of SQL expressions.
    fn terms_sql(&self) -> Outcome<String> {
        const NUMBER: &str = "987654321";
        let doc = self.doc.replace(REFERENCE, &format!("SO-{NUMBER}"));
        let indexed = IndexedOrder::of(&serde_json::from_str(&doc)?).map_err(|error| error.to_string())?;
        let sql = |term: &String| format!("'{}'", term.replace('\'', "''").replace(NUMBER, "' || n || '"));
        Ok(indexed.terms.iter().map(sql).collect::<Vec<_>>().join(", "))
    }

    async fn to_postgres(&self, database: &Database, orders: usize) -> Outcome<()> {
        let (owner, item, last) = (self.owner, self.item, orders - 1);
        let terms = self.terms_sql()?;
        let doc = self.doc.replace('\'', "''").replace(self.id, "' || id || '");
        let doc = doc.replace(REFERENCE, "SO-' || n || '");
        let sql = format!(
            "CREATE TEMPORARY TABLE filling AS
                 SELECT n, 'ord_' || lpad(n::text, 26, '0') AS id FROM generate_series(0, {last}) AS n;
             INSERT INTO orders (owner, id, version, status, reference, doc)
                 SELECT '{owner}', id, 1, 'committed', 'SO-' || n, '{doc}' FROM filling ORDER BY n;
             INSERT INTO order_line (owner, order_id, item_id, place, quantity, allocated)
                 SELECT '{owner}', id, '{item}', 0, {QUANTITY_MAX}, 0 FROM filling ORDER BY n;
             INSERT INTO reservation (owner, id, order_id, created_at, updated_at)
                 SELECT '{owner}', 'res_' || lpad(n::text, 26, '0'), id, 1700000000000000, 1700000000000000
                 FROM filling ORDER BY n;
             INSERT INTO search_term (owner, kind, term, age)
                 SELECT '{owner}', 'ord', term, '7' || translate(substr(lpad(n::text, 26, '0'), 2), '0123456789', 'zyxwvtsrqp')
                 FROM filling, unnest(ARRAY[{terms}]) AS of (term) ORDER BY term, n DESC ON CONFLICT DO NOTHING;
             DROP TABLE filling;"
        );
        database.client.batch_execute(&sql).await?;
        // The server does this by itself after a while. Do it now, so that it does not happen during a measurement.
        Ok(database.client.batch_execute("VACUUM ANALYZE").await?)
    }
}
