//! An order as a shop shows it, in one form for all shops.

use model::Timestamp;
use model::orders::item_quantity::LINES_MAX;
use model::orders::order::QUANTITY_MAX;

/// Longest id of an order or a line, in characters.
const ID_CHARS_MAX: usize = 255;

/// An order that was seen in a shop.
#[derive(Clone, Debug, PartialEq)]
pub struct ShopOrder {
    /// The shop's id of the order. It never changes.
    pub external_id: String,
    /// The number that the shop shows to people.
    pub number: Option<String>,
    /// The page of the order in the shop, for its staff.
    pub url: Option<String>,
    /// When the order was changed last. What was seen with an earlier time is older.
    pub modified_at: Timestamp,
    pub placed_at: Option<Timestamp>,
    /// How far the order is, in the shop's own word (see [`crate::Capabilities::statuses`]). Settings choose by it what
    /// is imported.
    pub status: String,
    pub is_cancelled: bool,
    /// How much of its price was paid back.
    pub refunded: Extent,
    /// How much of it is shipped, as the shop sees it.
    pub shipped: Extent,
    /// Whether it was placed to try the shop out.
    pub is_test: bool,
    pub customer: Customer,
    /// Where the order goes. `None` if nothing of it is sent to an address.
    pub destination: Option<ShopAddress>,
    /// The billing address.
    pub billing: Option<ShopAddress>,
    pub lines: Vec<ShopLine>,
    /// ISO 4217, in capitals.
    pub currency: Option<String>,
    /// The delivery that the customer chose.
    pub requested_service: Option<String>,
    pub tags: Vec<String>,
    /// What the customer wrote.
    pub note: Option<String>,
}

/// How much of an order something holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Extent {
    #[default]
    None,
    Part,
    All,
}

/// The person or firm that bought.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Customer {
    pub name: Option<String>,
    pub company: Option<String>,
    pub email_address: Option<String>,
    pub phone_number: Option<String>,
}

/// A postal address as the shop has it. It may break the rules of its country.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ShopAddress {
    pub name: Option<String>,
    pub company: Option<String>,
    pub line_1: Option<String>,
    pub line_2: Option<String>,
    pub city: Option<String>,
    pub province: Option<String>,
    pub post_code: Option<String>,
    pub country_code: Option<String>,
    pub phone_number: Option<String>,
}

/// A line of an order, with what is still wanted of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ShopLine {
    /// The shop's id of the line, by which a shipment of it is reported back.
    pub external_id: String,
    pub sku: Option<String>,
    /// The product's barcode, if the shop shows it with the order.
    pub barcode: Option<String>,
    /// The shop's id of the product or of its variant.
    pub product_id: Option<String>,
    pub name: Option<String>,
    /// Pieces that are wanted: without those that were removed or refunded, as far as the shop counts them.
    pub quantity: i64,
    /// What was paid for one piece, after discount and before tax, in the smallest unit of the order's currency.
    pub unit_price: Option<i64>,
    pub is_shippable: bool,
}

impl ShopOrder {
    /// Returns whether nothing of the order is to be shipped any more, because it was cancelled or paid back.
    pub fn is_off(&self) -> bool {
        self.is_cancelled || self.refunded == Extent::All
    }
}

/// Returns an order whose lines are within the model's limits, without lines of which nothing is wanted any more. The
/// error is a sentence that says why the order can't be read.
pub(crate) fn checked(mut order: ShopOrder) -> Result<ShopOrder, String> {
    check_id(&order.external_id)?;
    order.lines.retain(|line| line.quantity != 0);
    if order.lines.len() > LINES_MAX {
        return Err(format!("The order has more than {LINES_MAX} lines."));
    }
    for line in &order.lines {
        check_id(&line.external_id)?;
        if !(1..=QUANTITY_MAX).contains(&line.quantity) {
            return Err(format!("The line {} has the quantity {}.", line.external_id, line.quantity));
        }
    }
    Ok(order)
}

fn check_id(id: &str) -> Result<(), String> {
    let is_fit = !id.is_empty() && id.chars().count() <= ID_CHARS_MAX && !id.chars().any(char::is_control);
    if is_fit { Ok(()) } else { Err("The order has an id that is no id.".to_owned()) }
}
