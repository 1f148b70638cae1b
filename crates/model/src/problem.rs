//! What can go wrong, as a closed catalogue of refusals, apart from faults.
//!
//! A refusal is shown to the caller (RFC 9457) with a stable code. A fault is ours: it keeps its cause, is logged
//! once, and shows no more than a request id.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The result of everything that may be refused or fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! problems {
    ($($name:ident $status:literal $code:literal $title:literal $advice:literal;)*) => {
        /// Every refusal there is.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Code { $($name),* }

        impl Code {
            /// The catalogue, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            /// The HTTP status of the refusal.
            pub fn status(self) -> u16 {
                match self { $(Code::$name => $status),* }
            }

            /// The stable code that a program may match.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code),* }
            }

            /// One sentence for a person.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title),* }
            }

            /// What the person may do about it.
            pub fn advice(self) -> &'static str {
                match self { $(Code::$name => $advice),* }
            }
        }
    };
}

problems! {
    InvalidJson 400 "invalid_json" "The body is not valid JSON."
        "Send UTF-8 JSON without duplicate keys, lone surrogates or more than 100 levels of nesting.";
    DuplicateKey 400 "duplicate_key" "An object in the body has the same key twice."
        "Send each key once: a server and a proxy might each pick another of the two.";
    InvalidQuery 400 "invalid_query" "A query parameter is unknown or malformed."
        "The problem's `errors` name the parameter. See the operation's parameters.";
    InvalidLimit 400 "invalid_limit" "The page limit is not a whole number of 1 or more."
        "Send a `limit` from 1 to 100, or none for 20.";
    InvalidCursor 400 "invalid_cursor" "The cursor is not one of this list."
        "Start again without a cursor. A cursor is valid for one endpoint with the same filters.";
    InvalidHeader 400 "invalid_header" "A request header is malformed."
        "The problem's `errors` name the header.";
    UnknownVersion 400 "unknown_version" "There is no such API version."
        "Send a `Dockside-Version` that the documentation names, or none.";
    InvalidGrant 400 "invalid_request" "The token request is malformed."
        "Send a form with `grant_type=client_credentials`, `client_id` and `client_secret`.";
    UnsupportedGrantType 400 "unsupported_grant_type" "The kind of trade is not supported."
        "Send `grant_type=client_credentials`.";
    InvalidScope 400 "invalid_scope" "The client can't have the scopes it asks for."
        "Ask for scopes that exist and that the client's own token carries.";
    CarrierMessageInvalid 400 "carrier_message_invalid" "The message is not one of the carrier's."
        "Only the carrier itself posts here. Its signature is right, its message is not: ask the carrier.";
    Unauthenticated 401 "unauthenticated" "The request carries no valid access token."
        "Send `Authorization: Bearer <token>`. The token may be mistyped, expired or revoked.";
    InvalidClient 401 "invalid_client" "The client's id and secret don't match."
        "The client id is an access token's id (`tok_…`), its secret the token itself.";
    InsufficientScope 403 "insufficient_scope" "The access token lacks a scope."
        "Use a token that carries the scope that `detail` names.";
    ForbiddenOrigin 403 "forbidden_origin" "Pages of this origin may not connect."
        "The operator names the origins that may in `cors_origins`.";
    ForbiddenChannel 403 "forbidden_channel" "The channel is not the caller's to join."
        "A channel is `<resource>:<organisation_id>#<user_id>`, with your own organisation and user and a resource that the token may read.";
    FileLinkInvalid 403 "file_link_invalid" "The link to the file is not one of this server."
        "Use the `file_url` of the document as it was read, with every character of it.";
    FileLinkExpired 403 "file_link_expired" "The link to the file has ended."
        "Read what the document belongs to again: its `file_url` is new each time, and lives an hour or what the operator configured.";
    InvalidSignature 403 "invalid_signature" "The message carries no signature of a carrier account that is here."
        "Check the account's id in the address, and that its `webhook_secret` is the secret of the carrier's webhook.";
    NotFound 404 "not_found" "There is no such resource."
        "Check the path and the id. Resources of other organisations are not found either.";
    MethodNotAllowed 405 "method_not_allowed" "The path does not take this method."
        "The `Allow` header lists the methods it takes.";
    Timeout 408 "request_timeout" "The body took too long to arrive."
        "Send the request again, over a faster connection or with a smaller body.";
    LocationInUse 409 "location_in_use" "The location is still in use."
        "Reassign what the problem's `errors` name, then delete the location.";
    InventoryItemInUse 409 "inventory_item_in_use" "The item is still in use."
        "Delete the orders that want it and take its stock off hand first.";
    SkuTaken 409 "sku_taken" "Another item has this SKU."
        "Choose another SKU, or change the item that has it.";
    OnHandChanged 409 "on_hand_changed" "The stock on hand is not what was expected."
        "Read the level again, and decide on what it is now.";
    OrderNotCommitted 409 "order_not_committed" "The order is not committed."
        "Commit the order first: only a committed order has a reservation to allocate against.";
    OrderCancelled 409 "order_cancelled" "The order is cancelled."
        "Make a new order.";
    OrderFulfilled 409 "order_fulfilled" "The order is fulfilled."
        "What was sent can't be changed. Make a new order.";
    OrderPartlyFulfilled 409 "order_partly_fulfilled" "Some of the order is completed."
        "Take its allocations back first (DELETE /allocations/orders/{order_id}), if the goods never left.";
    OrderItemsAllocated 409 "order_items_allocated" "More of an item is allocated than the order would want."
        "Reduce or delete its allocations first.";
    ExceedsReservation 409 "exceeds_reservation" "More is allocated than the order wants."
        "The problem's `errors` name each item, what was `requested` and what is `available`.";
    InsufficientStock 409 "insufficient_stock" "There is not enough stock on hand."
        "The problem's `errors` name each item, what was `requested` and what is `available`.";
    AllocationCompleted 409 "allocation_completed" "A completed allocation can't change."
        "Leave out the allocations that the problem's `errors` name.";
    StockMoved 409 "stock_moved" "The stock moved while the plan was made."
        "Ask for a new plan.";
    NothingToAllocate 409 "nothing_to_allocate" "There is nothing that could be allocated."
        "The plan says why: everything is allocated already, or no location has stock.";
    ShipmentPurchasing 409 "shipment_purchasing" "The shipment is being purchased."
        "Wait until the purchase has succeeded or failed: GET the shipment, or wait for its event.";
    ShipmentPurchased 409 "shipment_purchased" "The shipment is purchased."
        "It can't be changed any more. Void it, and create another.";
    ShipmentVoided 409 "shipment_voided" "The shipment is voided."
        "It can't be used any more. Create another.";
    ShipmentNotPurchased 409 "shipment_not_purchased" "The shipment is not purchased."
        "Purchase it first.";
    ShipmentManifested 409 "shipment_manifested" "The shipment is in a manifest."
        "What was handed over to the carrier can't be taken back here. Ask the carrier.";
    BatchNotFinalised 409 "batch_not_finalised" "The batch is not purchased."
        "Purchase it first, and wait until the purchase has succeeded.";
    ManifestEmpty 409 "manifest_empty" "Nothing is left to manifest."
        "All shipments of the manifest were voided, or are in another manifest by now.";
    ShipmentChanged 409 "shipment_changed" "The shipment was changed while carriers were asked for rates."
        "Ask for rates again.";
    RateExpired 409 "rate_expired" "The rate has expired."
        "Ask for new rates, and buy one of those.";
    VoidUnsupported 409 "void_unsupported" "The carrier takes nothing back."
        "Ask the carrier itself. A label that is never scanned is often not billed.";
    PurchaseNotInReview 409 "purchase_not_in_review" "The purchase does not wait for a person."
        "Only a purchase in the state `needs_review` can be resolved.";
    CarrierAccountInUse 409 "carrier_account_in_use" "Something is under way with the carrier account."
        "Wait until its purchases and parcels have arrived, or disable the account.";
    TooManyCarrierAccounts 409 "too_many_carrier_accounts" "The organisation has as many carrier accounts as it may."
        "Delete an account that is not used any more: there may be 60.";
    BatchFinalised 409 "batch_finalised" "The batch is purchased, and so finalised."
        "Nothing of it can change any more. Put what is left into another batch.";
    BatchPurchasing 409 "batch_purchasing" "The batch is being purchased."
        "Wait until its purchase has succeeded or failed: GET the batch, or wait for its event.";
    BatchNotOpen 409 "batch_not_open" "The batch was purchased, or was tried to."
        "Only an open batch can be deleted.";
    ShipmentInOtherBatch 409 "shipment_in_other_batch" "A shipment is in another batch."
        "Take the shipments that the problem's `errors` name out of their batches first.";
    ServiceAlreadySet 409 "service_already_set" "A shipment chose another service already."
        "Leave out the shipments that the problem's `errors` name, or say `override: true`: then the batch's service counts.";
    NotProvisioned 409 "not_provisioned" "The organisation is not provisioned for events."
        "Call POST /events/provision first. The live and the test world are provisioned apart.";
    TooManyWebhookEndpoints 409 "too_many_webhook_endpoints" "The organisation has as many webhook endpoints as it may."
        "Delete an endpoint that is not used any more: there may be 50.";
    WebhookEndpointDisabled 409 "webhook_endpoint_disabled" "The webhook endpoint is disabled."
        "Enable it first: PATCH it with `disabled: false`.";
    TooManySecrets 409 "too_many_secrets" "The secret was replaced too often within a day."
        "Wait: an old secret stays valid for 24 hours, and at most four are valid at once.";
    EventExpired 409 "event_expired" "The event is not in the log any more."
        "Events are kept for 30 days, or what the operator configured. A test event is in no log.";
    IdempotencyInProgress 409 "idempotency_in_progress" "The first request with this key is still running."
        "Wait a second and send the same request again.";
    PreconditionFailed 412 "precondition_failed" "The resource has changed since it was read."
        "Read it again, apply the change to what it is now, and send the new `ETag` in `If-Match`.";
    BodyTooLarge 413 "body_too_large" "The body is too large."
        "Send at most 4 MiB, or what the operator configured, in one request.";
    UnsupportedMediaType 415 "unsupported_media_type" "The body's media type is not supported."
        "Send `Content-Type: application/json`.";
    ValidationFailed 422 "validation_failed" "The body does not have the expected form."
        "The problem's `errors` name each field, and what is wrong with it.";
    UnknownField 422 "unknown_field" "The body has a field that does not exist."
        "Check the spelling of the fields that the problem's `errors` name.";
    LocationNotFound 422 "location_not_found" "The body names a location that does not exist."
        "Check the ids that the problem's `errors` name.";
    LocationConfigurationNotFound 422 "location_configuration_not_found" "The body names a location configuration that does not exist."
        "Check the id that the problem's `errors` name.";
    ShipmentNotFound 422 "shipment_not_found" "The body names a shipment that does not exist."
        "Check the ids that the problem's `errors` name.";
    ShipmentNotInBatch 422 "shipment_not_in_batch" "The body names a shipment that is not in the batch."
        "Check the ids that the problem's `errors` name.";
    BatchTooLarge 422 "batch_too_large" "The batch would have more shipments than it may."
        "Put them into several batches: one may have 100,000, or what the operator configured.";
    BatchEmpty 422 "batch_empty" "The batch has no shipments."
        "Add shipments to it first.";
    ServiceMissing 422 "service_missing" "Neither the batch nor all its shipments have a service."
        "Set the batch's `service`, or choose one for the shipments that the problem's `errors` name.";
    RateNotFound 422 "rate_not_found" "The shipment has no such rate."
        "Name one of the shipment's `rates`, or ask for new ones.";
    CarrierNotFound 422 "carrier_not_found" "The body names a carrier that does not exist."
        "GET /carriers lists them. The test world has the sandbox carrier alone.";
    CarrierAccountNotFound 422 "carrier_account_not_found" "The body names a carrier account that does not exist or is disabled."
        "GET /carrier_accounts lists them.";
    CarrierServiceNotFound 422 "carrier_service_not_found" "The body names a service that the carrier does not have."
        "GET /carriers/{carrier_id}/services lists them.";
    CarrierAccountInvalid 422 "carrier_account_invalid" "The account's configuration or credentials can't be used."
        "The problem's `errors` say what is missing or wrong.";
    InventoryItemNotFound 422 "inventory_item_not_found" "The body names an item that does not exist."
        "Check the ids that the problem's `errors` name.";
    ItemNotInOrder 422 "item_not_in_order" "The body names an item that the order does not have."
        "Check the ids that the problem's `errors` name.";
    ItemNotInAllocation 422 "item_not_in_allocation" "The body names an item that the allocation does not hold."
        "An allocation holds one item, which can't be changed for another.";
    AllocationNotFound 422 "allocation_not_found" "The body names an allocation that the order does not have."
        "Check the ids that the problem's `errors` name. Nothing of the request was applied.";
    DuplicateAllocation 422 "duplicate_allocation" "The body names an allocation twice."
        "Name each allocation once.";
    StatusNotWritable 422 "status_not_writable" "The status can't be set like this."
        "Create an order as `draft` or `committed`; then use its commit and cancel endpoints.";
    UrlNotAllowed 422 "url_not_allowed" "The URL can't be called."
        "Use an http or https URL of a public address. The operator may allow others: see `outbound_allow`.";
    SequenceOutOfRange 422 "sequence_out_of_range" "The log does not reach there."
        "The problem's `errors` name the oldest and the newest sequence.";
    UserNotFound 422 "user_not_found" "The body names a user that does not exist."
        "Check the id that the problem's `errors` name.";
    ScopeNotHeld 422 "scope_not_held" "A token can't hand out a scope that it does not carry."
        "Leave out the scopes that `detail` names.";
    IdempotencyKeyReused 422 "idempotency_key_reused" "The idempotency key was used for another request."
        "Make a new key for each new request; repeat a key only with the very same request.";
    RateLimited 429 "rate_limited" "The token has sent too many requests."
        "Wait for the seconds that `Retry-After` tells.";
    HeadersTooLarge 431 "headers_too_large" "The request's path or headers are too large."
        "Send shorter ones.";
    Internal 500 "internal_error" "The server failed to answer."
        "Nothing was written. Tell the operator the problem's `request_id`.";
    Overloaded 503 "overloaded" "The server has more to do than it can queue."
        "Wait for the seconds that `Retry-After` tells, then send the request again.";
    StoreUnavailable 503 "store_unavailable" "The database does not answer."
        "Send the request again shortly, with the same `Idempotency-Key` where it writes.";
    FilesUnavailable 503 "files_unavailable" "The file store does not answer."
        "Send the request again shortly.";
    RequestTimeLimit 503 "time_limit" "The request took longer than the server allows."
        "Send the request again shortly, with the same `Idempotency-Key` where it writes.";
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = Cow::<str>::deserialize(from)?;
        let found = Code::ALL.iter().copied().find(|code| code.as_str() == word);
        found.ok_or_else(|| serde::de::Error::custom("no code of the catalogue"))
    }
}

