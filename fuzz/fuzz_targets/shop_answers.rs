//! Any bytes as the answers of any shop to any task: a task ends, a position leads on, and an order that is read is one
//! that the model takes.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use model::Timestamp;
use model::orders::order::OrderInput;
use serde_json::{Map, Value, json};
use shops::{
    ALL, Answer, Connector, EXCHANGES_MAX, LineQuantity, Outcome, Position, Shipped, Shop, ShopOrder, Step,
    StockLevel, Task,
};

/// Between the answers of several exchanges.
const SEPARATOR: u8 = 0xff;
const STATUSES: [u16; 11] = [200, 201, 204, 301, 400, 401, 403, 404, 409, 429, 503];

fn shop() -> Shop {
    let credentials =
        json!({"consumer_key": "ck", "consumer_secret": "cs", "access_token": "t", "secret_key": "sk"});
    let credentials = credentials.as_object().cloned().unwrap_or_default();
    let mut shop = Shop::new("https://quay.myshopify.com".to_owned(), credentials);
    shop.stock_location = Some("77".to_owned());
    shop
}

/// The model takes all of an order but perhaps its destination, or that nothing is ordered.
fn check_order(order: &ShopOrder) {
    let mut body: Map<String, Value> = order.body();
    body.remove("destination");
    if !order.lines.is_empty() {
        let parsed = model::platform::shape::parse::<OrderInput>(body.into());
        assert!(parsed.is_ok(), "{:?}", parsed.err().map(|error| error.to_string()));
    }
}

fn check(outcome: &Outcome) {
    match outcome {
        Outcome::Polled(page) => {
            page.orders.iter().for_each(check_order);
            let text = serde_json::to_string(&page.next).expect("a position");
            assert_eq!(serde_json::from_str::<Position>(&text).ok().as_ref(), Some(&page.next));
            assert!(!page.is_last || !page.next.is_under_way());
        }
        Outcome::Fetched(order) => check_order(order),
        Outcome::Failed(failure) => assert!(failure.message.chars().count() <= 500),
        _ => {}
    }
}

/// Gives the answers to a task, one after the other, and then the last one again.
fn play(connector: &dyn Connector, task: &Task<'_>, answers: &[Answer]) {
    let shop = shop();
    let mut given = Vec::new();
    let mut last_write = None;
    loop {
        let request = match connector.step(&shop, task, &given) {
            Step::Done(outcome) => return check(&outcome),
            Step::Send(request) => request,
        };
        assert!(given.len() < EXCHANGES_MAX, "the shop is asked without end");
        assert!(request.url.starts_with("https://quay.myshopify.com/") && request.url.len() < 2048);
        if request.is_write {
            let write = (request.url, request.body);
            assert_ne!(last_write.as_ref(), Some(&write), "the same is told twice");
            last_write = Some(write);
        }
        given.push(answers.get(given.len()).or(answers.last()).expect("an answer").clone());
    }
}

fuzz_target!(|bytes: &[u8]| {
    let [kind, status, which, body @ ..] = bytes else { return };
    let status = STATUSES[usize::from(*status) % STATUSES.len()];
    let answer = |body: &[u8]| Answer::Response {
        status,
        retry_after: None,
        total: (body.len() % 3 == 0).then_some(body.len() as u64),
        body: Bytes::copy_from_slice(body),
    };
    let answers: Vec<Answer> = body.split(|byte| *byte == SEPARATOR).map(answer).collect();
    let connector = ALL[usize::from(*which) % ALL.len()];
    let order = if connector.kind() == "medusa" { "order_1" } else { "13" };
    let line = |line: &str, quantity| LineQuantity { line: line.to_owned(), quantity };
    let shipped = Shipped {
        order: order.to_owned(),
        reference: "shp_7".to_owned(),
        tracking_numbers: vec!["SB123GB".to_owned()],
        lines: vec![line("1", 2), line("2", 1)],
        is_last: true,
        ..Shipped::default()
    };
    let level = |sku: &str, sellable| StockLevel { sku: sku.to_owned(), sellable };
    let levels = [level("A", 3), level("B,C", 0)];
    let (position, now) = (Position::starting_at(Timestamp::from_micros(0)), Timestamp::from_micros(1 << 51));
    let task = match kind % 6 {
        0 => Task::Test,
        1 => Task::Poll { position: &position, now },
        2 => Task::Fetch { order },
        3 => Task::Fulfil(&shipped),
        4 => Task::CancelFulfilment(&shipped),
        _ => Task::SetStock { key: "job", levels: &levels },
    };
    play(connector, &task, &answers);
});
