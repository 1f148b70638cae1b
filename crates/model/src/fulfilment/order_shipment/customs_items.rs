//! The lines of a customs declaration, from the prices of an order and the data of its items.

use std::collections::BTreeMap;

use super::order_to_ship::OrderToShip;
use crate::platform::problem::Issue;
use crate::shipping::shipment::customs::CustomsItem;
use crate::shipping::shipment::package::round_up;
use crate::stock::inventory_item::InventoryItemInput;
use crate::{Code, Id, InventoryItem, Problem};

const MASS_DECIMALS: u32 = 3;
const GRAMS_PER_KILOGRAM: f64 = 1000.0;
/// Characters of a description on customs papers.
const DESCRIPTION_CHARS_MAX: usize = 255;

type Items = BTreeMap<Id<InventoryItem>, InventoryItemInput>;

/// What the units of an item are worth: a price for a number of units.
#[derive(Clone, Copy, Default)]
struct Worth {
    price: i64,
    units: i64,
}

impl Worth {
    fn add(&mut self, unit_price: i64, units: i64) {
        self.price = self.price.saturating_add(unit_price.saturating_mul(units));
        self.units = self.units.saturating_add(units);
    }

    /// Returns the value of some of the units. If lines of one item have several prices, each unit has their mean, rounded up in
    /// the sum.
    fn of(self, quantity: i64) -> i64 {
        let part = i128::from(self.price) * i128::from(quantity);
        let count = i128::from(self.units.max(1));
        i64::try_from((part + count - 1) / count).unwrap_or(i64::MAX)
    }
}

/// Returns the customs lines for some units of an order.
///
/// # Errors
///
/// Refuses items without what customs demand, naming the fields, and values in several currencies.
pub fn customs_items(
    order: &OrderToShip,
    items: &Items,
    units: &BTreeMap<Id<InventoryItem>, i64>,
) -> Result<Vec<CustomsItem>, Problem> {
    let mut missing = Vec::new();
    let values = match values_of_lines(order, items, units, &mut missing) {
        Some(values) => values,
        None => values_of_items(items, units, &mut missing),
    };
    for id in units.keys() {
        let Some(item) = items.get(id) else { continue };
        let is_missing = [
            ("mass", item.mass.is_none()),
            ("hs_code", item.hs_code.is_none()),
            ("origin_country_code", item.origin_country_code.is_none()),
        ];
        let fields = is_missing.iter().filter(|(_, is_missing)| *is_missing);
        missing.extend(fields.map(|(field, _)| (*id, *field)));
    }
    if !missing.is_empty() {
        return Err(refuse(items, &missing));
    }
    let mut currencies: Vec<_> = values.values().map(|(_, currency)| currency.as_str()).collect();
    currencies.sort_unstable();
    currencies.dedup();
    if currencies.len() > 1 {
        let message = format!("The values are in {}.", currencies.join(" and "));
        let code = Code::CustomsCurrencyMixed;
        return Err(Problem::field(code, Issue::new(code.as_str(), "order_id", message)));
    }
    let line = |(id, quantity): (&Id<InventoryItem>, &i64)| {
        let (item, (worth, currency)) = (items.get(id)?, values.get(id)?);
        let grams = round_up(item.mass?, MASS_DECIMALS).saturating_mul(*quantity);
        let description = item.customs_description.as_ref().unwrap_or(&item.name);
        Some(CustomsItem {
            description: description.chars().take(DESCRIPTION_CHARS_MAX).collect(),
            quantity: *quantity,
            value: worth.of(*quantity),
            currency_code: Some(currency.clone()),
            mass: Some(grams as f64 / GRAMS_PER_KILOGRAM),
            hs_code: item.hs_code.clone(),
            origin_country_code: item.origin_country_code,
            sku: Some(item.sku.clone()),
            manufacturer_product_id: None,
            standardized_product_id: None,
        })
    };
    Ok(units.iter().filter_map(line).collect())
}

type Values = BTreeMap<Id<InventoryItem>, (Worth, String)>;

/// Returns the values from the prices that were paid, or `None` if not every unit has a price. What was free has the value of
/// its item.
fn values_of_lines(
    order: &OrderToShip,
    items: &Items,
    units: &BTreeMap<Id<InventoryItem>, i64>,
    missing: &mut Vec<(Id<InventoryItem>, &'static str)>,
) -> Option<Values> {
    let order_currency = order.currency_code.as_ref()?;
    let mut values: BTreeMap<Id<InventoryItem>, (Worth, String)> = BTreeMap::new();
    let mut free = Vec::new();
    for line in order.lines.iter().filter(|line| line.is_shippable) {
        let Some(id) = line.item_id.filter(|id| units.contains_key(id)) else { continue };
        let (mut price, mut currency) = (line.unit_price?, order_currency);
        let item = items.get(&id);
        if price == 0 {
            let value = item.and_then(|item| item.unit_value.zip(item.currency_code.as_ref()));
            match value {
                Some((value, of_value)) => (price, currency) = (value, of_value),
                None => free.push((id, "unit_value")),
            }
        }
        let entry = values.entry(id).or_insert_with(|| (Worth::default(), currency.clone()));
        if entry.1 != *currency {
            // The check of the currencies refuses it.
            entry.1 = format!("{} and {currency}", entry.1);
        }
        entry.0.add(price, line.quantity);
    }
    if values.len() < units.len() {
        return None;
    }
    missing.extend(free);
    Some(values)
}

fn values_of_items(
    items: &Items,
    units: &BTreeMap<Id<InventoryItem>, i64>,
    missing: &mut Vec<(Id<InventoryItem>, &'static str)>,
) -> Values {
    let mut values = Values::new();
    for id in units.keys() {
        let item = items.get(id);
        match item.and_then(|item| item.unit_value.zip(item.currency_code.as_ref())) {
            Some((value, currency)) => {
                values.insert(*id, (Worth { price: value, units: 1 }, currency.clone()));
            }
            None => missing.push((*id, "unit_value")),
        }
    }
    values
}

fn refuse(items: &Items, missing: &[(Id<InventoryItem>, &'static str)]) -> Problem {
    let issue = |(id, field): &(Id<InventoryItem>, &'static str)| {
        let sku = items.get(id).map_or("", |item| item.sku.as_str());
        let message = format!("The item {sku} ({id}) has no `{field}`, which customs demand.");
        let issue = Issue::new(Code::CustomsDataMissing.as_str(), "order_id", message);
        issue.with("item_id", id.to_string()).with("missing", *field)
    };
    Problem::fields(Code::CustomsDataMissing, missing.iter().map(issue).collect::<Vec<_>>())
}