/// One thing that is wrong with a request, in the shape of the interface's shipment error plus `field`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Issue {
    /// A stable word, such as `required` or `too_long`.
    pub code: Cow<'static, str>,
    pub message: String,
    /// A JSON pointer into the body, or a parameter's or header's name.
    pub field: String,
    /// What else there is to know, such as `requested` and `available`.
    #[serde(flatten, default)]
    pub facts: Map<String, Value>,
}

impl Issue {
    pub fn new(
        code: impl Into<Cow<'static, str>>,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { code: code.into(), field: field.into(), message: message.into(), facts: Map::new() }
    }
}

impl Issue {
    /// The issue with one more thing to know.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }
}

/// A refusal: its code, what it says of this very request, and the fields at fault.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Problem {
    pub code: Code,
    pub detail: Option<String>,
    pub issues: Vec<Issue>,
}

impl Problem {
    /// A refusal because of one field.
    pub fn field(code: Code, issue: Issue) -> Self {
        Self { code, detail: Some(issue.message.clone()), issues: vec![issue] }
    }

    /// A refusal because of several fields, all for the same reason.
    pub fn fields(code: Code, issues: Vec<Issue>) -> Self {
        Self { code, detail: None, issues }
    }

    /// A refusal because of everything that is wrong with a body. A field that does not exist comes first:
    /// it is most often the misspelling that the other complaints follow from.
    pub fn body(issues: Vec<Issue>) -> Self {
        let unknown = issues.iter().any(|issue| issue.code == Code::UnknownField.as_str());
        let code = if unknown { Code::UnknownField } else { Code::ValidationFailed };
        let detail = match issues.as_slice() {
            [only] => Some(format!("{}: {}", only.field, only.message)),
            many => Some(format!("{} fields are at fault.", many.len())),
        };
        Self { code, detail, issues }
    }

