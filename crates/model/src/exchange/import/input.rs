//! The body of a request that makes an import.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a client says of an import.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct ImportInput {
    pub r#type: ImportType,
    #[serde(default)]
    pub format: Format,
    /// Columns of the file by their headers, and what they mean.
    #[serde(default)]
    pub mapping: Map<String, Value>,
    #[serde(default)]
    pub options: ImportOptions,
}

/// How rows are treated.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct ImportOptions {
    pub dry_run: bool,
    pub on_conflict: OnConflict,
    pub on_error: OnError,
    pub locale: Option<String>,
}

macro_rules! words {
    ($(#[$about:meta])* $name:ident, $words:ident, $first:ident $first_word:literal $(, $variant:ident $word:literal)*) => {
        $(#[$about])*
        #[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name {
            #[default]
            #[serde(rename = $first_word)]
            $first,
            $(#[serde(rename = $word)] $variant),*
        }

        /// The words of all values, in their order.
        pub const $words: &[&str] = &[$first_word $(, $word)*];

        impl $name {
            pub const ALL: &'static [$name] = &[$name::$first $(, $name::$variant)*];

            pub fn as_str(self) -> &'static str {
                $words[self as usize]
            }

            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word)
            }
        }
    };
}

words! {
    /// What the rows of a file become.
    ImportType, TYPE_WORDS, Orders "orders", InventoryItems "inventory_items", InventoryLevels "inventory_levels",
    Locations "locations", PackageTypes "package_types", Shipments "shipments"
}
words! {
    /// How the file is written.
    Format, FORMAT_WORDS, Csv "csv", JsonLines "ndjson"
}
words! {
    /// What happens to a row whose resource exists.
    OnConflict, ON_CONFLICT_WORDS, Skip "skip", Update "update"
}
words! {
    /// What happens after a row that is refused.
    OnError, ON_ERROR_WORDS, Continue "continue", Stop "stop"
}

impl ImportType {
    /// Returns the scope that a token needs to write such resources.
    pub fn scope(self) -> &'static str {
        match self {
            ImportType::Orders => "orders:write",
            ImportType::InventoryItems | ImportType::InventoryLevels => "inventory:write",
            ImportType::Locations => "locations:write",
            ImportType::PackageTypes => "package_types:write",
            ImportType::Shipments => "shipments:write",
        }
    }

    /// Returns whether rows with the same key are one resource.
    pub fn has_groups(self) -> bool {
        matches!(self, ImportType::Orders | ImportType::Shipments)
    }
}
