//! What the packer is asked, and what it answers.

use serde::{Deserialize, Serialize};

/// Maximum number of units in one packing.
pub const PACKED_UNITS_MAX: u64 = 10_000;

/// Units of an item to pack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemToPack<I> {
    pub item: I,
    pub quantity: u32,
    /// Length, width and height in millimetres. The height is vertical if the item is kept upright. `None` if they are
    /// not known.
    pub size_mm: Option<[u32; 3]>,
    /// Grams of one unit. `None` if it is not known, which the packer refuses.
    pub mass_g: Option<u64>,
    pub keep_upright: bool,
    pub ships_alone: bool,
}

/// A package type that may be used, any number of times.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsablePackageType<P> {
    /// Types that are equal in cost and volume are preferred in this order.
    pub package_type: P,
    /// Length, width and height inside, in millimetres.
    pub inner_mm: [u32; 3],
    /// Grams of the empty package.
    pub tare_g: u64,
    /// The largest mass in grams, with the empty package. `None` if there is no limit.
    pub mass_max_g: Option<u64>,
    /// Minor units of a currency that all package types share.
    pub cost: Option<u64>,
    pub form: PackageForm,
}

/// The form of a package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PackageForm {
    #[default]
    Box,
    Envelope,
}

/// The packages for some units, and why they are these.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Packing<I, P> {
    /// The packages, the fullest first, those of units that ship alone last.
    pub packages: Vec<PackedPackage<I, P>>,
    /// The package types that are not used, in their order.
    pub unused: Vec<UnusedPackageType<I, P>>,
    /// Items that are packed by their mass alone, because their size is not known.
    pub unsized_items: Vec<I>,
    /// The sum of the costs, if costs were compared.
    pub cost: Option<u64>,
    /// The sum of the inner volumes in cubic millimetres.
    pub volume_mm3: u64,
    /// The limits that kept the packing from being better, or from being proven to be the best.
    pub limits: Vec<PackingLimit>,
    pub search: PackingSearch,
}

/// One package with its contents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PackedPackage<I, P> {
    pub package_type: P,
    /// The units from the bottom to the top, those without a size last.
    pub units: Vec<PackedUnit<I>>,
    /// Grams, with the empty package.
    pub mass_g: u64,
    /// The part of the inner volume that units of known size take, in thousandths, rounded down.
    pub fill_permille: u32,
    /// The reasons, as sentences for a person.
    pub reasons: Vec<String>,
}

/// A unit in a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PackedUnit<I> {
    pub item: I,
    /// `None` if the size of the item is not known.
    pub placement: Option<Placement>,
}

/// Where a unit lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Placement {
    /// The corner nearest to the package's own corner, along its length, width and height, in millimetres.
    pub position_mm: [u32; 3],
    /// The lengths of the unit along the same axes, which say how it is turned.
    pub size_mm: [u32; 3],
}

/// A package type that is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnusedPackageType<I, P> {
    pub package_type: P,
    pub reason: UnusedReason,
    /// The item that the package type can't hold, if that is the reason.
    pub item: Option<I>,
    /// The reason as a sentence for a person.
    pub message: String,
}

/// Why a package type is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnusedReason {
    /// A unit does not fit into it.
    TooSmall,
    /// A unit with the empty package is above the largest mass.
    TooHeavy,
    /// A unit must be kept upright, and the package type is an envelope.
    NotUpright,
    /// It holds each unit, but less than one of the packages holds.
    MorePackages,
    /// It costs more than the chosen one.
    Dearer,
    /// It is larger than the chosen one.
    Larger,
    /// It is as good as the chosen one, and comes after it in the order of package types.
    Later,
}

/// A limit that affected a packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PackingLimit {
    /// The largest masses of the package types demand more packages than the volume does.
    Mass,
    /// The steps ended before the packing was proven to be the best.
    Steps,
    /// There are too many units for a proof.
    Units,
}

/// The extent of the packer's search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PackingSearch {
    /// Whether the packing is proven to be the best.
    pub complete: bool,
    pub steps: u64,
    /// What was proven, and why the packer stopped searching, as a sentence for a person.
    pub note: String,
}

/// Why units can't be packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackingRefusal<I, P> {
    /// The masses of these items are not known.
    MassMissing { items: Vec<I> },
    /// No package type can hold a unit of these items.
    PackageTypeMissing { items: Vec<UnpackableItem<I, P>> },
    /// There are more units than [`PACKED_UNITS_MAX`].
    TooManyUnits { units: u64 },
}

/// An item that fits into no package type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnpackableItem<I, P> {
    pub item: I,
    /// For each package type, why it can't hold a unit of the item.
    pub reasons: Vec<UnusedPackageType<I, P>>,
}
