//! What tests set up: a server with its database and clock, requests, receivers and clients. Tests of every area use it.

pub mod authenticator;
pub mod batch_requests;
pub mod easypost_server;
pub mod identity_provider;
pub mod mail;
pub mod person;
pub mod populated_organisation;
pub mod purchase_requests;
pub mod raw_printer;
pub mod receiver;
pub mod shipping_origin;
pub mod stock_requests;
pub mod stream_client;
pub mod test_endpoint;
pub mod token_server;
pub mod world;
