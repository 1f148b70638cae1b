//! Which fields of a resource are shown, and how: the columns of tables and the lines of a single resource.

use model::platform::money::show_amount;
use serde_json::Value;

use crate::screen::{Paint, Screen};
use crate::table::{self, Cell, Column};
use crate::text::harmless;

/// What is shown if a field has no value.
const NOTHING: &str = "-";

/// A field of a resource, under the title that people read.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub title: &'static str,
    /// JSON pointers into the resource. The first that leads to a value counts.
    pub pointers: &'static [&'static str],
    pub kind: Kind,
}

/// How a value is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An id, or another word that is useless in part.
    Word,
    Text,
    Number,
    /// A state, in a colour.
    Status,
    /// A moment, to the minute, in UTC.
    Time,
    /// An object with `amount` and `currency_code`.
    Money,
    /// Whether something holds.
    Flag,
}

impl Field {
    pub const fn new(title: &'static str, kind: Kind, pointers: &'static [&'static str]) -> Self {
        Self { title, pointers, kind }
    }

    fn column(&self) -> Column {
        Column {
            title: self.title,
            is_number: matches!(self.kind, Kind::Number | Kind::Money),
            is_cut: self.kind == Kind::Text,
        }
    }

    /// Returns what is shown of a resource.
    pub fn cell(&self, resource: &Value) -> Cell {
        let mut values = self.pointers.iter().filter_map(|pointer| resource.pointer(pointer));
        let value = values.find(|value| !value.is_null()).unwrap_or(&Value::Null);
        let text = match self.kind {
            Kind::Time => time(value),
            Kind::Money => money(value),
            Kind::Flag => (if value == true { "yes" } else { "no" }).to_owned(),
            Kind::Word | Kind::Text | Kind::Number | Kind::Status => plain(value),
        };
        let paint = if self.kind == Kind::Status { paint(&text) } else { Paint::Plain };
        Cell { text, paint }
    }
}

/// Returns resources as a table.
pub fn rows(screen: &Screen, fields: &[Field], resources: &[Value]) -> String {
    let columns: Vec<Column> = fields.iter().map(Field::column).collect();
    let rows: Vec<Vec<Cell>> =
        resources.iter().map(|resource| fields.iter().map(|field| field.cell(resource)).collect()).collect();
    table::table(screen, &columns, &rows)
}

/// Returns one resource, a line for each field.
pub fn lines(screen: &Screen, fields: &[Field], resource: &Value) -> String {
    let rows: Vec<(&str, Cell)> = fields.iter().map(|field| (field.title, field.cell(resource))).collect();
    table::pairs(screen, &rows)
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => NOTHING.to_owned(),
        Value::String(text) if text.is_empty() => NOTHING.to_owned(),
        Value::String(text) => harmless(text),
        Value::Array(values) if values.is_empty() => NOTHING.to_owned(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => harmless(&other.to_string()),
    }
}

/// Returns `2026-11-01 09:30` for `2026-11-01T09:30:00.000000Z`. All times of the API are in UTC.
fn time(value: &Value) -> String {
    let text = plain(value);
    match (text.get(..10), text.get(10..11), text.get(11..16)) {
        (Some(day), Some("T"), Some(minute)) => format!("{day} {minute}"),
        _ => text,
    }
}

fn money(value: &Value) -> String {
    match (value["amount"].as_i64(), value["currency_code"].as_str()) {
        (Some(amount), Some(currency)) => amount_of(amount, currency),
        _ => NOTHING.to_owned(),
    }
}

/// Returns an amount with its currency: `12.99 GBP`.
pub fn amount_of(amount: i64, currency: &str) -> String {
    format!("{} {}", show_amount(amount, currency), harmless(currency))
}

/// Returns the colour of a state: whether it is an end that was wanted, one that was not, or none.
fn paint(state: &str) -> Paint {
    match state {
        "fulfilled" | "purchased" | "completed" | "delivered" | "shipped" | "printed" | "done" => Paint::Good,
        "cancelled" | "voided" | NOTHING => Paint::Dim,
        "purchase_failed"
        | "partially_purchased"
        | "failed"
        | "failure"
        | "uncertain"
        | "exception"
        | "return_to_sender" => Paint::Bad,
        "purchasing" | "running" | "queued" | "sending" | "cancelling" | "pending" => Paint::Waiting,
        _ => Paint::Plain,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_of_value_has_its_form() {
        let order = json!({
            "id": "ord_1", "customer": {"name": null, "company": "Acme"}, "tags": ["a", "b"], "none": [],
            "cost": {"amount": 1299, "currency_code": "GBP"}, "at": "2026-11-01T09:30:59.000001Z", "status": "purchased",
        });
        let shown = |kind, pointers| Field::new("", kind, pointers).cell(&order);
        assert_eq!(shown(Kind::Word, &["/id"]).text, "ord_1");
        assert_eq!(shown(Kind::Text, &["/customer/name", "/customer/company"]).text, "Acme");
        assert_eq!(shown(Kind::Text, &["/customer/name"]).text, "-");
        assert_eq!(shown(Kind::Text, &["/tags"]).text, "a, b");
        assert_eq!(shown(Kind::Text, &["/none"]).text, "-");
        assert_eq!(shown(Kind::Money, &["/cost"]).text, "12.99 GBP");
        assert_eq!(shown(Kind::Money, &["/missing"]).text, "-");
        assert_eq!(shown(Kind::Time, &["/at"]).text, "2026-11-01 09:30");
        assert_eq!(shown(Kind::Time, &["/id"]).text, "ord_1");
        assert_eq!(shown(Kind::Flag, &["/missing"]).text, "no");
        assert_eq!(
            shown(Kind::Status, &["/status"]),
            Cell { text: "purchased".to_owned(), paint: Paint::Good }
        );
    }

    #[test]
    fn resources_become_a_table() {
        let fields = [
            Field::new("ID", Kind::Word, &["/id"]),
            Field::new("COST", Kind::Money, &["/cost"]),
            Field::new("AT", Kind::Time, &["/at"]),
        ];
        let resources = [
            json!({"id": "shp_1", "cost": {"amount": 120_000, "currency_code": "JPY"}}),
            json!({"id": "shp_22", "cost": {"amount": 5, "currency_code": "GBP"}, "at": "2026-11-01T09:30:00Z"}),
        ];
        let screen = Screen { columns: None, is_coloured: false };
        assert_eq!(
            rows(&screen, &fields, &resources),
            "ID            COST  AT\n\
             shp_1   120000 JPY  -\n\
             shp_22    0.05 GBP  2026-11-01 09:30\n"
        );
        assert_eq!(
            lines(&screen, &fields, &resources[1]),
            "ID    shp_22\nCOST  0.05 GBP\nAT    2026-11-01 09:30\n"
        );
    }
}
