//! The texts of a shipment's customs declaration, and the papers that it needs.

use crate::bought::{Bought, day, ship_date, tracking_number};
use crate::customs_block;
use crate::label::{Contents, Customs, CustomsItem, Declaration};
use crate::mass::kilograms;
use crate::party::{recipient, sender};
use model::platform::money::{decimals, show_amount};
use model::shipping::shipment::customs;

/// 300 special drawing rights, the limit of CN22, in whole units of some currencies. Rounded down, because exchange
/// rates change and this table does not. Above the limit CN23 is used, which is always allowed. A currency that is
/// not listed needs CN23 too.
const CN22_LIMITS: [(&str, i64); 9] = [
    ("AUD", 550),
    ("CAD", 500),
    ("CHF", 300),
    ("CNY", 2500),
    ("EUR", 330),
    ("GBP", 270),
    ("JPY", 40_000),
    ("NZD", 600),
    ("USD", 375),
];

/// The customs papers that a shipment needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Papers {
    /// Whether CN22 is printed on the label.
    pub has_cn22: bool,
    pub has_cn23: bool,
    pub has_invoice: bool,
}

/// Returns the papers that a shipment needs. There are none within a country, or if nothing is declared. CN22 is for
/// low values, CN23 for higher ones. Goods that are neither a gift nor documents may have been sold, and need an
/// invoice.
pub(crate) fn needed(bought: &Bought<'_>) -> Papers {
    let addresses = [sender(bought.shipment), recipient(bought.shipment)];
    let is_abroad = addresses[0].country_code.as_str() != addresses[1].country_code.as_str();
    let Some(declared) = bought.shipment.customs.as_ref().filter(|_| is_abroad) else {
        return Papers::default();
    };
    let is_little = is_little(bought, declared);
    Papers {
        has_cn22: is_little,
        has_cn23: !is_little || declared.items.len() > customs_block::MAX_ROWS,
        has_invoice: !declared.items.is_empty()
            && !matches!(contents(declared), Contents::Gift | Contents::Documents),
    }
}

fn is_little(bought: &Bought<'_>, declared: &customs::Customs) -> bool {
    match totals(bought, declared).as_slice() {
        [] => true,
        [(currency, total)] => {
            CN22_LIMITS.iter().find(|(code, _)| code == currency).is_some_and(|(_, limit)| {
                let unit = 10_i64.pow(decimals(currency).unwrap_or_default());
                *total <= limit * unit
            })
        }
        _ => false,
    }
}

/// Returns the currency of an item: its own, else the shipment's, else that of the first item that has one. It may be
/// unknown.
fn currency<'a>(
    bought: &Bought<'a>,
    declared: &'a customs::Customs,
    item: &'a customs::CustomsItem,
) -> &'a str {
    let shipping = bought.shipment.options.as_ref().and_then(|options| options.shipping.as_ref());
    let of_shipment = || shipping.and_then(|shipping| shipping.currency_code.as_deref());
    let of_first = || declared.items.iter().find_map(|item| item.currency_code.as_deref());
    item.currency_code.as_deref().or_else(of_shipment).or_else(of_first).unwrap_or_default()
}

/// Returns the sum in each currency, in the order of their first occurrence.
fn totals<'a>(bought: &Bought<'a>, declared: &'a customs::Customs) -> Vec<(&'a str, i64)> {
    let mut totals: Vec<(&str, i64)> = Vec::new();
    for item in &declared.items {
        let currency = currency(bought, declared, item);
        match totals.iter_mut().find(|(code, _)| *code == currency) {
            Some((_, total)) => *total = total.saturating_add(item.value),
            None => totals.push((currency, item.value)),
        }
    }
    totals
}

fn money(amount: i64, currency: &str) -> String {
    format!("{} {currency}", show_amount(amount, currency)).trim_end().to_owned()
}

/// Returns the value of one piece of a line. If the line's value is not divisible, two more decimals are shown.
fn unit_value(item: &customs::CustomsItem, currency: &str) -> String {
    let quantity = item.quantity.max(1);
    if item.value % quantity == 0 {
        return money(item.value / quantity, currency);
    }
    let places = decimals(currency).unwrap_or(2) as usize + 2;
    let fine = (item.value.saturating_mul(100) + quantity / 2) / quantity;
    let digits = format!("{fine:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{whole}.{fraction} {currency}").trim_end().to_owned()
}

fn item_grams(item: &customs::CustomsItem) -> Option<i64> {
    item.mass.map(|mass| model::shipping::shipment::package::round_up(mass, 3))
}

/// Returns the mass of all packages, else of all items. Returns an empty text if one of either is unknown.
fn total_mass(bought: &Bought<'_>, declared: &customs::Customs) -> String {
    let packages = bought.shipment.packages.iter().map(|package| package.geometry?.grams());
    let of_packages = packages.sum::<Option<i64>>();
    kilograms(of_packages.or_else(|| declared.items.iter().map(item_grams).sum()))
}

fn contents(declared: &customs::Customs) -> Contents {
    match declared.contents_type.as_deref() {
        Some("documents") => Contents::Documents,
        Some("gift") => Contents::Gift,
        Some("merchandise") => Contents::Merchandise,
        Some("returned_goods") => Contents::Returned,
        Some("sample") => Contents::Sample,
        _ => Contents::Other,
    }
}

