//! Fulfilment: how the items of an order become parcels.

pub mod branding;
pub mod order_packing;
pub mod order_shipment;
pub mod package_type;
pub mod packing;
pub mod packing_shapes;
pub mod packing_view;
pub mod print_job;
pub mod print_rendition;
pub mod printer;
pub mod scan;
pub mod shipping_rule;
pub mod warehouse_paper;
pub mod wave;
