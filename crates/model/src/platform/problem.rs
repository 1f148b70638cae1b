//! Errors: a closed catalogue of refusals, and internal errors.
//!
//! A refusal is shown to the caller (RFC 9457) with a stable code. An internal error keeps its cause, is logged once,
//! and shows only a request id.

mod error;
mod issues;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use error::{Error, Fault, Result, ensure};
pub use issues::{ISSUES_MAX, Issue, Issues, MORE_ERRORS};

macro_rules! problems {
    ($($name:ident $status:literal $code:literal $title:literal $advice:literal;)*) => {
        /// The codes of all refusals.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Code { $($name),* }

        impl Code {
            /// All codes, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            /// Returns the HTTP status of the refusal.
            pub fn status(self) -> u16 {
                match self { $(Code::$name => $status),* }
            }

            /// Returns the stable code that a program may match.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code),* }
            }

            /// Returns one sentence for a person.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title),* }
            }

            /// Returns what the person may do about it.
            pub fn advice(self) -> &'static str {
                match self { $(Code::$name => $advice),* }
            }
        }
    };
}

problems! {
    MalformedRequest 400 "malformed_request" "The request is not valid HTTP/1.1."
        "Send a well-formed head: one `Host`, lines that end with CR LF, and one way to say how long the body is.";
    InvalidJson 400 "invalid_json" "The body is not valid JSON."
        "Send UTF-8 JSON without duplicate keys, lone surrogates or more than 100 levels of nesting.";
    DuplicateKey 400 "duplicate_key" "An object in the body has the same key twice."
        "Send each key once. Programs disagree on which of two values counts.";
    InvalidQuery 400 "invalid_query" "A query parameter is unknown or malformed."
        "Correct the parameter that the problem's `errors` name. The operation's documentation lists its parameters.";
    InvalidLimit 400 "invalid_limit" "The page limit is not a whole number of 1 or more."
        "Send a `limit` from 1 to 100, or none for 20.";
    InvalidCursor 400 "invalid_cursor" "The cursor is not one of this list."
        "Start again without a cursor. A cursor is valid for one endpoint with the same filters.";
    InvalidHeader 400 "invalid_header" "A request header is malformed."
        "Correct the header that the problem's `errors` name.";
    UnknownVersion 400 "unknown_version" "There is no such API version."
        "Send a `Dockside-Version` that the documentation names, or none.";
    InvalidGrant 400 "invalid_request" "The token request is malformed."
        "Send a form with `grant_type=client_credentials`, `client_id` and `client_secret`.";
    UnsupportedGrantType 400 "unsupported_grant_type" "The grant type is not supported."
        "Send `grant_type=client_credentials`.";
    InvalidScope 400 "invalid_scope" "The token request asks for scopes that the client can't have."
        "Ask for scopes that exist and that the client's own token carries.";
    CarrierMessageInvalid 400 "carrier_message_invalid" "The message is not one that the carrier sends."
        "Only carriers send messages here. The signature is valid and the message is not: ask the carrier.";
    Unauthenticated 401 "unauthenticated" "The request carries no valid access token."
        "Send `Authorization: Bearer <token>`. The token may be mistyped, expired or revoked.";
    InvalidClient 401 "invalid_client" "The client's id and secret don't match."
        "The client id is an access token's id (`tok_…`), its secret the token itself.";
    SignInFailed 401 "sign_in_failed" "The sign-in failed."
        "Check the address and the password, or ask for a new link: links work once, and not for long.";
    CrossSiteRequest 403 "cross_site_request" "A page of another site may have sent this request."
        "Requests with the session cookie that change something need the header `Dockside-World`, and must come from the server's own pages.";
    SessionRequired 403 "session_required" "Only a person who has signed in may do this."
        "Sign in with POST /sessions, and send the cookie instead of an access token.";
    CurrentPasswordWrong 403 "current_password_wrong" "The current password is missing or wrong."
        "Send your `current_password`, or sign in with a new link and set the password within 15 minutes.";
    InsufficientScope 403 "insufficient_scope" "The access token lacks a scope."
        "Use a token that carries the scope that `detail` names.";
    ForbiddenOrigin 403 "forbidden_origin" "Pages of this origin may not connect."
        "Ask the operator to add the page's origin to the setting `cors_origins`.";
    ForbiddenChannel 403 "forbidden_channel" "Your token does not allow this channel."
        "A channel is `<resource>:<organisation_id>#<user_id>`, with your own organisation and user, and a resource that your token may read.";
    FileLinkInvalid 403 "file_link_invalid" "The link to the file is not valid."
        "Use the document's `file_url` exactly as you read it.";
    FileLinkExpired 403 "file_link_expired" "The link to the file has expired."
        "Read the resource that the document belongs to again. Each read gives a new `file_url`, which is valid for an hour or what the operator configured.";
    InvalidSignature 403 "invalid_signature" "The message carries no valid signature of a carrier account."
        "Check the account's id in the address, and that its `webhook_secret` is the secret of the carrier's webhook.";
    NotFound 404 "not_found" "There is no such resource."
        "Check the path and the id. Resources of other organisations are not found either.";
    RuleEvaluationNotFound 404 "rule_evaluation_not_found" "No shipping rules were evaluated for the shipment."
        "Rules are evaluated when a shipment is made from an order. To see what they decide now: POST /shipping_rules/evaluate with its `shipment_id`.";
    MethodNotAllowed 405 "method_not_allowed" "The path does not support this method."
        "Use one of the methods that the `Allow` header lists.";
    Timeout 408 "request_timeout" "The request took too long to arrive."
        "Send the request again, over a faster connection or with a smaller body.";
    LiveWorldOnly 409 "live_world_only" "Both worlds share this, and only the live world may change it."
        "Use a live token, or a session.";
    TestWorldOnly 409 "test_world_only" "This is for the test world, so that nothing invented is mixed with real orders."
        "Use a test token, or switch the session to the test world.";
    LastAdmin 409 "last_admin" "The organisation would have no administrator."
        "Give the role `admin` to another active user first.";
    EmailAddressTaken 409 "email_address_taken" "Another user has this email address."
        "Change the user that has it, or choose another address.";
    RoleInUse 409 "role_in_use" "Users have this role."
        "Give them other roles first. The problem's `errors` name ten of them.";
    RoleBuiltIn 409 "role_built_in" "Built-in roles can't be changed."
        "Create a role of your own with the scopes that you want.";
    RoleNameTaken 409 "role_name_taken" "Another role has this name."
        "Choose another name.";
    TooManyRoles 409 "too_many_roles" "The organisation has reached its limit of roles."
        "Delete roles that no user has. The limit is 100, with the built-in ones.";
    TooManyUsers 409 "too_many_users" "The organisation has reached its limit of users."
        "Delete users who have left. The limit is 10,000.";
    PasskeysUnavailable 409 "passkeys_unavailable" "Browsers offer no passkeys at this server's address."
        "Set `public_url` to an `https` address with a host name, or to `http://localhost` on your own machine.";
    MailUnavailable 409 "mail_unavailable" "This server sends no e-mail."
        "Ask an administrator for a sign-in link. The operator lets the server send e-mail with the settings `smtp_url` and `mail_from`.";
    PasskeyTaken 409 "passkey_taken" "This passkey is there already."
        "Use another device, or delete the passkey first: DELETE /passkeys/{passkey_id}.";
    TooManyPasskeys 409 "too_many_passkeys" "The user has reached the limit of passkeys."
        "Delete those of devices that are gone. The limit is 20.";
    UserDisabled 409 "user_disabled" "The user is disabled."
        "Enable the user first: POST /users/{user_id}/enable.";
    LocationMissing 409 "location_missing" "The organisation has no location."
        "Create one first: POST /locations.";
    LocationInUse 409 "location_in_use" "The location is still in use."
        "Reassign what the problem's `errors` name, then delete the location.";
    PackageTypeInUse 409 "package_type_in_use" "Shipping rules name the package type."
        "The problem's `errors` name the rules. Give them another package type, or set `is_active` to false.";
    InventoryItemInUse 409 "inventory_item_in_use" "The item is still in use."
        "Delete the orders that contain it, and set its stock on hand to 0, first.";
    SkuTaken 409 "sku_taken" "Another item has this SKU."
        "Choose another SKU, or change the item that has it.";
    BarcodeTaken 409 "barcode_taken" "Another item has this barcode."
        "Leave out the barcodes that the problem's `errors` name, or remove them from the items that have them.";
    ReferenceTaken 409 "reference_taken" "Another order has this reference."
        "Choose another reference, or change or delete the order that has it. The organisation has set `unique_order_references`.";
    OnHandChanged 409 "on_hand_changed" "The stock on hand is not what was expected."
        "Read the level again, and send the request with its current `on_hand`.";
    OrderNotCommitted 409 "order_not_committed" "The order is not committed."
        "Commit the order first: only a committed order has a reservation to allocate against.";
    OrderCancelled 409 "order_cancelled" "The order is cancelled."
        "Create a new order.";
    OrderFulfilled 409 "order_fulfilled" "The order is fulfilled."
        "A fulfilled order can't change. Create a new order.";
    OrderPartlyFulfilled 409 "order_partly_fulfilled" "Some of the order is completed."
        "If the goods never left, delete its allocations first (DELETE /allocations/orders/{order_id}).";
    OrderOnHold 409 "order_on_hold" "The order is on hold."
        "Release it first: POST /orders/{order_id}/release. `hold.reason` says why it is held.";
    LinesUnmatched 409 "lines_unmatched" "The order has lines that match no inventory item."
        "Match them with POST /orders/{order_id}/match, or create items with their SKUs.";
    LineMatched 409 "line_matched" "The line has another inventory item already."
        "To give the line another item, PATCH the order's `lines`.";
    TooManyNotes 409 "too_many_notes" "The order has reached its limit of notes."
        "The limit is 100.";
    OrderItemsAllocated 409 "order_items_allocated" "More of an item is allocated than the order would contain."
        "Reduce or delete its allocations first.";
    ExceedsReservation 409 "exceeds_reservation" "The allocations exceed the order's reservation."
        "The problem's `errors` name each item, what was `requested` and what is `available`.";
    InsufficientStock 409 "insufficient_stock" "There is not enough stock on hand."
        "The problem's `errors` name each item, what was `requested` and what is `available`.";
    OrderBlocked 409 "order_blocked" "An exception of the order blocks it."
        "`exceptions` of the order says what went wrong. Resolve the blocking ones: POST /orders/{order_id}/exceptions/{exception_id}/resolve.";
    OrderHasShipments 409 "order_has_shipments" "A shipment of the order is bought or being bought."
        "The problem's `errors` name the shipments. Void them first, and wait until they are voided.";
    OrderChanged 409 "order_changed" "The order was changed again and again while its shipments were made."
        "Send the request again.";
    NothingToShip 409 "nothing_to_ship" "Nothing of the order is left to ship."
        "Allocate the order's items first. What is completed, or in a shipment already, is not shipped again.";
    HeldByRule 409 "held_by_rule" "A shipping rule holds the order back."
        "The problem's `errors` name the rule and its reason. Put the order on hold, or name a `carrier` to ship it all the same.";
    ImportHasContent 409 "import_has_content" "The import has its file already."
        "A file can't be replaced. Cancel the import, and make a new one for the other file.";
    ImportEnded 409 "import_ended" "The import has ended."
        "Make a new import: POST /imports. Rows that exist are not made twice.";
    WaveRunning 409 "wave_running" "The wave is still running."
        "Wait for `wave.completed`, or cancel the wave.";
    WaveCompleted 409 "wave_completed" "The wave is completed."
        "What it made stays. Delete the shipments that you do not want.";
    WaveCancelled 409 "wave_cancelled" "The wave was cancelled."
        "Start another wave with the orders that are left.";
    NothingToRetry 409 "nothing_to_retry" "The wave has no exceptions."
        "Every order of the wave is done. Start another wave for other orders.";
    AllocationInShipment 409 "allocation_in_shipment" "The allocation is in a shipment."
        "Delete or void the shipments that the problem's `errors` name first. Completing the allocation is possible.";
    ShipmentOfOrder 409 "shipment_of_order" "The shipment was made from an order, so its origin and contents can't change."
        "Delete the shipment, and make another from the order. Its packages may change as long as they hold the same units.";
    ShipmentScanned 409 "shipment_scanned" "Units of the shipment are scanned, so the contents of its packages can't change."
        "Undo the scans first: GET /shipments/{shipment_id}/scans lists them, DELETE /shipments/{shipment_id}/scans/{scan_id} undoes one.";
    ShipmentWithoutOrder 409 "shipment_without_order" "The shipment does not belong to an order."
        "A short pick changes allocations, which only shipments of orders have. PATCH the shipment's `packages` instead.";
    NothingToScan 409 "nothing_to_scan" "No package of the shipment says what is inside."
        "PATCH the shipment's `packages` with their `items`, or make the shipment from an order.";
    ScanIdReused 409 "scan_id_reused" "The `scan_id` was used for another scan of this shipment."
        "Make a new `scan_id` for each scan. Repeat one only with the same code, package, quantity and steps.";
    TooManyScans 409 "too_many_scans" "The shipment has reached its limit of scans."
        "The limit is 10,000. Scan several units at once with `quantity`, or undo scans that did not count.";
    ShortExceedsMissing 409 "short_exceeds_missing" "Fewer units of the item are missing than were reported as short."
        "The problem's `errors` say how many are missing. Undo scans of units that are not there.";
    CustomsLinesUnmatched 409 "customs_lines_unmatched" "The customs lines of the shipment do not have the missing units."
        "PATCH the shipment's `customs` so that a line has the item's SKU and its units, or delete the shipment and make another.";
    AllocationCompleted 409 "allocation_completed" "A completed allocation can't change."
        "Leave out the allocations that the problem's `errors` name.";
    StockMoved 409 "stock_moved" "The stock changed while the plan was made."
        "Ask for a new plan.";
    NothingToAllocate 409 "nothing_to_allocate" "Nothing can be allocated."
        "The plan says why: everything is allocated already, or no location has stock.";
    ShipmentPurchasing 409 "shipment_purchasing" "The shipment is being purchased."
        "Wait until the purchase has succeeded or failed: GET the shipment, or wait for its event.";
    ShipmentPurchased 409 "shipment_purchased" "The shipment is purchased."
        "A purchased shipment can't change. Void it, and create another.";
    ShipmentVoided 409 "shipment_voided" "The shipment is voided."
        "A voided shipment can't be used. Create another.";
    ShipmentNotPurchased 409 "shipment_not_purchased" "The shipment is not purchased."
        "Purchase it first.";
    ShipmentManifested 409 "shipment_manifested" "The shipment is in a manifest."
        "A shipment that was handed over can't be voided here. Ask the carrier.";
    BatchNotFinalised 409 "batch_not_finalised" "The batch is not purchased."
        "Purchase it first, and wait until the purchase has succeeded.";
    LabelFormatUnavailable 409 "label_format_unavailable" "Some labels can't be had in this format."
        "The carriers of the shipments that the problem's `errors` name gave labels of their own, which can't be converted. Ask for another format.";
    LabelsSetAside 409 "labels_set_aside" "The file with all labels was set aside: a server stopped three times while it made it."
        "Get the labels one by one from `GET /batches/{id}/labels`, or ask for another format. After an hour the file can be asked for again.";
    ManifestEmpty 409 "manifest_empty" "Nothing is left to manifest."
        "All shipments of the manifest were voided, or are in another manifest by now.";
    ShipmentChanged 409 "shipment_changed" "The shipment was changed while carriers were asked for rates."
        "Ask for rates again.";
    RateExpired 409 "rate_expired" "The rate has expired."
        "Ask for new rates, and buy one of those.";
    VoidUnsupported 409 "void_unsupported" "The carrier does not support voiding."
        "Ask the carrier. A label that is never scanned is often not billed.";
    PurchaseNotInReview 409 "purchase_not_in_review" "The purchase is not waiting for a review."
        "Only a purchase in the state `needs_review` can be resolved.";
    HandleTaken 409 "handle_taken" "Another package type has this handle."
        "Choose another handle, or change the package type that has it.";
    TooManyPackageTypes 409 "too_many_package_types" "The organisation has reached its limit of package types."
        "The limit is 200. Delete a package type that you no longer use.";
    NothingToPack 409 "nothing_to_pack" "The order has no open allocations to pack."
        "Allocate the order's items first. What is completed has been packed already.";
    CarrierAccountInUse 409 "carrier_account_in_use" "The carrier account is still in use."
        "Wait until its purchases are finished and its parcels delivered, and change the shipping rules that name it; or disable the account.";
    TooManyCarrierAccounts 409 "too_many_carrier_accounts" "The organisation has reached its limit of carrier accounts."
        "The limit is 60. Delete an account that you no longer use.";
    BatchFinalised 409 "batch_finalised" "The batch is purchased, and so finalised."
        "A purchased batch can't change. Put other shipments into another batch.";
    BatchPurchasing 409 "batch_purchasing" "The batch is being purchased."
        "Wait until its purchase has succeeded or failed: GET the batch, or wait for its event.";
    BatchNotOpen 409 "batch_not_open" "The batch is not open."
        "Only a batch whose purchase was never started can be deleted.";
    ShipmentInOtherBatch 409 "shipment_in_other_batch" "A shipment is in another batch."
        "Remove the shipments that the problem's `errors` name from their batches first.";
    ServiceAlreadySet 409 "service_already_set" "A shipment has another service already."
        "Leave out the shipments that the problem's `errors` name, or send `override: true` to give them the batch's service.";
    NotProvisioned 409 "not_provisioned" "The organisation is not provisioned for events."
        "Call POST /events/provision first. The live and the test world are provisioned separately.";
    TooManyWebhookEndpoints 409 "too_many_webhook_endpoints" "The organisation has reached its limit of webhook endpoints."
        "The limit is 50. Delete an endpoint that you no longer use.";
    WebhookEndpointDisabled 409 "webhook_endpoint_disabled" "The webhook endpoint is disabled."
        "Enable it first: PATCH it with `disabled: false`.";
    TooManySecrets 409 "too_many_secrets" "The secret was rotated too often within a day."
        "Wait: an old secret stays valid for 24 hours, and at most four are valid at once.";
    EventExpired 409 "event_expired" "The event is no longer in the log."
        "Events are kept for 30 days, or what the operator configured. Test events are never in the log.";
    TooManyShippingRules 409 "too_many_shipping_rules" "The organisation has reached its limit of shipping rules."
        "The limit is 1,000 in each world. Delete a rule that you no longer use, or join several into one.";
    NothingToList 409 "nothing_to_list" "The shipment names nothing that it contains."
        "Name the items in the `packages` of the shipment, or in its customs declaration.";
    NothingToPick 409 "nothing_to_pick" "The shipments name no inventory items to collect."
        "Name the items in the `packages` of the shipments. Voided shipments are not collected for.";
    LabelMissing 409 "label_missing" "A shipment has no label yet."
        "Wait for the labels of the shipments that the problem's `errors` name, or ask for them: POST /shipments/{shipment_id}/labels.";
    PrinterInUse 409 "printer_in_use" "The printer is still in use."
        "Cancel the jobs that wait, and let the one that is being sent end. If the problem's `errors` name shipping rules, give these another printer. Then delete or move the printer.";
    DefaultPrinterTaken 409 "default_printer_taken" "Another printer is the default there already."
        "The problem's `errors` name the printer. Take the kind of document out of its `is_default_for` first.";
    TooManyPrinters 409 "too_many_printers" "The organisation has reached its limit of printers."
        "The limit is 200 in each world. Delete a printer that you no longer use.";
    PrintJobNotQueued 409 "print_job_not_queued" "The print job is not queued."
        "Only a job with the status `queued` can be cancelled: this one is being sent, or has ended.";
    PrintJobOpen 409 "print_job_open" "The print job has not ended yet."
        "Wait until it is printed, failed or uncertain, or cancel it; then reprint it.";
    PrintClaimLost 409 "print_claim_lost" "The claim on the print job has ended."
        "Print nothing more of the job. Its lease has ended, or another agent has claimed it since: claim again.";
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
    ShippingRuleEmpty 422 "shipping_rule_empty" "The shipping rule sets nothing."
        "Give the rule's `action` something to set: a `service`, `choose`, `options`, a `package_type_id`, a `printer_id` or a `hold`.";
    ShippingRuleOrderInvalid 422 "shipping_rule_order_invalid" "The list does not name every shipping rule exactly once."
        "The problem's `errors` name the rules that are missing, named twice or unknown. Read the rules again, and send all of their ids.";
    OrderNotFound 422 "order_not_found" "The body names an order that does not exist."
        "Check the id that the problem's `errors` name.";
    LocationNotFound 422 "location_not_found" "The body names a location that does not exist."
        "Check the ids that the problem's `errors` name.";
    LocationConfigurationNotFound 422 "location_configuration_not_found" "The body names a location configuration that does not exist."
        "Check the id that the problem's `errors` name.";
    LocationConfigurationMissing 422 "location_configuration_missing" "No location configuration has the location as its origin."
        "Create a location configuration for the location that the problem's `errors` name.";
    LocationConfigurationAmbiguous 422 "location_configuration_ambiguous" "Several location configurations have the location as their origin."
        "Set `is_default` on one of those that the problem's `errors` name.";
    DestinationMissing 422 "destination_missing" "The order has no destination."
        "Set the order's `destination` first.";
    CustomsDataMissing 422 "customs_data_missing" "The customs declaration lacks data of some items."
        "Set the fields of the items that the problem's `errors` name.";
    CustomsCurrencyMixed 422 "customs_currency_mixed" "The values for customs have several currencies."
        "Give all items of the order values in one currency, or the order's lines prices in its currency.";
    PackagesExceedAllocations 422 "packages_exceed_allocations" "The packages hold more of an item than is allocated."
        "The problem's `errors` name each item, what was `requested` and what is `available`.";
    PackagesNeedLocation 422 "packages_need_location" "The allocations to ship are at several locations."
        "Packages leave from one location. Name the allocations of one location in `allocation_ids`.";
    ShipmentNotFound 422 "shipment_not_found" "The body names a shipment that does not exist."
        "Check the ids that the problem's `errors` name.";
    ShipmentNotInBatch 422 "shipment_not_in_batch" "The body names a shipment that is not in the batch."
        "Check the ids that the problem's `errors` name.";
    BatchTooLarge 422 "batch_too_large" "The batch would exceed its limit of shipments."
        "Use several batches. One may have 100,000 shipments, or what the operator configured.";
    BatchEmpty 422 "batch_empty" "The batch has no shipments."
        "Add shipments to it first.";
    ServiceMissing 422 "service_missing" "Neither the batch nor all its shipments have a service."
        "Set the batch's `service`, or choose one for the shipments that the problem's `errors` name.";
    RateNotFound 422 "rate_not_found" "The shipment has no such rate."
        "Name one of the shipment's `rates`, or ask for new ones.";
    CarrierNotFound 422 "carrier_not_found" "The body names a carrier that does not exist."
        "GET /carriers lists the carriers of your token's world. The test world has only the sandbox carrier.";
    CarrierAccountNotFound 422 "carrier_account_not_found" "The body names a carrier account that does not exist or is disabled."
        "GET /carrier_accounts lists them.";
    CarrierServiceNotFound 422 "carrier_service_not_found" "The body names a service that the carrier does not have."
        "GET /carriers/{carrier_id}/services lists them.";
    CarrierAccountInvalid 422 "carrier_account_invalid" "The account's configuration or credentials can't be used."
        "The problem's `errors` say what is missing or wrong.";
    InventoryItemNotFound 422 "inventory_item_not_found" "The body names an item that does not exist."
        "Check the ids that the problem's `errors` name.";
    SkuNotFound 422 "sku_not_found" "A line names a SKU that no inventory item has."
        "Create the item first, or name one in `item_id`. Only a draft may have lines without an item.";
    LineNotFound 422 "line_not_found" "The body names a line that the order does not have."
        "Check the id that the problem's `errors` name: GET the order for its lines.";
    ItemsContradictLines 422 "items_contradict_lines" "The order's `items` and `lines` contradict each other."
        "Send `lines` alone: `items` follow from them. To do without lines, send `items` together with an empty list of lines.";
    ItemNotInOrder 422 "item_not_in_order" "The body names an item that the order does not have."
        "Check the ids that the problem's `errors` name.";
    ItemNotInShipment 422 "item_not_in_shipment" "The body names an item that no package of the shipment holds."
        "Check the id: GET the shipment for the `items` of its packages.";
    PackageNotFound 422 "package_not_found" "The body names a package that the shipment does not have."
        "Send the number of one of its `packages`, counted from 1, or leave it out.";
    ItemNotInAllocation 422 "item_not_in_allocation" "The body names an item that the allocation does not hold."
        "An allocation holds one item, which can't be changed for another.";
    AllocationNotFound 422 "allocation_not_found" "The body names an allocation that the order does not have."
        "Check the ids that the problem's `errors` name. Nothing of the request was applied.";
    DuplicateAllocation 422 "duplicate_allocation" "The body names an allocation twice."
        "Name each allocation once.";
    PackageTypeNotFound 422 "package_type_not_found" "The body names a package type that does not exist."
        "Check the ids that the problem's `errors` name.";
    ItemMassMissing 422 "item_mass_missing" "The mass of an item is not known."
        "Set the `mass` of the items that the problem's `errors` name.";
    PackageTypeMissing 422 "package_type_missing" "No package type can hold an item."
        "The problem's `errors` name each item and location, and say why each package type is too small, too light or not available. Create a package type that fits.";
    TooManyUnits 422 "too_many_units" "There are too many units to pack at once."
        "At most 10,000 units of a location are packed at once. Name some of the allocations in `allocation_ids`.";
    PrinterAddressNotAllowed 422 "printer_address_not_allowed" "The server may not connect to this address."
        "A direct printer must be in a network that the operator names in the setting `printer_networks`. For a printer elsewhere, set `connection` to `agent`.";
    PrinterNotFound 422 "printer_not_found" "The body names a printer that does not exist."
        "Check the id that the problem's `errors` name. GET /printers lists them.";
    PrinterMissing 422 "printer_missing" "No printer is the default for the documents."
        "Name a `printer_id`, or give a printer the kind of document in `is_default_for`.";
    PrinterAmbiguous 422 "printer_ambiguous" "The documents have different default printers."
        "Make a job for each printer, or name a `printer_id`.";
    DocumentNotFound 422 "document_not_found" "The body names a document that does not exist."
        "Check the ids that the problem's `errors` name: GET the shipment, batch or manifest for its documents.";
    PrintFormatUnsupported 422 "print_format_unsupported" "The printer does not take the format of a document, and it can't be converted."
        "The problem's `errors` name the documents. Get the label in one of the printer's `formats`, or use another printer. Only labels that Dockside drew, and PNGs of carriers, are converted.";
    PrintDpiUnsupported 422 "print_dpi_unsupported" "The label can't be made for the resolution of the printer."
        "ZPL of a carrier can't be scaled: print the label as PDF or PNG, or on a printer whose `dpi` is 203. Dockside draws and scales labels for 203 to 1200 dpi.";
    PrintTooLarge 422 "print_too_large" "The documents are too large for one print job."
        "Print at most 64 MiB in one job: make several jobs.";
    StatusNotWritable 422 "status_not_writable" "The status can't be set like this."
        "Create an order as `draft` or `committed`; then use its commit and cancel endpoints.";
    UrlNotAllowed 422 "url_not_allowed" "The URL can't be called."
        "Use an http or https URL of a public address. The operator may allow others: see `outbound_allow`.";
    SequenceOutOfRange 422 "sequence_out_of_range" "The log does not contain this sequence."
        "The problem's `errors` name the oldest and the newest sequence.";
    UserNotFound 422 "user_not_found" "The body names a user that does not exist."
        "Check the id that the problem's `errors` name.";
    RoleNotFound 422 "role_not_found" "The body names a role that does not exist."
        "Send `admin`, `manager`, `packer`, `viewer`, or the id of a role that GET /roles lists.";
    PasskeyRefused 422 "passkey_refused" "The passkey can't be accepted."
        "Do as `detail` says. Each try needs a challenge of its own: POST /passkeys/challenge.";
    PasswordTooCommon 422 "password_too_common" "Too many people use this password."
        "Choose one that is not in lists of common passwords, such as four words that do not belong together.";
    ScopeNotHeld 422 "scope_not_held" "A caller can't grant a scope that it does not have."
        "Leave out the scopes that `detail` names.";
    LogoInvalid 422 "logo_invalid" "The logo is not a PNG that can be printed."
        "Send a PNG in base64, of up to 256 KiB, 4,096 pixels a side and 4,000,000 pixels in all.";
    BatchPartRequired 422 "batch_part_required" "The batch has too many shipments for one file."
        "Send `part`: 1 for the first 500 shipments, 2 for the next, and so on. `detail` says how many parts there are.";
    BatchPartNotFound 422 "batch_part_not_found" "The batch has no such part."
        "A part has 500 shipments. Send a `part` from 1 to the number that the problem's `errors` name.";
    ImportColumnMissing 422 "import_column_missing" "The file has no column by which its rows are recognised."
        "`detail` names the column and those that the file has. Rename it, or name it in `mapping`.";
    ImportEmpty 422 "import_empty" "The file has no header."
        "Send a file with a header and at least one row. `GET /imports/templates/{type}.csv` gives an example.";
    ImportStopped 422 "import_stopped" "The import stopped at a row that was refused."
        "It was made with `on_error: stop`. Correct the row that its errors name, and send the file again: rows that exist are not made twice.";
    ImportTooManyErrors 422 "import_too_many_errors" "Too many rows of the file were refused."
        "After 10,000 refused rows an import ends. Look at `columns`: the file is probably not what it was taken for.";
    AmbiguousKey 422 "ambiguous_key" "Several resources have the key of the row."
        "Name the one that is meant by its `id`.";
    OrderRowsApart 422 "order_rows_apart" "Rows of one order are not next to each other."
        "Sort the file by the reference, so that the rows of an order follow each other.";
    ImportRowTooLarge 422 "row_too_large" "A row has more than 1 MiB, or too many columns."
        "A quotation mark that is opened and not closed is often the cause: look at the rows before.";
    ImportRowNotText 422 "row_not_text" "A row has bytes that are no text."
        "Save the file as UTF-8, and send it again.";
    WaveEmpty 422 "wave_empty" "The wave has no orders."
        "No order that is committed, not held and not shipped passes the filter. Try it with `GET /orders`.";
    WaveTooLarge 422 "wave_too_large" "The wave has too many orders."
        "The limit is 100,000. Narrow the filter down, such as by `ship_by_before`, and start several waves.";
    ReportTooLarge 422 "report_too_large" "The report has too many groups."
        "A report has at most 10,000 groups. Ask for fewer days, or group by fewer words in `group_by`, such as without `day`.";
    WavePartRequired 422 "wave_part_required" "The wave has too many orders for one file."
        "Send `part`: 1 for the first 500 orders, 2 for the next, and so on. `detail` says how many parts there are.";
    WavePartNotFound 422 "wave_part_not_found" "The wave has no such part."
        "A part has 500 orders. Send a `part` from 1 to the number that the problem's `errors` name.";
    IdempotencyKeyReused 422 "idempotency_key_reused" "The idempotency key was used for another request."
        "Use a new key for each new request. Repeat a key only with exactly the same request; where the answer carries a token or a secret, also with the same access token.";
    SignInLimited 429 "too_many_sign_ins" "There were too many failed sign-ins."
        "Wait for the number of seconds in `Retry-After`. A one-time link from an administrator works at once.";
    TooManyExports 429 "too_many_exports" "The organisation has its largest number of exports under way."
        "Wait until one has ended, then ask again. If a client has stopped reading one, it ends by itself.";
    ResetLimited 429 "too_many_password_resets" "There were too many requests for a new password."
        "Wait for the number of seconds in `Retry-After`. Look for the link in the mailbox meanwhile, also among unwanted e-mails.";
    RateLimited 429 "rate_limited" "The organisation has sent too many requests."
        "Wait for the number of seconds in `Retry-After`, then send the request again.";
    HeadersTooLarge 431 "headers_too_large" "The request's path or headers are too large."
        "Shorten the path, the query or the headers.";
    Internal 500 "internal_error" "The server failed to answer."
        "If the request writes, its change may or may not have been made: repeat it with the same `Idempotency-Key`, or look first. Tell the operator the problem's `request_id`.";
    Overloaded 503 "overloaded" "The server is overloaded."
        "Wait for the number of seconds in `Retry-After`, then send the request again.";
    StoreUnavailable 503 "store_unavailable" "The database does not answer."
        "Send the request again shortly, with the same `Idempotency-Key` where it writes.";
    StoreNotWritable 503 "store_not_writable" "The database can't be written to. Reads go on."
        "Free space on the database's disk, or make it writable. The server goes on by itself.";
    FilesUnavailable 503 "files_unavailable" "The file store does not answer."
        "Send the request again shortly.";
    RequestTimeLimit 503 "time_limit" "The request took longer than the server allows."
        "Send the request again shortly, with the same `Idempotency-Key` where it writes.";
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let word = Cow::<str>::deserialize(from)?;
        let found = Code::ALL.iter().copied().find(|code| code.as_str() == word);
        found.ok_or_else(|| serde::de::Error::custom("no code of the catalogue"))
    }
}

