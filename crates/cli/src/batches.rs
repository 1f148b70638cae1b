//! `dockside batches`: lists batches, shows one, and purchases it once its cost was shown and confirmed.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write, stderr, stdin};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::Value;
use tokio::time::sleep;

use crate::common::{Common, part, print_body};
use crate::failure::Failure;
use crate::list::{List, Listing, Pages};
use crate::operation::{GET_BATCH, LIST_BATCH_SHIPMENTS, LIST_BATCHES, Operation, PURCHASE_BATCH};
use crate::screen::{Screen, note, print};
use crate::server::{Answer, Call, Server};
use crate::text::{counted, harmless};
use crate::view::{self, Field, Kind, amount_of};

/// How long the server is asked to wait for the outcome, and how often it is asked afterwards.
const PURCHASE_WAIT_SECONDS: u64 = 30;
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The wait, and the time that the answer itself may take.
const PURCHASE_TIME: Duration = Duration::from_secs(PURCHASE_WAIT_SECONDS + 60);
/// The parts of a shipment that say what it will cost.
const PRICE_FIELDS: &str = "rates,selected_rate";

#[derive(Subcommand)]
pub enum Batches {
    /// List batches, newest first.
    List(Box<List<BatchList>>),
    /// Show a batch with its counts and errors.
    Show {
        #[command(flatten)]
        batch: Batch,
    },
    /// Purchase what is not purchased of a batch, after you confirm its cost.
    ///
    /// Waits until the purchase has ended, and fails unless everything is purchased. A purchase that is under way is joined: nothing is
    /// bought twice.
    Purchase {
        #[command(flatten)]
        batch: Batch,
        /// Do not ask: purchase at once.
        #[arg(long)]
        yes: bool,
    },
}

/// A batch, and how to call the server.
#[derive(Args)]
pub struct Batch {
    /// The batch: its id (batch_…).
    #[arg(value_name = "BATCH")]
    batch: String,
    #[command(flatten)]
    common: Common,
}

pub struct BatchList;

impl Listing for BatchList {
    const OPERATION: &'static Operation = &LIST_BATCHES;
    const NOUN: &'static str = "batches";
    const FIELDS: &'static [Field] = &[
        Field::new("ID", Kind::Word, &["/id"]),
        Field::new("NAME", Kind::Text, &["/name"]),
        Field::new("STATUS", Kind::Status, &["/status"]),
        Field::new("SHIPMENTS", Kind::Number, &["/shipments_count"]),
        Field::new("PURCHASED", Kind::Number, &["/purchased_count"]),
        Field::new("ERRORS", Kind::Number, &["/error_count"]),
        Field::new("CREATED", Kind::Time, &["/created_at"]),
    ];
}

pub const BATCH: &[Field] = &[
    Field::new("Batch", Kind::Word, &["/id"]),
    Field::new("Name", Kind::Text, &["/name"]),
    Field::new("Status", Kind::Status, &["/status"]),
    Field::new("Carrier", Kind::Text, &["/service/carrier/name", "/service/carrier/handle"]),
    Field::new("Service", Kind::Text, &["/service/carrier_service/name", "/service/carrier_service/handle"]),
    Field::new("Shipments", Kind::Number, &["/shipments_count"]),
    Field::new("Purchased", Kind::Number, &["/purchased_count"]),
    Field::new("Packages", Kind::Number, &["/packages_count"]),
    Field::new("Errors", Kind::Number, &["/error_count"]),
    Field::new("Labels to come", Kind::Number, &["/labels_pending_count"]),
    Field::new("Created", Kind::Time, &["/created_at"]),
];

pub const ERRORS: &[Field] = &[
    Field::new("SHIPMENT", Kind::Word, &["/shipment_id"]),
    Field::new("ERROR", Kind::Word, &["/code"]),
    Field::new("MESSAGE", Kind::Text, &["/message"]),
];

pub async fn run(command: Batches) -> Result<(), Failure> {
    match command {
        Batches::List(list) => list.run().await,
        Batches::Show { batch } => {
            let server = batch.common.open()?;
            let answer = batch.get(&server).await?;
            batch.common.show(&answer, BATCH, |screen, batch| part(screen, ERRORS, &batch["errors"]))
        }
        Batches::Purchase { batch, yes } => batch.purchase(yes).await,
    }
}

impl Batch {
    async fn get(&self, server: &Server) -> Result<Answer, Failure> {
        server.call(Call::new(&GET_BATCH).id(&self.batch)).await
    }