fn item(bought: &Bought<'_>, declared: &customs::Customs, item: &customs::CustomsItem) -> CustomsItem {
    let currency = currency(bought, declared, item);
    // The product numbers that customs of the European Union require.
    let numbers = [&item.manufacturer_product_id, &item.standardized_product_id];
    let words = std::iter::once(&item.description).chain(numbers.into_iter().flatten());
    CustomsItem {
        quantity: u32::try_from(item.quantity).unwrap_or(u32::MAX),
        description: words.map(String::as_str).collect::<Vec<_>>().join(", "),
        mass: kilograms(item_grams(item)),
        unit_value: unit_value(item, currency),
        value: money(item.value, currency),
        hs_code: item.hs_code.clone(),
        origin: item.origin_country_code,
    }
}

/// Returns the lines of a declaration. If it has none, its description becomes the only line.
fn items(bought: &Bought<'_>, declared: &customs::Customs) -> Vec<CustomsItem> {
    let described = declared.contents_description.as_ref().filter(|_| declared.items.is_empty());
    let in_words = described.map(|description| CustomsItem {
        quantity: 1,
        description: description.clone(),
        mass: total_mass(bought, declared),
        unit_value: String::new(),
        value: String::new(),
        hs_code: None,
        origin: None,
    });
    declared.items.iter().map(|line| item(bought, declared, line)).chain(in_words).collect()
}

fn total_value(bought: &Bought<'_>, declared: &customs::Customs) -> String {
    let totals = totals(bought, declared);
    totals.into_iter().map(|(currency, total)| money(total, currency)).collect::<Vec<_>>().join(" + ")
}

/// Returns the declarant and the date.
fn declarant(bought: &Bought<'_>, declared: &customs::Customs) -> (String, String) {
    let declarant = declared.declarant.as_ref();
    let name = declarant.and_then(|declarant| declarant.name.clone());
    let date = declarant.and_then(|declarant| declarant.date).map(day);
    let is_given = |name: &String| !name.trim().is_empty();
    (
        name.filter(is_given).unwrap_or_else(|| sender(bought.shipment).name),
        date.unwrap_or_else(|| ship_date(bought)),
    )
}

/// Returns the small declaration for the label.
pub(crate) fn customs(bought: &Bought<'_>) -> Option<Customs> {
    let declared = bought.shipment.customs.as_ref()?;
    let (signer, date) = declarant(bought, declared);
    Some(Customs {
        contents: contents(declared),
        items: items(bought, declared),
        total_mass: total_mass(bought, declared),
        total_value: total_value(bought, declared),
        signer,
        date,
    })
}

/// Returns the declaration for the papers on A4.
pub(crate) fn declaration(bought: &Bought<'_>) -> Option<Declaration> {
    let shipment = bought.shipment;
    let declared = shipment.customs.as_ref()?;
    let (signer, date) = declarant(bought, declared);
    let shipping = shipment.options.as_ref().and_then(|options| options.shipping.as_ref());
    let non_delivery = match shipping.and_then(|shipping| shipping.non_delivery.as_deref()) {
        Some("abandon") => "treat as abandoned",
        _ => "return to sender",
    };
    Some(Declaration {
        number: if bought.reference.is_empty() { tracking_number(bought, 0) } else { bought.reference }
            .to_owned(),
        date,
        tracking_number: tracking_number(bought, 0).to_owned(),
        from: sender(shipment),
        to: recipient(shipment),
        contents: contents(declared),
        items: items(bought, declared),
        total_mass: total_mass(bought, declared),
        total_value: total_value(bought, declared),
        postage: None,
        incoterm: declared.incoterm.clone(),
        identifiers: identifiers(bought, declared),
        comments: comments(declared),
        non_delivery: non_delivery.to_owned(),
        signer,
    })
}

/// Returns the identifiers of all parties, each once, as `IOSS IM0123456789 (sender)`.
fn identifiers(bought: &Bought<'_>, declared: &customs::Customs) -> Vec<String> {
    let show = |kind: &str, value: &str, whose: &str| {
        format!("{} {value} ({})", kind.replace('_', " ").to_uppercase(), whose.replace('_', " "))
    };
    let of_tax = bought.shipment.tax_identifiers.iter();
    let of_tax = of_tax.map(|tax| show(&tax.identifier_type, &tax.value, &tax.taxable_entity_type));
    let of_customs = declared.identifiers.iter();
    let of_customs = of_customs.map(|own| show(&own.identifier_type, &own.value, &own.entity_type));
    let mut all = Vec::new();
    for identifier in of_tax.chain(of_customs) {
        if !all.contains(&identifier) {
            all.push(identifier);
        }
    }
    all
}

/// Returns the other declared data as sentences.
fn comments(declared: &customs::Customs) -> Vec<String> {
    let described = declared.contents_description.as_ref().filter(|_| !declared.items.is_empty());
    let contents = described.map(|text| format!("Contents: {text}"));
    let kind = declared.restriction_type.as_deref().filter(|kind| *kind != "none");
    let restriction = kind.map(|kind| {
        let description = declared.restriction_description.as_deref().unwrap_or_default();
        format!("Restriction: {}. {description}", kind.replace('_', " "))
    });
    contents.into_iter().chain(restriction).chain(declared.declaration_message.clone()).collect()
}