/// A refusal: its code, its detail for this request, and the fields in error.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Problem {
    pub code: Code,
    pub detail: Option<String>,
    pub issues: Vec<Issue>,
}

impl Problem {
    /// Creates a refusal because of one field.
    pub fn field(code: Code, issue: Issue) -> Self {
        Self { code, detail: Some(issue.message.clone()), issues: vec![issue] }
    }

    /// Creates the refusal of a query parameter, which `detail` names.
    pub fn parameter(name: &str, message: &str) -> Self {
        let issue = Issue::new("invalid_query", name, message);
        Self::field(Code::InvalidQuery, issue).with_detail(format!("{name}: {message}"))
    }

    /// Creates a refusal because of several fields, all for the same reason.
    pub fn fields(code: Code, issues: impl Into<Issues>) -> Self {
        Self { code, detail: None, issues: issues.into().into_list() }
    }

    /// Creates a refusal because of all errors in a body. An unknown field comes first: it is often the misspelling
    /// that causes the other errors.
    pub fn body(issues: impl Into<Issues>) -> Self {
        let issues = issues.into();
        let unknown = issues.iter().any(|issue| issue.code == Code::UnknownField.as_str());
        let code = if unknown { Code::UnknownField } else { Code::ValidationFailed };
        let detail = match (issues.count(), issues.first()) {
            (1, Some(only)) => format!("{}: {}", only.field, only.message),
            (count, _) if count > ISSUES_MAX => {
                format!("{count} fields are wrong: the problem's `errors` name the first {ISSUES_MAX}.")
            }
            (count, _) => format!("{count} fields are wrong: the problem's `errors` name each."),
        };
        Self { code, detail: Some(detail), issues: issues.into_list() }
    }

    /// Returns the refusal with a sentence about this request.
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

#[cfg(test)]
mod tests;
