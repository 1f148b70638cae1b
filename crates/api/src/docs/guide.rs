//! `/docs/guide`: the pages of `docs/guide`, which are compiled in.

use std::sync::OnceLock;

use model::platform::shape::{Kind, Shape};

use super::html::Html;
use super::{markdown, page};
use crate::platform::encoding::Encoded;

/// The page that lists the others.
pub const INDEX: &str = "README";

/// The picture on the page about labels.
pub const LABELS: &[u8] = include_bytes!("../../../../docs/guide/labels.png");

/// A page of the guide.
pub struct Page {
    /// The file name without its extension, which is also the last segment of its path.
    pub name: &'static str,
    pub text: &'static str,
}

/// The pictures of the console, by their names.
pub const PICTURES: [(&str, &[u8]); 6] = [
    ("today.png", include_bytes!("../../../../docs/guide/pictures/today.png")),
    ("orders.png", include_bytes!("../../../../docs/guide/pictures/orders.png")),
    ("batch.png", include_bytes!("../../../../docs/guide/pictures/batch.png")),
    ("shipment.png", include_bytes!("../../../../docs/guide/pictures/shipment.png")),
    ("pack.png", include_bytes!("../../../../docs/guide/pictures/pack.png")),
    ("import.png", include_bytes!("../../../../docs/guide/pictures/import.png")),
];
const PICTURE_NAMES: &[&str] =
    &["today.png", "orders.png", "batch.png", "shipment.png", "pack.png", "import.png"];

/// The name of a picture in its path.
pub static PICTURE: Shape =
    Shape::new(Kind::OneOf(PICTURE_NAMES), "The picture's file in `docs/guide/pictures`.")
        .example(r#""today.png""#);

macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        /// All pages, in the order of the list.
        pub static PAGES: &[Page] = &[
            $(Page { name: $name, text: include_str!(concat!("../../../../docs/guide/", $name, ".md")) }),*
        ];
        const NAMES: &[&str] = &[$($name),*];
    };
}

pages![
    "README",
    "first-steps",
    "console",
    "first-day",
    "orders",
    "packages",
    "parcels",
    "waves",
    "imports",
    "exports",
    "command-line",
    "shipments",
    "batches",
    "manifests",
    "printing",
    "shipping-rules",
    "papers",
    "scanning",
    "search",
    "costs",
    "carriers",
    "sandbox",
    "labels",
    "webhooks",
    "realtime",
    "client-libraries",
    "users",
    "settings",
    "installing",
    "operating",
];

/// The name of a page in its path.
pub static PAGE: Shape = Shape::new(
    Kind::OneOf(NAMES.split_at(1).1),
    "The page's file in `docs/guide`, without `.md`. `/docs/guide` lists them.",
)
.example(r#""first-steps""#);

impl Page {
    pub fn address(&self) -> String {
        if self.name == INDEX { "/docs/guide".to_owned() } else { format!("/docs/guide/{}", self.name) }
    }

    pub fn title(&self) -> &'static str {
        markdown::title(self.text)
    }
}

/// Returns the rendered page of this name, or `None` if there is none.
pub fn rendered(name: &str) -> Option<&'static Encoded> {
    static RENDERED: OnceLock<Vec<OnceLock<Encoded>>> = OnceLock::new();
    let place = PAGES.iter().position(|page| page.name == name)?;
    let all = RENDERED.get_or_init(|| PAGES.iter().map(|_| OnceLock::new()).collect());
    Some(all.get(place)?.get_or_init(|| Encoded::new(render(&PAGES[place]))))
}

pub fn render(shown: &Page) -> String {
    page::page(
        &format!("{} – Dockside", shown.title()),
        |html| contents(html, shown),
        |html| {
            html.tag("article", &[("class", "article")], |html| {
                markdown::render(html, shown.text);
                neighbours(html, shown);
            });
        },
    )
}

/// Writes the links to all pages, for the contents of every page of the documentation.
pub fn links(html: &mut Html, shown: Option<&Page>) {
    page::group(html, "Guide", |html| {
        for page in PAGES {
            let is_shown = shown.is_some_and(|shown| shown.name == page.name);
            let title = if page.name == INDEX { "What works today" } else { page.title() };
            page::entry(html, &page.address(), title, "", is_shown);
        }
    });
}

fn contents(html: &mut Html, shown: &Page) {
    let sections = markdown::sections(shown.text);
    let below: Vec<_> = sections.iter().filter(|section| !section.id.is_empty()).collect();
    if !below.is_empty() {
        page::group(html, "On this page", |html| {
            for section in below {
                page::entry(html, &format!("#{}", section.id), &section.title, "", false);
            }
        });
    }
    links(html, Some(shown));
    page::group(html, "Reference", |html| {
        page::entry(html, "/docs", "API reference", "", false);
        page::entry(html, "/docs/errors", "Catalogue of problems", "", false);
    });
}

/// Writes links to the previous and the next page.
fn neighbours(html: &mut Html, shown: &Page) {
    let Some(place) = PAGES.iter().position(|page| page.name == shown.name) else { return };
    let before = place.checked_sub(1).and_then(|place| PAGES.get(place));
    html.tag("p", &[("class", "neighbours")], |html| {
        for (word, page) in [("Before: ", before), ("Next: ", PAGES.get(place + 1))] {
            let Some(page) = page else { continue };
            html.tag("span", &[], |html| {
                html.text(word);
                html.link(&page.address(), page.title());
            });
        }
    });
}
