//! Branding: what an organisation puts on its packing slips and pick lists.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Timestamp;
use crate::platform::shape::{Field, Input, Issues, Kind, MOMENT, Path, Pattern, Shape};

/// Largest file of a logo, in bytes.
pub const LOGO_BYTES_MAX: usize = 256 << 10;
/// Longest text of a logo: four characters for three bytes, filled up.
const LOGO_CHARS_MAX: usize = LOGO_BYTES_MAX.div_ceil(3) * 4;

/// The branding of an organisation as it is stored and shown. If nothing was ever set, all fields are null.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Branding {
    #[serde(flatten)]
    pub details: BrandingInput,
    pub updated_at: Option<Timestamp>,
}

/// The body of a request that sets the branding.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct BrandingInput {
    pub name: Option<String>,
    /// As `#rrggbb`, in small letters.
    pub colour: Option<String>,
    pub footer: Option<String>,
    /// A PNG in base64.
    pub logo: Option<String>,
}

impl BrandingInput {
    /// Returns the colour as red, green and blue.
    pub fn rgb(&self) -> Option<[u8; 3]> {
        let digits = self.colour.as_deref()?.strip_prefix('#')?;
        let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        Some([part(0)?, part(2)?, part(4)?])
    }
}

impl Input for BrandingInput {
    const SHAPE: &'static Shape = &BRANDING;
}

fn is_colour(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !digits.is_empty() && text.len() - digits.len() <= 2 && digits.bytes().all(is_digit)
}

/// Writes the colour in small letters, so that equal colours are equal texts.
fn normalise_colour(branding: &mut Map<String, Value>, _: &Path<'_>, _: &mut Issues) {
    if let Some(Value::String(colour)) = branding.get_mut("colour") {
        colour.make_ascii_lowercase();
    }
}

static NAME: Shape = Shape::text(
    1,
    100,
    "Printed at the top of each page where there is no logo. Without it, a packing slip has the company or the name of its sender.",
)
.example(r#""Riverside Goods""#);
static COLOUR: Shape = Shape::new(
    Kind::Text {
        chars_min: 7,
        chars_max: 7,
        pattern: Some(Pattern { regex: "^#[0-9A-Fa-f]{6}$", matches: is_colour }),
    },
    "Of the rule below the logo or name: red, green and blue in hexadecimal. Black without it.",
)
.example(r##""#005ca0""##);
static FOOTER: Shape = Shape::text(
    1,
    500,
    "Printed at the bottom of each page, in up to three lines: thanks, the way to return something, what the law asks for.",
)
.example(r#""Returns within 30 days: riverside.example/returns""#);
static LOGO: Shape = Shape::new(
    Kind::Text {
        chars_min: 4,
        chars_max: LOGO_CHARS_MAX,
        pattern: Some(Pattern { regex: "^[A-Za-z0-9+/]+={0,2}$", matches: is_base64 }),
    },
    "A PNG in base64: up to 256 KiB, sides of up to 4,096 pixels, and up to 4,000,000 pixels. It is printed up to 60 mm wide; what is transparent stays white.",
)
.example(r#""iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==""#);

/// The branding of an organisation.
pub static BRANDING: Shape = Shape {
    name: Some("Branding"),
    about: "What the organisation puts on its packing slips and pick lists, in the token's world.",
    kind: Kind::Object { fields: FIELDS, rule: Some(normalise_colour) },
    example: None,
};
static FIELDS: &[Field] = &[
    Field::optional("name", &NAME),
    Field::optional("colour", &COLOUR),
    Field::optional("footer", &FOOTER),
    Field::optional("logo", &LOGO),
    Field::given_or_null("updated_at", &MOMENT)
        .about("When the branding was last set or deleted, on the server's clock: RFC 3339 in UTC. Null if it never was."),
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::platform::shape::parse;

    #[test]
    fn colours_are_read_in_either_case_and_kept_in_small_letters() {
        let input: BrandingInput = parse(json!({"colour": "#00A0fF"})).unwrap();
        assert_eq!((input.colour.as_deref(), input.rgb()), (Some("#00a0ff"), Some([0, 160, 255])));
        for wrong in ["#00a0f", "00a0ff0", "#00a0fg", "#é0a0f", "#00a0ff0"] {
            assert!(parse::<BrandingInput>(json!({"colour": wrong})).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_logo_is_base64_of_bounded_length() {
        for right in ["AAAA", "AA==", "AAA=", "a+/9"] {
            assert!(parse::<BrandingInput>(json!({"logo": right})).is_ok(), "{right}");
        }
        for wrong in ["", "AAA", "A===", "====", "AA-_", "AA AA", "data:image/png;base64,AAAA"] {
            assert!(parse::<BrandingInput>(json!({"logo": wrong})).is_err(), "{wrong}");
        }
        assert!(parse::<BrandingInput>(json!({"logo": "A".repeat(LOGO_CHARS_MAX + 1)})).is_err());
    }

    #[test]
    fn what_was_never_set_is_null() {
        let shown = serde_json::to_value(Branding::default()).unwrap();
        assert_eq!(
            shown,
            json!({"name": null, "colour": null, "footer": null, "logo": null, "updated_at": null})
        );
    }
}