    async fn purchase(&self, is_confirmed: bool) -> Result<(), Failure> {
        let server = self.common.open()?;
        let before = self.get(&server).await?;
        if before.json["status"] == "purchased" {
            note("The batch is purchased already.");
            return self.told(&before);
        }
        if !is_confirmed && before.json["status"] != "purchasing" {
            confirm(&self.price(&server, &before.json).await?.question(&before.json))?;
        }
        let call = Call::new(&PURCHASE_BATCH).id(&self.batch).wait(PURCHASE_WAIT_SECONDS);
        let mut answer = server.call(call.time_limit(PURCHASE_TIME)).await?;
        let is_shown = stderr().is_terminal();
        while answer.json["status"] == "purchasing" {
            if is_shown {
                progress(&answer.json);
            }
            sleep(LOOK_EVERY).await;
            answer = self.get(&server).await?;
        }
        self.told(&answer)
    }

    /// Shows what came of the purchase. It fails unless everything is purchased.
    fn told(&self, answer: &Answer) -> Result<(), Failure> {
        let batch = &answer.json;
        if self.common.json {
            print_body(answer)?;
        } else {
            let screen = Screen::new();
            let errors = part(&screen, ERRORS, &batch["errors"]);
            print(&format!("{}{errors}", view::lines(&screen, BATCH, batch)))?;
        }
        if batch["status"] == "purchased" {
            return Ok(());
        }
        let (all, bought) = (count(batch, "shipments_count"), count(batch, "purchased_count"));
        Err(Failure::refused(format!(
            "{bought} of {} are purchased. Repair the others or remove them, and purchase again",
            counted(all, "shipment")
        )))
    }

    /// Adds up what the shipments that are not purchased will cost.
    async fn price(&self, server: &Server, batch: &Value) -> Result<Price, Failure> {
        let query = [("include_fields", PRICE_FIELDS.to_owned())];
        let mut pages = Pages::new(&LIST_BATCH_SHIPMENTS, &[&self.batch], &query);
        let mut price = Price::default();
        while let Some(page) = pages.next(server, usize::MAX).await? {
            page.iter().for_each(|shipment| price.add(shipment, batch));
        }
        Ok(price)
    }
}

/// What a purchase will cost.
#[derive(Default)]
struct Price {
    shipments: usize,
    /// Shipments whose service was not rated: what they cost is known when they are bought.
    unknown: usize,
    /// The sum in each currency.
    amounts: BTreeMap<String, i64>,
}

impl Price {
    fn add(&mut self, shipment: &Value, batch: &Value) {
        if shipment["status"] == "purchased" || shipment["status"] == "voided" {
            return;
        }
        self.shipments += 1;
        let rate = rate(shipment, batch);
        match rate.and_then(|rate| rate["rate"].as_i64().zip(rate["currency_code"].as_str())) {
            Some((amount, currency)) => *self.amounts.entry(currency.to_owned()).or_default() += amount,
            None => self.unknown += 1,
        }
    }

    fn question(&self, batch: &Value) -> String {
        let name = batch["name"].as_str().or_else(|| batch["id"].as_str()).unwrap_or_default();
        let amounts: Vec<String> =
            self.amounts.iter().map(|(currency, amount)| amount_of(*amount, currency)).collect();
        let known = self.shipments - self.unknown;
        let cost = match (known, self.unknown) {
            (0, 0) => "there is nothing to buy".to_owned(),
            (0, _) => "they are not rated, so the cost is known when they are bought".to_owned(),
            (_, 0) => format!("they cost {}", amounts.join(" and ")),
            (known, unknown) => {
                format!(
                    "{known} of them cost {}, the cost of {unknown} is not known before",
                    amounts.join(" and ")
                )
            }
        };
        format!("Batch {}: {} to purchase; {cost}.", harmless(name), counted(self.shipments, "shipment"))
    }
}

/// Returns the rate by which a shipment will be bought: the one that it chose, or that of the service that it or its batch names.
fn rate<'a>(shipment: &'a Value, batch: &Value) -> Option<&'a Value> {
    let own = Some(&shipment["service"]).filter(|own| !own.is_null() && batch["override"] != true);
    let service = own.unwrap_or_else(|| &batch["service"]);
    let mut rates = shipment["rates"].as_array()?.iter();
    if let Some(chosen) = service["rate"].as_str() {
        return rates.find(|rate| rate["id"] == chosen);
    }
    if service["carrier_service"].is_null() {
        return None;
    }
    let is_of = |rate: &Value, part: &str| is_same(&rate[part], &service[part]);
    rates.find(|rate| ["carrier", "carrier_service", "carrier_account"].iter().all(|part| is_of(rate, part)))
}

