//! Package types, packings, and what packages of shipments say of their contents.

pub mod package_contents;
pub mod package_types;
pub mod packings;
