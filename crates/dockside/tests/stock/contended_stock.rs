//! What the clients of a contention run compete for.

use std::sync::Mutex;

use testkit::client::Client;
use testkit::cluster::Cluster;
use testkit::resources::create_location;

use crate::inventory::{create_item, create_order};

/// The quantity of each of an order's two items. Two neighbouring orders share each item.
pub const WANTED: i64 = 60;
/// The stock of each item: less than the orders want, and about as much as the clients complete.
pub const STOCK: i64 = 45;
/// Clients that prepare the contended stock.
const BUILDERS: usize = 8;

/// What the clients compete for: order `n` wants items `n` and `n + 1`.
pub struct ContendedStock {
    pub location: String,
    pub items: Vec<String>,
    pub orders: Vec<String>,
}

impl ContendedStock {
    pub fn new(cluster: &Cluster, orders: usize) -> Self {
        let location = create_location(&mut cluster.client(0));
        let place = location.as_str();
        let items = built(cluster, orders + 1, |client, number| {
            create_item(client, &format!("item-{number}"), place, STOCK)
        });
        let orders = built(cluster, orders, |client, number| {
            create_order(client, &[&items[number], &items[number + 1]], WANTED)
        });
        Self { location, items, orders }
    }
}

/// Makes `count` resources, several at a time, and returns their ids in order.
fn built(cluster: &Cluster, count: usize, make: impl Fn(&mut Client, usize) -> String + Sync) -> Vec<String> {
    let ids = Mutex::new(vec![String::new(); count]);
    std::thread::scope(|scope| {
        for builder in 0..BUILDERS {
            let (ids, make) = (&ids, &make);
            scope.spawn(move || {
                let mut client = cluster.client(builder);
                for number in (builder..count).step_by(BUILDERS) {
                    let id = make(&mut client, number);
                    ids.lock().unwrap()[number] = id;
                }
            });
        }
    });
    ids.into_inner().unwrap()
}