/// Returns whether two references name the same thing: by their ids, or by a handle that never changes. What is not named may be any.
fn is_same(one: &Value, wanted: &Value) -> bool {
    wanted.is_null() || ["id", "handle"].iter().any(|name| !one[name].is_null() && one[name] == wanted[name])
}

/// Asks the person at the terminal.
fn confirm(question: &str) -> Result<(), Failure> {
    if !stdin().is_terminal() {
        return Err(Failure::usage(format!(
            "{question} There is no terminal to ask at: add --yes to purchase"
        )));
    }
    // If the question can't be shown, nothing is answered either.
    let _shown = write!(stderr(), "{question}\nPurchase? [y/N] ");
    let mut line = String::new();
    stdin().read_line(&mut line).map_err(|error| Failure::usage(format!("standard input: {error}")))?;
    if matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Failure::usage("nothing was purchased"))
}

fn progress(batch: &Value) {
    let (all, bought) = (count(batch, "shipments_count"), count(batch, "purchased_count"));
    note(&format!("{bought} of {} purchased", counted(all, "shipment")));
}

fn count(batch: &Value, name: &str) -> usize {
    batch[name].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shipment(status: &str, service: &Value, rates: &[(&str, i64, &str)]) -> Value {
        let rates: Vec<Value> = rates
            .iter()
            .map(|(id, rate, currency)| {
                let (carrier, service) = (json!({"id": "car_1"}), json!({"id": format!("svc_{id}"), "handle": id}));
                json!({"id": format!("rate_{id}"), "rate": rate, "currency_code": currency, "carrier": carrier, "carrier_service": service})
            })
            .collect();
        json!({"status": status, "service": service, "rates": rates})
    }

    fn question(batch: &Value, shipments: &[Value]) -> String {
        let mut price = Price::default();
        shipments.iter().for_each(|shipment| price.add(shipment, batch));
        price.question(batch)
    }

    const RATES: [(&str, i64, &str); 2] = [("slow", 450, "GBP"), ("fast", 1299, "GBP")];

    #[test]
    fn the_cost_is_that_of_the_chosen_rates() {
        let slow = json!({"rate": "rate_slow"});
        let chosen = shipment("rated", &json!({"rate": "rate_fast"}), &RATES);
        let failed = shipment("purchase_failed", &slow, &RATES);
        let bought = shipment("purchased", &slow, &RATES);
        let abroad = shipment("rated", &json!({"rate": "rate_r"}), &[("r", 700, "JPY")]);
        assert_eq!(
            question(&json!({"name": "Monday"}), &[chosen, failed, bought, abroad]),
            "Batch Monday: 3 shipments to purchase; they cost 17.49 GBP and 700 JPY."
        );
    }

    #[test]
    fn a_service_that_was_rated_has_a_cost() {
        let batch = json!({"name": "M", "service": {"carrier_service": {"handle": "slow"}}});
        let fast = json!({"carrier_service": {"id": "svc_fast"}, "carrier": {"id": "car_1"}});
        let (own, none) = (shipment("rated", &fast, &RATES), shipment("rated", &Value::Null, &RATES));
        assert!(question(&batch, &[own.clone(), none.clone()]).ends_with("they cost 17.49 GBP."));
        let mut overriding = batch;
        overriding["override"] = json!(true);
        assert!(question(&overriding, &[own, none]).ends_with("they cost 9.00 GBP."));
    }

    #[test]
    fn what_is_not_known_is_said() {
        let named = shipment("draft", &Value::Null, &[]);
        assert_eq!(
            question(&json!({"name": null, "id": "batch_1"}), std::slice::from_ref(&named)),
            "Batch batch_1: 1 shipment to purchase; they are not rated, so the cost is known when they are bought."
        );
        // A rate that is not there any more has no price, and neither has another carrier's service of the same name.
        let outdated = shipment("rated", &json!({"rate": "rate_gone"}), &RATES);
        let other = json!({"carrier_service": {"handle": "slow"}, "carrier": {"id": "car_2"}});
        let known = shipment("rated", &json!({"rate": "rate_slow"}), &RATES);
        assert_eq!(
            question(&json!({"name": "M"}), &[named, outdated, known, shipment("rated", &other, &RATES)]),
            "Batch M: 4 shipments to purchase; 1 of them cost 4.50 GBP, the cost of 3 is not known before."
        );
        assert!(
            question(&json!({"name": "M"}), &[])
                .ends_with("0 shipments to purchase; there is nothing to buy.")
        );
    }
}
