//! The domain of Dockside: identifiers, resources, rules and the catalogue of problems.
//!
//! Architecture Invariant: this crate does no I/O, is never `async` and never reads the clock or a random source. The
//! caller passes in times and random bytes, so that everything here is a pure function that a test can repeat
//! exactly.

pub mod access_token;
pub mod address;
pub mod allocation;
pub mod batch;
pub mod carrier;
pub mod closing;
pub mod country;
pub mod document;
pub mod event;
pub mod fair;
pub mod geo;
pub mod id;
pub mod inventory_item;
pub mod json;
pub mod location;
pub mod location_configuration;
pub mod manifest;
pub mod me;
pub mod money;
pub mod nearest;
pub mod order;
pub mod organisation;
pub mod owner;
pub mod plan;
pub mod pointer;
pub mod post_code;
pub mod problem;
pub mod province;
pub mod purchase;
pub mod rate;
pub mod scope;
pub mod shape;
pub mod shipment;
pub mod stream_token;
pub mod time;
pub mod tracking;
pub mod webhook_delivery;
pub mod webhook_endpoint;

pub use access_token::{AccessToken, User};
pub use allocation::Allocation;
pub use batch::Batch;
pub use carrier::{Carrier, CarrierAccount, CarrierService};
pub use country::CountryCode;
pub use document::Document;
pub use event::Event;
pub use id::Id;
pub use inventory_item::InventoryItem;
pub use location::Location;
pub use location_configuration::LocationConfiguration;
pub use manifest::Manifest;
pub use order::Order;
pub use owner::{Organisation, Owner, World};
pub use problem::{Code, Error, Problem, Result, ensure};
pub use purchase::PurchaseAttempt;
pub use rate::Rate;
pub use scope::{Scope, Scopes};
pub use shipment::Shipment;
pub use time::Timestamp;
pub use webhook_delivery::WebhookDelivery;
pub use webhook_endpoint::WebhookEndpoint;