    /// The refusal with a sentence on this very request.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}

impl From<Code> for Problem {
    fn from(code: Code) -> Self {
        Self { code, detail: None, issues: Vec::new() }
    }
}

/// Why an operation gave nothing: it was refused, or something of ours failed.
pub enum Error {
    Refused(Box<Problem>),
    Fault(Fault),
}

/// A failure of ours and its cause.
pub struct Fault {
    /// What the caller is told: 500, or 503 where trying again may help.
    pub shown: Code,
    pub cause: Box<dyn std::error::Error + Send + Sync>,
}

impl Error {
    /// A failure of which the caller learns nothing but a request id.
    pub fn fault(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Fault(Fault { shown: Code::Internal, cause: cause.into() })
    }

    /// The database is out of reach; the same request may succeed later.
    pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Fault(Fault { shown: Code::StoreUnavailable, cause: cause.into() })
    }
}

impl From<Code> for Error {
    fn from(code: Code) -> Self {
        Self::Refused(Box::new(code.into()))
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Refused(Box::new(problem))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Refused(problem) => {
                let detail = problem.detail.as_deref().unwrap_or_else(|| problem.code.title());
                write!(out, "{}: {detail}", problem.code.as_str())
            }
            Error::Fault(fault) => {
                write!(out, "{}", fault.cause)?;
                let mut cause = fault.cause.source();
                while let Some(deeper) = cause {
                    write!(out, ": {deeper}")?;
                    cause = deeper.source();
                }
                Ok(())
            }
        }
    }
}

/// Refuses with the code unless the claim holds.
pub fn ensure(claim: bool, code: Code) -> Result<()> {
    if claim { Ok(()) } else { Err(code.into()) }
}

#[cfg(test)]
mod tests;
