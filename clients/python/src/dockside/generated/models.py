"""The objects of the API, as JSON has them.

Generated from openapi.json by clients/generate.sh: change that, and not this file.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

BatchErrorCode = Literal["rates_unavailable", "rate_expired", "address_invalid", "post_code_invalid", "service_unavailable", "insufficient_funds", "credentials_invalid", "customs_required", "weight_limit", "dimensions_limit", "label_format_unavailable", "option_unavailable", "purchase_declined", "provider_timeout", "provider_unavailable", "outcome_unknown", "duplicate_purchase_voided", "insufficient_stock", "order_on_hold", "order_cancelled", "order_blocked"]
CurrencyCode = Literal["AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BHD", "BIF", "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF", "CLP", "CNY", "COP", "CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VED", "VES", "VND", "VUV", "WST", "XAF", "XCD", "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG"]
CustomsIncoterm = Literal["EXW", "FCA", "CPT", "CIP", "DAP", "DPU", "DDP", "FAS", "FOB", "CFR", "CIF", "DAT", "DDU", "DAF", "DEQ", "DES"]
CustomsIdentifierIdentifierType = Literal["ioss", "vat", "eori", "ein", "ssn", "tin", "gst", "pan", "voec", "pccc", "oss", "passport", "abn", "ird", "arn", "ukims", "cnp", "national_id", "other"]
CountryCode = Literal["AD", "AE", "AF", "AG", "AI", "AL", "AM", "AO", "AQ", "AR", "AS", "AT", "AU", "AW", "AX", "AZ", "BA", "BB", "BD", "BE", "BF", "BG", "BH", "BI", "BJ", "BL", "BM", "BN", "BO", "BQ", "BR", "BS", "BT", "BV", "BW", "BY", "BZ", "CA", "CC", "CD", "CF", "CG", "CH", "CI", "CK", "CL", "CM", "CN", "CO", "CR", "CU", "CV", "CW", "CX", "CY", "CZ", "DE", "DJ", "DK", "DM", "DO", "DZ", "EC", "EE", "EG", "EH", "ER", "ES", "ET", "FI", "FJ", "FK", "FM", "FO", "FR", "GA", "GB", "GD", "GE", "GF", "GG", "GH", "GI", "GL", "GM", "GN", "GP", "GQ", "GR", "GS", "GT", "GU", "GW", "GY", "HK", "HM", "HN", "HR", "HT", "HU", "ID", "IE", "IL", "IM", "IN", "IO", "IQ", "IR", "IS", "IT", "JE", "JM", "JO", "JP", "KE", "KG", "KH", "KI", "KM", "KN", "KP", "KR", "KW", "KY", "KZ", "LA", "LB", "LC", "LI", "LK", "LR", "LS", "LT", "LU", "LV", "LY", "MA", "MC", "MD", "ME", "MF", "MG", "MH", "MK", "ML", "MM", "MN", "MO", "MP", "MQ", "MR", "MS", "MT", "MU", "MV", "MW", "MX", "MY", "MZ", "NA", "NC", "NE", "NF", "NG", "NI", "NL", "NO", "NP", "NR", "NU", "NZ", "OM", "PA", "PE", "PF", "PG", "PH", "PK", "PL", "PM", "PN", "PR", "PS", "PT", "PW", "PY", "QA", "RE", "RO", "RS", "RU", "RW", "SA", "SB", "SC", "SD", "SE", "SG", "SH", "SI", "SJ", "SK", "SL", "SM", "SN", "SO", "SR", "SS", "ST", "SV", "SX", "SY", "SZ", "TC", "TD", "TF", "TG", "TH", "TJ", "TK", "TL", "TM", "TN", "TO", "TR", "TT", "TV", "TW", "TZ", "UA", "UG", "UM", "US", "UY", "UZ", "VA", "VC", "VE", "VG", "VI", "VN", "VU", "WF", "WS", "XK", "YE", "YT", "ZA", "ZM", "ZW"]
DocumentType = Literal["label", "labels", "return_label", "commercial_invoice", "cn22", "cn23", "packing_slip", "manifest", "pick_list", "packing_slips", "papers"]
PartialShipmentTrackingStatus = Literal["unknown", "pre_transit", "in_transit", "out_for_delivery", "available_for_pickup", "delivered", "return_to_sender", "failure", "cancelled"]
ProblemCode = Literal["malformed_request", "invalid_json", "duplicate_key", "invalid_query", "invalid_limit", "invalid_cursor", "invalid_header", "unknown_version", "invalid_request", "unsupported_grant_type", "invalid_scope", "carrier_message_invalid", "unauthenticated", "invalid_client", "sign_in_failed", "cross_site_request", "session_required", "current_password_wrong", "insufficient_scope", "forbidden_origin", "forbidden_channel", "file_link_invalid", "file_link_expired", "invalid_signature", "not_found", "rule_evaluation_not_found", "method_not_allowed", "request_timeout", "live_world_only", "test_world_only", "last_admin", "email_address_taken", "role_in_use", "role_built_in", "role_name_taken", "too_many_roles", "too_many_users", "passkeys_unavailable", "mail_unavailable", "passkey_taken", "too_many_passkeys", "user_disabled", "location_missing", "location_in_use", "package_type_in_use", "inventory_item_in_use", "sku_taken", "barcode_taken", "reference_taken", "on_hand_changed", "order_not_committed", "order_cancelled", "order_fulfilled", "order_partly_fulfilled", "order_on_hold", "lines_unmatched", "line_matched", "too_many_notes", "order_items_allocated", "exceeds_reservation", "insufficient_stock", "order_blocked", "order_has_shipments", "order_changed", "nothing_to_ship", "held_by_rule", "import_has_content", "import_ended", "wave_running", "wave_completed", "wave_cancelled", "nothing_to_retry", "allocation_in_shipment", "shipment_of_order", "shipment_scanned", "shipment_without_order", "nothing_to_scan", "scan_id_reused", "too_many_scans", "short_exceeds_missing", "customs_lines_unmatched", "allocation_completed", "stock_moved", "nothing_to_allocate", "shipment_purchasing", "shipment_purchased", "shipment_voided", "shipment_not_purchased", "shipment_manifested", "batch_not_finalised", "label_format_unavailable", "labels_set_aside", "manifest_empty", "shipment_changed", "rate_expired", "void_unsupported", "purchase_not_in_review", "handle_taken", "too_many_package_types", "nothing_to_pack", "carrier_account_in_use", "too_many_carrier_accounts", "batch_finalised", "batch_purchasing", "batch_not_open", "shipment_in_other_batch", "service_already_set", "not_provisioned", "too_many_webhook_endpoints", "webhook_endpoint_disabled", "too_many_secrets", "event_expired", "too_many_shipping_rules", "nothing_to_list", "nothing_to_pick", "label_missing", "printer_in_use", "default_printer_taken", "too_many_printers", "print_job_not_queued", "print_job_open", "print_claim_lost", "idempotency_in_progress", "precondition_failed", "body_too_large", "unsupported_media_type", "validation_failed", "unknown_field", "shipping_rule_empty", "shipping_rule_order_invalid", "order_not_found", "location_not_found", "location_configuration_not_found", "location_configuration_missing", "location_configuration_ambiguous", "destination_missing", "customs_data_missing", "customs_currency_mixed", "packages_exceed_allocations", "packages_need_location", "shipment_not_found", "shipment_not_in_batch", "batch_too_large", "batch_empty", "service_missing", "rate_not_found", "carrier_not_found", "carrier_account_not_found", "carrier_service_not_found", "carrier_account_invalid", "inventory_item_not_found", "sku_not_found", "line_not_found", "items_contradict_lines", "item_not_in_order", "item_not_in_shipment", "package_not_found", "item_not_in_allocation", "allocation_not_found", "duplicate_allocation", "package_type_not_found", "item_mass_missing", "package_type_missing", "too_many_units", "printer_address_not_allowed", "printer_not_found", "printer_missing", "printer_ambiguous", "document_not_found", "print_format_unsupported", "print_dpi_unsupported", "print_too_large", "status_not_writable", "url_not_allowed", "sequence_out_of_range", "user_not_found", "role_not_found", "passkey_refused", "password_too_common", "scope_not_held", "logo_invalid", "batch_part_required", "batch_part_not_found", "import_column_missing", "import_empty", "import_stopped", "import_too_many_errors", "ambiguous_key", "order_rows_apart", "row_too_large", "row_not_text", "wave_empty", "wave_too_large", "report_too_large", "wave_part_required", "wave_part_not_found", "idempotency_key_reused", "too_many_sign_ins", "too_many_exports", "too_many_password_resets", "rate_limited", "headers_too_large", "internal_error", "overloaded", "store_unavailable", "store_not_writable", "files_unavailable", "time_limit"]
SampleDataCountName = Literal["locations", "location_configurations", "package_types", "shipping_rules", "inventory_items", "inventory_levels", "orders", "order_holds", "order_exceptions", "order_plans", "waves", "manifests"]
ShippingOptionsRestrictedSubstances = Literal["alcohol", "batteries_lithium_ion", "batteries_lithium_metal", "dry_ice", "biological", "flammable", "limited_quantity", "tobacco", "other"]
WebhookEndpointEventTypes = Literal["*", "location.created", "location.updated", "location.deleted", "location_configuration.created", "location_configuration.updated", "location_configuration.deleted", "inventory_item.created", "inventory_item.updated", "inventory_item.deleted", "inventory.updated", "order.created", "order.updated", "order.committed", "order.cancelled", "order.fulfilled", "order.deleted", "order.held", "order.released", "order.exception_raised", "order.exception_resolved", "reservation.created", "reservation.updated", "reservation.deleted", "allocation.created", "allocation.updated", "allocation.completed", "allocation.reopened", "allocation.deleted", "package_type.created", "package_type.updated", "package_type.deleted", "shipment.created", "shipment.updated", "shipment.rated", "shipment.purchased", "shipment.purchase_failed", "shipment.voided", "shipment.packed", "shipment.handed_over", "shipment.deleted", "tracking.updated", "purchase_attempt.needs_review", "purchase_attempt.resolved", "batch.created", "batch.updated", "batch.purchase_started", "batch.purchased", "batch.purchase_failed", "batch.labels_ready", "batch.labels_created", "batch.manifested", "batch.deleted", "manifest.created", "manifest.failed", "shipping_rule.created", "shipping_rule.updated", "shipping_rule.deleted", "printer.created", "printer.updated", "printer.deleted", "print_job.created", "print_job.updated", "wave.created", "wave.updated", "wave.completed", "import.created", "import.updated", "import.completed", "import.failed", "import.cancelled", "wave.cancelled", "user.created", "user.updated", "user.disabled", "user.deleted", "passkey.created", "passkey.deleted", "role.created", "role.updated", "role.deleted", "organisation.updated", "webhook_endpoint.disabled"]


class AccessToken(TypedDict):
    """An access token. Its secret is shown once, when it is made."""
    id: str
    """Names the token without giving access: `dockside token list` and revoking use it, and OAuth takes it as `client_id`."""
    name: NotRequired[str | None]
    """A note for people, such as the device that holds the token. It has no effect, and need not be unique."""
    user: UserReference
    mode: Literal["live", "test"]
    """`live` data, or the `test` world beside it, where the only carrier is the sandbox. Set by the token that made this one."""
    scopes: list[str]
    """What the token may do. A token can't give another one more than it has itself. Scopes never change: make a new token instead."""
    expires_at: NotRequired[str | None]
    """From this moment on the token is refused with 401. Null: it lives until it is revoked."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    created_by: NotRequired[str | None]
    """The token that made this one: revoking it revokes this one too. Null where the operator made it on the server, or a version of Dockside that did not record it."""


class AccessTokenCreated(TypedDict):
    """A new access token with its secret."""
    id: str
    """Names the token without giving access: `dockside token list` and revoking use it, and OAuth takes it as `client_id`."""
    name: NotRequired[str | None]
    """A note for people, such as the device that holds the token. It has no effect, and need not be unique."""
    user: UserReference
    mode: Literal["live", "test"]
    """`live` data, or the `test` world beside it, where the only carrier is the sandbox. Set by the token that made this one."""
    scopes: list[str]
    """What the token may do. A token can't give another one more than it has itself. Scopes never change: make a new token instead."""
    expires_at: NotRequired[str | None]
    """From this moment on the token is refused with 401. Null: it lives until it is revoked."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    created_by: NotRequired[str | None]
    """The token that made this one: revoking it revokes this one too. Null where the operator made it on the server, or a version of Dockside that did not record it."""
    token: str
    """The secret to send as `Authorization: Bearer …`. Only a hash of it is kept, so it is in this answer and never shown again."""


class AccessTokenInput(TypedDict):
    """What a new token is for and may do."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str | None]
    """A note for people, such as the device that holds the token. It has no effect, and need not be unique."""
    user: NotRequired[UserReferenceInput | None]
    mode: NotRequired[object]
    """Made by the server; ignored in requests."""
    scopes: list[str]
    """What the token may do. A token can't give another one more than it has itself. Scopes never change: make a new token instead."""
    expires_at: NotRequired[str | None]
    """From this moment on the token is refused with 401. Null: it lives until it is revoked."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_by: NotRequired[object]
    """Made by the server; ignored in requests."""


class Actor(TypedDict):
    """Who or what made the change."""
    type: Literal["user", "token", "job", "carrier", "shop", "customer", "system"]
    """What it is: a `user` who has signed in, an access `token`, a `job` of the server, a `carrier` that told of a parcel, or the `system` itself. Nothing is done by a `shop` or a `customer` yet."""
    id: NotRequired[str | None]
    """The id of the user or of the access token. Null for the others."""
    name: NotRequired[str | None]
    """The name of the job, such as `purchases`. Null for the others."""


class Address(TypedDict):
    """A postal address and whom to ask for there."""
    address: PostalAddress
    """Street, town and country, as they are printed on labels."""
    contact: NotRequired[Contact | None]
    """The person or firm there. Labels name the sender by it."""


class AddressInput(TypedDict):
    """A postal address and whom to ask for there."""
    address: PostalAddressInput
    """Street, town and country, as they are printed on labels."""
    contact: NotRequired[ContactInput | None]
    """The person or firm there. Labels name the sender by it."""


class AddressPatch(TypedDict):
    """A postal address and whom to ask for there."""
    address: NotRequired[PostalAddressPatch]
    """Street, town and country, as they are printed on labels."""
    contact: NotRequired[ContactInput | None]
    """The person or firm there. Labels name the sender by it."""


class AddressRecord(TypedDict):
    """A postal address, who is there, and your own notes on it."""
    display_name: NotRequired[str | None]
    """What the address is called in lists: a location's name where it was copied from one. Never printed or sent to a carrier, except for a destination whose contact has neither name nor company."""
    address: ShipmentPostalAddress
    """Street, town and country, as they are printed."""
    contact: NotRequired[Contact | None]
    """Who sends or receives: printed above the address and told to the carrier."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    marketplaces: NotRequired[dict[str, str] | None]
    """What other systems call this address: a map from a marketplace's name to its id, as strings. Kept and returned."""
    coordinates: NotRequired[Coordinates | None]
    """Where it is on the globe, if you know. Some carriers' zones go by it."""


class AddressRecordInput(TypedDict):
    """A postal address, who is there, and your own notes on it."""
    display_name: NotRequired[str | None]
    """What the address is called in lists: a location's name where it was copied from one. Never printed or sent to a carrier, except for a destination whose contact has neither name nor company."""
    address: ShipmentPostalAddressInput
    """Street, town and country, as they are printed."""
    contact: NotRequired[ContactInput | None]
    """Who sends or receives: printed above the address and told to the carrier."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    marketplaces: NotRequired[dict[str, str] | None]
    """What other systems call this address: a map from a marketplace's name to its id, as strings. Kept and returned."""
    coordinates: NotRequired[CoordinatesInput | None]
    """Where it is on the globe, if you know. Some carriers' zones go by it."""


class AddressRecordPatch(TypedDict):
    """A postal address, who is there, and your own notes on it."""
    display_name: NotRequired[str | None]
    """What the address is called in lists: a location's name where it was copied from one. Never printed or sent to a carrier, except for a destination whose contact has neither name nor company."""
    address: NotRequired[ShipmentPostalAddressPatch]
    """Street, town and country, as they are printed."""
    contact: NotRequired[ContactInput | None]
    """Who sends or receives: printed above the address and told to the carrier."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    marketplaces: NotRequired[dict[str, str | None] | None]
    """What other systems call this address: a map from a marketplace's name to its id, as strings. Kept and returned."""
    coordinates: NotRequired[CoordinatesInput | None]
    """Where it is on the globe, if you know. Some carriers' zones go by it."""


class Allocation(TypedDict):
    """An item of an order, assigned to a location for fulfilment."""
    id: str
    """Made when stock is assigned to a location. Changing or completing the allocation keeps it."""
    location: PlaceReference
    """The place that sends it. Its level counts the quantity as allocated until completion."""
    order: OrderReference
    """The committed order whose reservation this is a part of."""
    items: list[LineItem]
    """The one item that is allocated, and how many. A list, so that it reads like an order's `items`."""
    shipment_id: NotRequired[str | None]
    """The parcels that hold these units. Null while none does, and again after they are voided or deleted."""
    completed_at: NotRequired[str | None]
    """When the stock was taken. Null while the allocation is open and may change."""


class AllocationChangeInput(TypedDict):
    """What becomes of one allocation; what is not named stays."""
    id: str
    """Made when stock is assigned to a location. Changing or completing the allocation keeps it."""
    location: NotRequired[PlaceReferenceInput | None]
    """Moves the open allocation to another place."""
    order: NotRequired[object]
    """Made by the server; ignored in requests."""
    items: NotRequired[list[LineItemInput] | None]
    """The one item that is allocated, and how many. A list, so that it reads like an order's `items`."""
    shipment_id: NotRequired[object]
    """Made by the server; ignored in requests."""
    completed: NotRequired[bool | None]
    """`true` completes the allocation now: its quantity is taken from what is on hand. It can't be undone but by deleting all of the order's allocations."""
    completed_at: NotRequired[str | None]
    """Completes the allocation, as `completed` does, with the moment at which the goods left. Null or absent leaves it open."""


class AllocationChangesInput(TypedDict):
    """The allocations to change, together or not at all: one that is refused leaves all as they were."""
    allocations: list[AllocationChangeInput]
    """The allocations to change, together or not at all: one that is refused leaves all as they were."""


class AllocationInput(TypedDict):
    """Items to send from a location. Several items become one allocation each."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    location: PlaceReferenceInput
    """The place that is to send the items. It need not have them on hand: what is missing is on backorder."""
    order: NotRequired[object]
    """Made by the server; ignored in requests."""
    items: list[LineItemInput]
    """What to send from there. Each item becomes an allocation of its own, within the order's reservation."""
    shipment_id: NotRequired[object]
    """Made by the server; ignored in requests."""
    completed_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class AllocationReference(TypedDict):
    """The allocation that took the stock or gave it back. Null for other changes."""
    id: str
    """Made when stock is assigned to a location. Changing or completing the allocation keeps it."""


class AllocationsInput(TypedDict):
    """Up to so many allocations, made together or not at all: one that is refused refuses all."""
    allocations: list[AllocationInput]
    """Up to so many allocations, made together or not at all: one that is refused refuses all."""


class Batch(TypedDict):
    """Shipments that are bought, labelled and handed over together."""
    id: str
    """Made when the batch is created. Shipments, labels and manifests of the batch are found under it."""
    name: NotRequired[str | None]
    """Shown in lists and exports; need not be unique. No carrier sees it."""
    service: NotRequired[BatchService | None]
    options: NotRequired[BatchOptions | None]
    status: Literal["open", "purchasing", "purchased", "partially_purchased", "purchase_failed"]
    """`open` until it is bought; `purchasing` meanwhile; then `purchased`, or `partially_purchased` or `purchase_failed`, which can be repaired and bought again. `purchased` is final: the batch can't change any more."""
    errors: list[BatchError]
    """What went wrong with its shipments, up to a limit; `error_count` is the whole number."""
    shipments: NotRequired[list[BatchMember] | None]
    """In requests, shipments that are to be in it: ids, objects with an `id`, or whole shipments as they were read, of which only the `id` counts; one may come without an array around it. In answers the oldest 20 of its shipments, in short; GET /batches/{batch_id}/shipments has them all."""
    shipments_count: int
    """Everything in the batch, whether bought or not. At most what the operator allows: 100,000 by default."""
    purchased_count: int
    """Shipments of the batch that are bought and not voided. With `shipments_count` it shows how far a purchase has come."""
    error_count: int
    """Errors of all its shipments together; a shipment may have several. `errors` shows the first of them."""
    error_counts: dict[str, int]
    """Errors of all its shipments by `code`, however many `errors` shows. Codes without errors are missing; the counts add up to `error_count`."""
    packages_count: int
    """The parcels of all its shipments: the number of labels to expect."""
    labels_pending_count: int
    """Purchased shipments whose label the carrier delivers later. When it is 0 again, `batch.labels_ready` is sent."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    override: NotRequired[bool | None]
    """In requests: whether the batch's service counts more than another that a shipment chose already."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class BatchCarrier(TypedDict):
    """The carrier, by its id or its handle. May be left out where the account is given."""
    id: NotRequired[str | None]
    """The same in every organisation. Where a carrier is asked for, its `handle` does as well."""
    name: NotRequired[str | None]
    """The name to show to people. It may change; programs use the handle."""
    handle: NotRequired[str | None]
    """A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is."""
    description: NotRequired[str | None]
    """A sentence for people who choose between several."""


class BatchCarrierAccount(TypedDict):
    """The account, by its id or its handle. May be left out where the carrier has one usable account."""
    id: NotRequired[str | None]
    """Made when the account is created. Where an account is asked for, its `handle` does as well."""
    name: NotRequired[str | None]
    """The name to show to people. It may change; programs use the handle."""
    handle: NotRequired[str | None]
    """A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is."""
    description: NotRequired[str | None]
    """A sentence for people who choose between several."""


class BatchCarrierAccountInput(TypedDict):
    """The account, by its id or its handle. May be left out where the carrier has one usable account."""
    id: NotRequired[str | None]
    """Made when the account is created. Where an account is asked for, its `handle` does as well."""
    name: NotRequired[object]
    """Made by the server; ignored in requests."""
    handle: NotRequired[str | None]
    """A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is."""
    description: NotRequired[object]
    """Made by the server; ignored in requests."""


class BatchCarrierInput(TypedDict):
    """The carrier, by its id or its handle. May be left out where the account is given."""
    id: NotRequired[str | None]
    """The same in every organisation. Where a carrier is asked for, its `handle` does as well."""
    name: NotRequired[object]
    """Made by the server; ignored in requests."""
    handle: NotRequired[str | None]
    """A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is."""
    description: NotRequired[object]
    """Made by the server; ignored in requests."""


class BatchCarrierService(TypedDict):
    """How fast it travels, and for how much: a service of the carrier, by its id or its handle, such as `standard`."""
    id: NotRequired[str | None]
    """The same in every organisation. Where a service is asked for, its `handle` does as well."""
    name: NotRequired[str | None]
    """The name to show to people. It may change; programs use the handle."""
    handle: NotRequired[str | None]
    """A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is."""
    description: NotRequired[str | None]
    """A sentence for people who choose between several."""


class BatchCarrierServiceInput(TypedDict):
    """How fast it travels, and for how much: a service of the carrier, by its id or its handle, such as `standard`."""
    id: NotRequired[str | None]
    """The same in every organisation. Where a service is asked for, its `handle` does as well."""
    name: NotRequired[object]
    """Made by the server; ignored in requests."""
    handle: NotRequired[str | None]
    """A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is."""
    description: NotRequired[object]
    """Made by the server; ignored in requests."""


class BatchError(TypedDict):
    """Something that went wrong with a shipment of a batch."""
    shipment_id: str
    """Tells which member of the batch to repair, or to remove before the next purchase."""
    type: Literal["validation_error", "rate_error", "purchase_error", "label_error", "manifest_error", "void_error"]
    """What was being done: rating, buying, labelling, voiding or closing out."""
    code: BatchErrorCode
    """The cause, for programs. Stable: match on it, not on `message`."""
    source: Literal["request", "service", "carrier", "provider"]
    """Who refused: the `carrier` in its own words, the `provider` between (it did not answer), or the `service`: Dockside itself."""
    message: str
    """A sentence for people, often the carrier's own. Its wording may change at any time."""
    package: NotRequired[int | None]
    """The number of the package that it is about, from 1 on. Absent where it is about the whole shipment."""


class BatchInput(TypedDict):
    """Shipments that are bought, labelled and handed over together."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str | None]
    """Shown in lists and exports; need not be unique. No carrier sees it."""
    service: NotRequired[BatchServiceInput | None]
    options: NotRequired[BatchOptionsInput | None]
    status: NotRequired[object]
    """Made by the server; ignored in requests."""
    errors: NotRequired[object]
    """Made by the server; ignored in requests."""
    shipments: NotRequired[list[str | ShipmentById] | str | ShipmentById | None]
    shipments_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    purchased_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    error_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    error_counts: NotRequired[object]
    """Made by the server; ignored in requests."""
    packages_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    labels_pending_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    override: NotRequired[bool | None]
    """In requests: whether the batch's service counts more than another that a shipment chose already."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class BatchLabelsInput(TypedDict):
    """How its labels are wanted. Where no format is given, as the batch's `options.label_format` says."""
    format: NotRequired[Literal["png", "zpl", "pdf"] | None]


class BatchMember(TypedDict):
    """A shipment of a batch, in short."""
    id: str
    """Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages."""
    name: NotRequired[str | None]
    """A name or reference of your own, such as the order's number. Need not be unique."""
    status: Literal["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"]
    """`draft` when made, `rated` with rates, `purchasing` while the carrier is asked, then `purchased` or `purchase_failed`, which can be repaired and bought again. `voided`: the carrier took the label back and refunds it."""
    errors: list[ShipmentError]
    """What went wrong with this shipment; empty while nothing did."""


class BatchOptions(TypedDict):
    """How the labels of the whole batch are made. It counts for the merged file, whatever the shipments ask for themselves."""
    label_format: NotRequired[Literal["png", "zpl", "pdf"] | None]
    """The format of every label and of the merged file: pages of a PDF, ZPL one after the other, or PNG files in a ZIP. Defaults to `png`."""


class BatchOptionsInput(TypedDict):
    """How the labels of the whole batch are made. It counts for the merged file, whatever the shipments ask for themselves."""
    label_format: NotRequired[Literal["png", "zpl", "pdf"] | None]
    """The format of every label and of the merged file: pages of a PDF, ZPL one after the other, or PNG files in a ZIP. Defaults to `png`."""


class BatchPaperInput(TypedDict):
    """How the papers are wanted, and of which part of a large batch."""
    format: NotRequired[Literal["a4", "letter", "4x6"] | None]
    part: NotRequired[int | None]
    """Which 500 shipments of a large batch, or which 500 orders of a large wave, in their order: 1 for the first 500, 2 for the next. Needed where there are more than 500."""


class BatchPatch(TypedDict):
    """Shipments that are bought, labelled and handed over together."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str | None]
    """Shown in lists and exports; need not be unique. No carrier sees it."""
    service: NotRequired[BatchServiceInput | None]
    options: NotRequired[BatchOptionsInput | None]
    status: NotRequired[object]
    """Made by the server; ignored in requests."""
    errors: NotRequired[object]
    """Made by the server; ignored in requests."""
    shipments: NotRequired[list[str | ShipmentById] | str | ShipmentById | None]
    shipments_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    purchased_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    error_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    error_counts: NotRequired[object]
    """Made by the server; ignored in requests."""
    packages_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    labels_pending_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    override: NotRequired[bool | None]
    """In requests: whether the batch's service counts more than another that a shipment chose already."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class BatchService(TypedDict):
    """The service with which all shipments of the batch are bought. Without it, each is bought with the service it chose itself."""
    carrier: NotRequired[BatchCarrier | None]
    carrier_service: BatchCarrierService
    carrier_account: NotRequired[BatchCarrierAccount | None]


class BatchServiceInput(TypedDict):
    """The service with which all shipments of the batch are bought. Without it, each is bought with the service it chose itself."""
    carrier: NotRequired[BatchCarrierInput | None]
    carrier_service: BatchCarrierServiceInput
    carrier_account: NotRequired[BatchCarrierAccountInput | None]


class BatchShipmentsAddedInput(TypedDict):
    """Shipments to put into a batch."""
    shipments: list[str | ShipmentById] | str | ShipmentById
    """Shipments: ids, objects with an `id`, or whole shipments as they were read. One may come without an array around it."""
    override: NotRequired[bool | None]
    """In requests: whether the batch's service counts more than another that a shipment chose already."""


class BatchShipmentsRemovedInput(TypedDict):
    """Shipments to take out of a batch."""
    shipments: list[str | ShipmentById] | str | ShipmentById
    """Shipments: ids, objects with an `id`, or whole shipments as they were read. One may come without an array around it."""


class Branding(TypedDict):
    """What the organisation puts on its packing slips and pick lists, in the token's world."""
    name: NotRequired[str | None]
    """Printed at the top of each page where there is no logo. Without it, a packing slip has the company or the name of its sender."""
    colour: NotRequired[str | None]
    """Of the rule below the logo or name: red, green and blue in hexadecimal. Black without it."""
    footer: NotRequired[str | None]
    """Printed at the bottom of each page, in up to three lines: thanks, the way to return something, what the law asks for."""
    logo: NotRequired[str | None]
    """A PNG in base64: up to 256 KiB, sides of up to 4,096 pixels, and up to 4,000,000 pixels. It is printed up to 60 mm wide; what is transparent stays white."""
    updated_at: NotRequired[str | None]
    """When the branding was last set or deleted, on the server's clock: RFC 3339 in UTC. Null if it never was."""


class BrandingInput(TypedDict):
    """What the organisation puts on its packing slips and pick lists, in the token's world."""
    name: NotRequired[str | None]
    """Printed at the top of each page where there is no logo. Without it, a packing slip has the company or the name of its sender."""
    colour: NotRequired[str | None]
    """Of the rule below the logo or name: red, green and blue in hexadecimal. Black without it."""
    footer: NotRequired[str | None]
    """Printed at the bottom of each page, in up to three lines: thanks, the way to return something, what the law asks for."""
    logo: NotRequired[str | None]
    """A PNG in base64: up to 256 KiB, sides of up to 4,096 pixels, and up to 4,000,000 pixels. It is printed up to 60 mm wide; what is transparent stays white."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class Carrier(TypedDict):
    """A company that carries parcels."""
    id: str
    """The same in every organisation. Where a carrier is asked for, its `handle` does as well."""
    name: str
    """The name to show to people. It may change; programs use the handle."""
    handle: str
    """A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is."""
    description: str
    """A sentence for people who choose between several."""


class CarrierAccount(TypedDict):
    """A contract with a carrier: with it rates are asked for and labels are bought."""
    id: str
    """Made when the account is created. Where an account is asked for, its `handle` does as well."""
    carrier: CarrierName
    name: str
    """How your team tells accounts apart. Rates and shipments show it."""
    handle: NotRequired[str | None]
    """Your own short name for the account. Purchases accept it instead of the id."""
    description: NotRequired[str | None]
    """A note for your team, such as whose contract it is."""
    configuration: NotRequired[dict[str, Any] | None]
    """What the carrier's connector needs to know, such as the rate table of `own` or the rate card of `royal_mail`; the guide's page on carriers lists it. Shown to everybody who may read accounts: put no key here."""
    credentials: NotRequired[dict[str, Any] | None]
    """Keys and passwords for the carrier. Encrypted before they are stored, never shown and never logged. A PATCH replaces all of them."""
    has_credentials: bool
    """`true` once `credentials` were given; they themselves are never shown."""
    disabled: NotRequired[bool | None]
    """`true` leaves the account out of rating and buying. What was bought with it is still tracked and can be voided."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class CarrierAccountInput(TypedDict):
    """A contract with a carrier: with it rates are asked for and labels are bought."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    carrier: CarrierNameInput
    name: str
    """How your team tells accounts apart. Rates and shipments show it."""
    handle: NotRequired[str | None]
    """Your own short name for the account. Purchases accept it instead of the id."""
    description: NotRequired[str | None]
    """A note for your team, such as whose contract it is."""
    configuration: NotRequired[dict[str, Any] | None]
    """What the carrier's connector needs to know, such as the rate table of `own` or the rate card of `royal_mail`; the guide's page on carriers lists it. Shown to everybody who may read accounts: put no key here."""
    credentials: NotRequired[dict[str, Any] | None]
    """Keys and passwords for the carrier. Encrypted before they are stored, never shown and never logged. A PATCH replaces all of them."""
    has_credentials: NotRequired[object]
    """Made by the server; ignored in requests."""
    disabled: NotRequired[bool | None]
    """`true` leaves the account out of rating and buying. What was bought with it is still tracked and can be voided."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class CarrierAccountPatch(TypedDict):
    """A contract with a carrier: with it rates are asked for and labels are bought."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    carrier: NotRequired[CarrierNamePatch]
    name: NotRequired[str]
    """How your team tells accounts apart. Rates and shipments show it."""
    handle: NotRequired[str | None]
    """Your own short name for the account. Purchases accept it instead of the id."""
    description: NotRequired[str | None]
    """A note for your team, such as whose contract it is."""
    configuration: NotRequired[dict[str, Any] | None]
    """What the carrier's connector needs to know, such as the rate table of `own` or the rate card of `royal_mail`; the guide's page on carriers lists it. Shown to everybody who may read accounts: put no key here."""
    credentials: NotRequired[dict[str, Any] | None]
    """Keys and passwords for the carrier. Encrypted before they are stored, never shown and never logged. A PATCH replaces all of them."""
    has_credentials: NotRequired[object]
    """Made by the server; ignored in requests."""
    disabled: NotRequired[bool | None]
    """`true` leaves the account out of rating and buying. What was bought with it is still tracked and can be voided."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class CarrierAccountReference(TypedDict):
    """The carrier account, as it was named when this was written."""
    id: str
    """Made when the account is created. Where an account is asked for, its `handle` does as well."""
    name: str
    """The name to show to people. It may change; programs use the handle."""
    handle: NotRequired[str | None]
    """A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is."""


class CarrierAccountTest(TypedDict):
    """Whether the carrier lets an account in. Nothing is bought and nothing is kept."""
    outcome: Literal["connected", "refused", "unreachable", "unclear"]
    """`connected`: the carrier took the request and let the account in. `refused`: it, or the connector, said no; `message` says why, such as a wrong key. `unreachable`: nothing was sent. `unclear`: the request was sent, and no answer came that can be read."""
    message: NotRequired[str | None]
    """Why it is not connected, in the carrier's own words where it has any; or why there is no price for some services."""
    rate_count: int
    """How many services gave a price for the parcel."""
    duration_ms: int
    """How long the carrier took, in milliseconds."""


class CarrierChoice(TypedDict):
    """Which carriers and services you want, before anything is rated."""
    carrier_code: NotRequired[str | None]
    """Only this carrier is asked for rates: its handle or id."""
    service_code: NotRequired[str | None]
    """Only rates of this service are kept: its handle or id."""
    carrier_accounts: NotRequired[list[str] | None]
    """Only these accounts are asked for rates, by id or handle. Without it, all that are enabled."""


class CarrierChoiceInput(TypedDict):
    """Which carriers and services you want, before anything is rated."""
    carrier_code: NotRequired[str | None]
    """Only this carrier is asked for rates: its handle or id."""
    service_code: NotRequired[str | None]
    """Only rates of this service are kept: its handle or id."""
    carrier_accounts: NotRequired[list[str] | None]
    """Only these accounts are asked for rates, by id or handle. Without it, all that are enabled."""


class CarrierName(TypedDict):
    """The carrier that the contract is with, by its `id` or its `handle`. It can't change later."""
    id: NotRequired[str | None]
    """The id that `GET /carriers` lists. Give this or the `handle`, which is easier to read."""
    name: NotRequired[str | None]
    """The name to show to people. It may change; programs use the handle."""
    handle: NotRequired[str | None]
    """Which carrier, by handle: `sandbox`, `own`, `dhl_express`, `dhl_parcel_de`, `easypost`, `royal_mail`, `ups` or `usps`. Give this or the `id`."""


class CarrierNameInput(TypedDict):
    """The carrier that the contract is with, by its `id` or its `handle`. It can't change later."""
    id: NotRequired[str | None]
    """The id that `GET /carriers` lists. Give this or the `handle`, which is easier to read."""
    name: NotRequired[object]
    """Made by the server; ignored in requests."""
    handle: NotRequired[str | None]
    """Which carrier, by handle: `sandbox`, `own`, `dhl_express`, `dhl_parcel_de`, `easypost`, `royal_mail`, `ups` or `usps`. Give this or the `id`."""


class CarrierNamePatch(TypedDict):
    """The carrier that the contract is with, by its `id` or its `handle`. It can't change later."""
    id: NotRequired[str | None]
    """The id that `GET /carriers` lists. Give this or the `handle`, which is easier to read."""
    name: NotRequired[object]
    """Made by the server; ignored in requests."""
    handle: NotRequired[str | None]
    """Which carrier, by handle: `sandbox`, `own`, `dhl_express`, `dhl_parcel_de`, `easypost`, `royal_mail`, `ups` or `usps`. Give this or the `id`."""


class CarrierReference(TypedDict):
    """The carrier, as it was named when this was written."""
    id: str
    """The same in every organisation. Where a carrier is asked for, its `handle` does as well."""
    name: str
    """The name to show to people. It may change; programs use the handle."""
    handle: NotRequired[str | None]
    """A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is."""


class CarrierService(TypedDict):
    """What a carrier offers."""
    id: str
    """The same in every organisation. Where a service is asked for, its `handle` does as well."""
    name: str
    """The name to show to people. It may change; programs use the handle."""
    handle: str
    """A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is."""
    description: str
    """A sentence for people who choose between several."""


class CarrierServiceReference(TypedDict):
    """The carrier's service, as it was named when this was written."""
    id: str
    """The same in every organisation. Where a service is asked for, its `handle` does as well."""
    name: str
    """The name to show to people. It may change; programs use the handle."""
    handle: NotRequired[str | None]
    """A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is."""


class ChosenService(TypedDict):
    """What the shipment is, or will be, bought as. Null until a service is chosen."""
    rate: NotRequired[str | None]
    """The rate that it is bought by, among `rates`. Null until it is bought if an account and a service were named instead."""
    carrier: CarrierReference
    """The carrier that collects the parcel and is paid for it."""
    carrier_service: CarrierServiceReference
    """The carrier's service, which says how fast it travels."""
    carrier_account: CarrierAccountReference
    """The contract with the carrier that the purchase is charged to."""


class ClaimedDocument(TypedDict):
    """A document of the claimed job, in the order in which they are printed."""
    id: str
    """Made with the file. Asking for the same labels again gives the same documents, with the same ids."""
    file_type: str
    """The media type, such as `application/zpl`."""
    file_size: NotRequired[int | None]
    """Its length in bytes, to notice an answer that was cut off. Null for a file that is converted: it is made when you fetch it."""


class Closing(TypedDict):
    """At this time all parcels that leave from the origin location and are in no manifest yet are manifested, once."""
    time: str
    """Hours and minutes of a 24-hour clock, `HH:MM`, in the time zone beside it."""
    time_zone: str
    """An IANA name, such as `Europe/London`. Summer time is followed: a time that is skipped comes an hour later, one that comes twice counts once."""
    days: NotRequired[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]] | None]
    """The days on which parcels are closed out. Without it, every day."""


class ClosingInput(TypedDict):
    """At this time all parcels that leave from the origin location and are in no manifest yet are manifested, once."""
    time: str
    """Hours and minutes of a 24-hour clock, `HH:MM`, in the time zone beside it."""
    time_zone: str
    """An IANA name, such as `Europe/London`. Summer time is followed: a time that is skipped comes an hour later, one that comes twice counts once."""
    days: NotRequired[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]] | None]
    """The days on which parcels are closed out. Without it, every day."""


class Contact(TypedDict):
    """The person or firm at the address, as it is printed on labels and told to carriers. Labels and carriers name the sender by it."""
    name: NotRequired[str | None]
    """The person or desk. On a label it is the first line; without it, `company` is."""
    company: NotRequired[str | None]
    """Printed below the name, or in its place where there is none."""
    email_address: NotRequired[str | None]
    """Passed on to carriers that notify the recipient. Never printed."""
    phone_number: NotRequired[str | None]
    """Printed on customs papers and passed on to carriers, some of which demand it. Include the country's prefix."""


class ContactInput(TypedDict):
    """The person or firm at the address, as it is printed on labels and told to carriers. Labels and carriers name the sender by it."""
    name: NotRequired[str | None]
    """The person or desk. On a label it is the first line; without it, `company` is."""
    company: NotRequired[str | None]
    """Printed below the name, or in its place where there is none."""
    email_address: NotRequired[str | None]
    """Passed on to carriers that notify the recipient. Never printed."""
    phone_number: NotRequired[str | None]
    """Printed on customs papers and passed on to carriers, some of which demand it. Include the country's prefix."""


class Coordinates(TypedDict):
    """Where the address is on the globe. Plans measure distances with it; where it is missing, the post code is looked up."""
    latitude: float
    """Degrees north of the equator (WGS 84); negative in the south."""
    longitude: float
    """Degrees east of Greenwich (WGS 84); negative in the west."""
    confidence: NotRequired[float | None]
    """How well the coordinates represent the address, from 0 to 1. Set by the server: 1 where a client gave them. Plans show it with each distance."""


class CoordinatesInput(TypedDict):
    """Where the address is on the globe. Plans measure distances with it; where it is missing, the post code is looked up."""
    latitude: float
    """Degrees north of the equator (WGS 84); negative in the south."""
    longitude: float
    """Degrees east of Greenwich (WGS 84); negative in the west."""
    confidence: NotRequired[object]
    """Made by the server; ignored in requests."""


class CostCarrier(TypedDict):
    """A company that charged."""
    handle: str
    """By which requests name the carrier, such as `carrier=` of `GET /shipments`."""
    name: str
    """What people call the company."""


class CostGroup(TypedDict):
    """The sums of shipments that have day, carrier, service and location in common, as far as the report is grouped by them, in one currency."""
    day: NotRequired[str | None]
    """The day of the purchase in the organisation's time zone. Null unless the report is grouped by day."""
    carrier: NotRequired[CostCarrier | None]
    """Who charged. Null unless the report is grouped by carrier or service."""
    service: NotRequired[CostService | None]
    """What was bought there. Null unless the report is grouped by service."""
    location: NotRequired[CostLocation | None]
    """The location that the shipments leave from. Null unless the report is grouped by location, and for shipments whose origin was given as an address."""
    currency_code: NotRequired[CurrencyCode | None]
    """The currency of the sums (ISO 4217); sums of different currencies are never added. Null for shipments of which the carrier stated no amount: they are counted, and their sums are 0."""
    charged: int
    """What carriers charged for the shipments that were bought, voided ones and labels that were bought twice included, in the smallest unit of the currency."""
    voided: int
    """What carriers gave back of `charged`: for voided shipments, and for labels that were bought twice and taken back."""
    net: int
    """`charged` less `voided`: what remains to be paid."""
    shipments_count: int
    """Shipments that were bought, those that were voided later included."""
    voided_count: int
    """Bought shipments whose label the carrier has taken back since."""
    duplicates_count: int
    """Labels that a carrier sold twice for one of these shipments. Their amounts are in `charged`, and in `voided` once the carrier took them back."""


class CostLocation(TypedDict):
    """A place that parcels left from."""
    id: str
    """Made when the location is created. It stays when the name or the address changes."""
    name: NotRequired[str | None]
    """What the location is called now. Null if it was deleted since."""


# What carriers charged for the shipments that were bought on some days, and what they gave back.
CostReport = TypedDict(
    "CostReport",
    {
        'from': 'str',
        'to': 'str',
        'time_zone': 'str',
        'group_by': 'list[Literal["day", "carrier", "service", "location"]]',
        'totals': 'list[CostTotal]',
        'groups': 'list[CostGroup]',
        'created_at': 'str',
    },
)


class CostService(TypedDict):
    """What was bought of a carrier."""
    handle: str
    """By which purchases name the service. It is unique within its carrier."""
    name: str
    """What the carrier calls the service. Its handle, if the service is no longer known."""


class CostTotal(TypedDict):
    """The sums of all groups in one currency."""
    currency_code: NotRequired[CurrencyCode | None]
    """The currency of the sums (ISO 4217); sums of different currencies are never added. Null for shipments of which the carrier stated no amount: they are counted, and their sums are 0."""
    charged: int
    """What carriers charged for the shipments that were bought, voided ones and labels that were bought twice included, in the smallest unit of the currency."""
    voided: int
    """What carriers gave back of `charged`: for voided shipments, and for labels that were bought twice and taken back."""
    net: int
    """`charged` less `voided`: what remains to be paid."""
    shipments_count: int
    """Shipments that were bought, those that were voided later included."""
    voided_count: int
    """Bought shipments whose label the carrier has taken back since."""
    duplicates_count: int
    """Labels that a carrier sold twice for one of these shipments. Their amounts are in `charged`, and in `voided` once the carrier took them back."""


class CustomData(TypedDict):
    """Your own text and barcodes on labels that Dockside draws. A carrier's own label stays as it came."""
    text_lines: NotRequired[list[str] | None]
    """Up to three lines of text, such as an order number."""
    line_codes: NotRequired[list[str] | None]
    """A word before each of `text_lines`, in the same order."""
    barcodes: NotRequired[list[str] | None]
    """Up to three texts as Code 128. What does not fit, or is not ASCII, is printed as text instead."""


class CustomDataInput(TypedDict):
    """Your own text and barcodes on labels that Dockside draws. A carrier's own label stays as it came."""
    text_lines: NotRequired[list[str] | None]
    """Up to three lines of text, such as an order number."""
    line_codes: NotRequired[list[str] | None]
    """A word before each of `text_lines`, in the same order."""
    barcodes: NotRequired[list[str] | None]
    """Up to three texts as Code 128. What does not fit, or is not ASCII, is printed as text instead."""


class Customer(TypedDict):
    """The person or firm that bought. May differ from the recipient, who is in `destination.contact`."""
    name: NotRequired[str | None]
    """The person. `GET /orders?customer=` finds the order by it, whatever its case."""
    company: NotRequired[str | None]
    """The firm. `GET /orders?customer=` finds the order by it as well."""
    email_address: NotRequired[str | None]
    """Where the customer is reached. `GET /orders?email_address=` finds the order by it. Dockside sends nothing to it."""
    phone_number: NotRequired[str | None]
    """Include the country's prefix. Kept and shown; carriers get the number of the destination's contact."""


class CustomerInput(TypedDict):
    """The person or firm that bought. May differ from the recipient, who is in `destination.contact`."""
    name: NotRequired[str | None]
    """The person. `GET /orders?customer=` finds the order by it, whatever its case."""
    company: NotRequired[str | None]
    """The firm. `GET /orders?customer=` finds the order by it as well."""
    email_address: NotRequired[str | None]
    """Where the customer is reached. `GET /orders?email_address=` finds the order by it. Dockside sends nothing to it."""
    phone_number: NotRequired[str | None]
    """Include the country's prefix. Kept and shown; carriers get the number of the destination's contact."""


class Customs(TypedDict):
    """What customs are told. Needed where the shipment leaves a customs territory."""
    contents_type: NotRequired[Literal["documents", "gift", "merchandise", "returned_goods", "sample", "dangerous_goods", "humanitarian_donation", "other"] | None]
    contents_description: NotRequired[str | None]
    """What is inside, in a sentence. Customs papers show it where there are no `items`."""
    declarant: NotRequired[Declarant | None]
    incoterm: NotRequired[CustomsIncoterm | None]
    restriction_type: NotRequired[Literal["none", "other", "quarantine", "sanitary_phytosanitary_inspection"] | None]
    restriction_description: NotRequired[str | None]
    """What the restriction is. Required unless `restriction_type` is `none`."""
    declaration_message: NotRequired[str | None]
    """A statement of your own for customs, printed on their papers."""
    items: NotRequired[list[CustomsItem] | None]
    """What is inside, line by line; value and mass are of the whole line."""
    identifiers: NotRequired[list[CustomsIdentifier] | None]
    """Registrations with customs of sender, recipient or importer, for this declaration."""


class CustomsIdentifier(TypedDict):
    """A registration number with customs."""
    entity_type: Literal["sender", "recipient", "importer_of_record"]
    """The party that is registered under the number."""
    identifier_type: CustomsIdentifierIdentifierType
    """The register that the number is from, such as `vat`, `eori` or `ioss`. It decides where the number is printed and how it is checked."""
    value: str
    """The number as the authority issued it. An `ioss` number is checked: `IM` and 10 digits."""
    issuing_country_code: NotRequired[CountryCode | None]
    """The country whose authority issued the number (ISO 3166-1 alpha-2)."""


class CustomsIdentifierInput(TypedDict):
    """A registration number with customs."""
    entity_type: Literal["sender", "recipient", "importer_of_record"]
    """The party that is registered under the number."""
    identifier_type: CustomsIdentifierIdentifierType
    """The register that the number is from, such as `vat`, `eori` or `ioss`. It decides where the number is printed and how it is checked."""
    value: str
    """The number as the authority issued it. An `ioss` number is checked: `IM` and 10 digits."""
    issuing_country_code: NotRequired[CountryCode | None]
    """The country whose authority issued the number (ISO 3166-1 alpha-2)."""


class CustomsInput(TypedDict):
    """What customs are told. Needed where the shipment leaves a customs territory."""
    contents_type: NotRequired[Literal["documents", "gift", "merchandise", "returned_goods", "sample", "dangerous_goods", "humanitarian_donation", "other"] | None]
    contents_description: NotRequired[str | None]
    """What is inside, in a sentence. Customs papers show it where there are no `items`."""
    declarant: NotRequired[DeclarantInput | None]
    incoterm: NotRequired[CustomsIncoterm | None]
    restriction_type: NotRequired[Literal["none", "other", "quarantine", "sanitary_phytosanitary_inspection"] | None]
    restriction_description: NotRequired[str | None]
    """What the restriction is. Required unless `restriction_type` is `none`."""
    declaration_message: NotRequired[str | None]
    """A statement of your own for customs, printed on their papers."""
    items: NotRequired[list[CustomsItemInput] | None]
    """What is inside, line by line; value and mass are of the whole line."""
    identifiers: NotRequired[list[CustomsIdentifierInput] | None]
    """Registrations with customs of sender, recipient or importer, for this declaration."""


class CustomsItem(TypedDict):
    """One line of the declaration: things of one kind."""
    description: str
    """What customs officers read: say what it is and what it is made of (`Cotton shirt`, not `Gift` or `SKU 12`)."""
    quantity: int
    """Pieces that this line declares; `value` and `mass` are for all of them together."""
    value: int
    """What the whole line is worth, in the smallest unit of its currency: two shirts at £12.99 are `2598`. It decides between CN22 and CN23."""
    currency_code: NotRequired[CurrencyCode | None]
    """ISO 4217, in capitals. Without it the line has `options.shipping.currency_code`, else the currency of the first item that has one."""
    mass: NotRequired[float | None]
    """Kilograms of the whole line; kept as whole grams, rounded up."""
    hs_code: NotRequired[str | None]
    """The customs tariff number: 6, 8 or 10 digits. Many countries refuse parcels without it."""
    origin_country_code: NotRequired[CountryCode | None]
    """Where the goods were made (ISO 3166-1 alpha-2), which may differ from where they are sent from."""
    sku: NotRequired[str | None]
    """Your own number of the product. Passed on to carriers that want it as a product code."""
    manufacturer_product_id: NotRequired[str | None]
    """The maker's number of the product, which customs of the European Union ask for. Printed with the description."""
    standardized_product_id: NotRequired[str | None]
    """A number such as a GTIN or EAN, which customs of the European Union ask for. Printed with the description."""


class CustomsItemInput(TypedDict):
    """One line of the declaration: things of one kind."""
    description: str
    """What customs officers read: say what it is and what it is made of (`Cotton shirt`, not `Gift` or `SKU 12`)."""
    quantity: int
    """Pieces that this line declares; `value` and `mass` are for all of them together."""
    value: int
    """What the whole line is worth, in the smallest unit of its currency: two shirts at £12.99 are `2598`. It decides between CN22 and CN23."""
    currency_code: NotRequired[CurrencyCode | None]
    """ISO 4217, in capitals. Without it the line has `options.shipping.currency_code`, else the currency of the first item that has one."""
    mass: NotRequired[float | None]
    """Kilograms of the whole line; kept as whole grams, rounded up."""
    hs_code: NotRequired[str | None]
    """The customs tariff number: 6, 8 or 10 digits. Many countries refuse parcels without it."""
    origin_country_code: NotRequired[CountryCode | None]
    """Where the goods were made (ISO 3166-1 alpha-2), which may differ from where they are sent from."""
    sku: NotRequired[str | None]
    """Your own number of the product. Passed on to carriers that want it as a product code."""
    manufacturer_product_id: NotRequired[str | None]
    """The maker's number of the product, which customs of the European Union ask for. Printed with the description."""
    standardized_product_id: NotRequired[str | None]
    """A number such as a GTIN or EAN, which customs of the European Union ask for. Printed with the description."""


class DayCount(TypedDict):
    """How much happened on one calendar day."""
    date: str
    """A calendar day in the organisation's time zone."""
    count: int
    """Shipments bought that day, those that were voided later included."""


class DecidedCustoms(TypedDict):
    """Terms of a parcel that crosses a border: copied into `customs` of the shipment. What no rule sets is null."""
    incoterm: NotRequired[CustomsIncoterm | None]
    contents_type: NotRequired[Literal["documents", "gift", "merchandise", "returned_goods", "sample", "dangerous_goods", "humanitarian_donation", "other"] | None]


class DecidedLabelOptions(TypedDict):
    """How the label is drawn: copied into `options.label` of the shipment. What no rule sets is null."""
    format: NotRequired[Literal["png", "zpl", "pdf"] | None]


class DecidedOptions(TypedDict):
    """In the form of a shipment's `options`. What no rule sets is null."""
    shipping: DecidedShippingOptions
    label: DecidedLabelOptions
    insurance: NotRequired[Insurance | None]
    """The cover that `insure_from` asks for."""


class DecidedShippingOptions(TypedDict):
    """How the carrier handles the parcel: copied into `options.shipping` of the shipment. What no rule sets is null."""
    signature_type: NotRequired[Literal["standard", "adult", "direct", "indirect", "certified", "carrier_confirmation", "none"] | None]
    saturday_delivery: NotRequired[bool | None]
    """Sets `options.shipping.saturday_delivery`: `true` asks for delivery on a Saturday, which costs extra."""


class Declarant(TypedDict):
    """The person who signs the declaration for the sender."""
    name: NotRequired[str | None]
    """Printed as the signatory on customs papers."""
    certify: NotRequired[bool | None]
    """`true`: the declarant stands for what is declared. Told to carriers that demand it."""
    date: NotRequired[str | None]
    """The day that is printed beside the signature."""


class DeclarantInput(TypedDict):
    """The person who signs the declaration for the sender."""
    name: NotRequired[str | None]
    """Printed as the signatory on customs papers."""
    certify: NotRequired[bool | None]
    """`true`: the declarant stands for what is declared. Told to carriers that demand it."""
    date: NotRequired[str | None]
    """The day that is printed beside the signature."""


class Destination(TypedDict):
    """Where the order goes. Plans measure distances to it; shipments are given their own destination."""
    display_name: NotRequired[str | None]
    """A short name of the address for your screens."""
    address: ShipmentPostalAddress
    """Street, town and country of the recipient."""
    contact: NotRequired[Contact | None]
    """The person or firm that receives the goods; a phone number helps the driver."""
    coordinates: NotRequired[Coordinates | None]
    """Where it is on the globe. Plans measure from here; without it they go by the post code."""


class DestinationInput(TypedDict):
    """Where the order goes. Plans measure distances to it; shipments are given their own destination."""
    display_name: NotRequired[str | None]
    """A short name of the address for your screens."""
    address: ShipmentPostalAddressInput
    """Street, town and country of the recipient."""
    contact: NotRequired[ContactInput | None]
    """The person or firm that receives the goods; a phone number helps the driver."""
    coordinates: NotRequired[CoordinatesInput | None]
    """Where it is on the globe. Plans measure from here; without it they go by the post code."""


class DimensionRanges(TypedDict):
    """Ranges of the sides of the largest package; of an order that is not packed, of its largest item. The sides are sorted, so it does not matter which way round they were measured."""
    length: NotRequired[SideRange | None]
    """Centimetres of the longest edge, however the parcel is turned."""
    width: NotRequired[SideRange | None]
    """The range of the second longest side."""
    height: NotRequired[SideRange | None]
    """Centimetres of the shortest edge, however the parcel is turned."""


class DimensionRangesInput(TypedDict):
    """Ranges of the sides of the largest package; of an order that is not packed, of its largest item. The sides are sorted, so it does not matter which way round they were measured."""
    length: NotRequired[SideRangeInput | None]
    """Centimetres of the longest edge, however the parcel is turned."""
    width: NotRequired[SideRangeInput | None]
    """The range of the second longest side."""
    height: NotRequired[SideRangeInput | None]
    """Centimetres of the shortest edge, however the parcel is turned."""


class Dimensions(TypedDict):
    """The sides of one piece in centimetres; all three or none."""
    length: float
    """The longest side of one piece, in centimetres."""
    width: float
    """The second side of one piece, in centimetres."""
    height: float
    """The third side of one piece, in centimetres."""


class DimensionsInput(TypedDict):
    """The sides of one piece in centimetres; all three or none."""
    length: float
    """The longest side of one piece, in centimetres."""
    width: float
    """The second side of one piece, in centimetres."""
    height: float
    """The third side of one piece, in centimetres."""


class Document(TypedDict):
    """A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver."""
    id: str
    """Made with the file. Asking for the same labels again gives the same documents, with the same ids."""
    type: DocumentType
    """What the paper is for: a `label`, all `labels` of a batch in one file, a customs paper, a `manifest` to be signed, a `packing_slip` for the box, all `packing_slips` of a batch in one file, a `pick_list` of what to collect, or all `papers` of a shipment or a batch in one file."""
    shipment_id: NotRequired[str | None]
    """Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages."""
    package: NotRequired[int | None]
    """The number of the package that the file is for, from 1 on, in the order of the shipment's `packages`. Null for a file that is not for one package: customs papers, a PDF with the labels of several packages, files of a batch or a manifest."""
    file_name: str
    """What it is called when it is saved: the shipment's `name`, or its id where it has none, and what it is."""
    file_type: str
    """The media type, such as `application/pdf`, `image/png` or `application/zpl`."""
    file_size: int
    """Bytes of the file, to show a download's progress."""
    file_url: str
    """Fetches the file without a token, for an hour unless the operator set another time. Read the document again for a new link."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


# The two locations that a shipment copies its origin and its return address from.
EmbeddedLocations = TypedDict(
    "EmbeddedLocations",
    {
        'origin': 'Location',
        'return': 'Location',
    },
)


class Event(TypedDict):
    """Something that happened, in the order of commits."""
    id: str
    """The same wherever the event is seen: in the log, in a stream, and as the `webhook-id` of its deliveries. Use it to drop what comes twice."""
    sequence: int
    """The event's number in the organisation's log: from 1, without gaps, in the order of commits. Read on with `GET /events?after=`."""
    type: str
    """What happened to what."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    actor: NotRequired[Actor | None]
    """Who or what did it. Null in events from before this was recorded."""
    data: EventData
    previous_attributes: NotRequired[dict[str, Any] | None]
    """The fields that an update changed, with the values they had before. Null where nothing was updated."""


class EventData(TypedDict):
    """Holds the resource as the event left it, so that you need not fetch it."""
    object: dict[str, Any]
    """The resource, as its own endpoint shows it; what was deleted, as it last was."""


class Fulfilment(TypedDict):
    """How far the order is. The server computes it from the allocations, in the transaction that changes them."""
    status: Literal["unallocated", "partially_allocated", "allocated", "partially_shipped", "shipped", "partially_delivered", "delivered"]
    """How far the order is, counted in pieces: `partially_…` means some of them, the others mean all. `shipped` and later steps mean that the order is `fulfilled`."""
    allocated_quantity: int
    """Pieces in open and completed allocations of the order, all items together."""
    shipped_quantity: int
    """Pieces in completed allocations: they have left."""
    delivered_quantity: int
    """Pieces in completed allocations whose shipments the carriers report as delivered."""
    returned_quantity: int
    """Pieces that came back. Always 0 so far: returns are not counted yet."""
    shipment_ids: list[str]
    """The first 100 shipments that were made from the order, voided ones as well."""


class Geometry(TypedDict):
    """How large and how heavy. Carriers price it by these; length, width and height go together."""
    length: NotRequired[float | None]
    """The longest side in centimetres; kept as whole millimetres, rounded up."""
    width: NotRequired[float | None]
    """The second side in centimetres; kept as whole millimetres, rounded up."""
    height: NotRequired[float | None]
    """The third side in centimetres; kept as whole millimetres, rounded up."""
    mass: NotRequired[float | None]
    """Kilograms with the packaging; kept as whole grams, rounded up. Required unless a `predefined_package_code` is given."""


class GeometryInput(TypedDict):
    """How large and how heavy. Carriers price it by these; length, width and height go together."""
    length: NotRequired[float | None]
    """The longest side in centimetres; kept as whole millimetres, rounded up."""
    width: NotRequired[float | None]
    """The second side in centimetres; kept as whole millimetres, rounded up."""
    height: NotRequired[float | None]
    """The third side in centimetres; kept as whole millimetres, rounded up."""
    mass: NotRequired[float | None]
    """Kilograms with the packaging; kept as whole grams, rounded up. Required unless a `predefined_package_code` is given."""


class Hold(TypedDict):
    """Why an order is held. A held order is not planned; allocations that you make yourself are allowed."""
    reason: str
    """Why the order is held, in your own words, such as `address_check`. The server itself writes `unknown_sku` while a line matches no inventory item."""
    until: NotRequired[str | None]
    """When the server ends the hold by itself. Without it, the hold ends with `POST /orders/{order_id}/release`."""


class HoldInput(TypedDict):
    """Why an order is held. A held order is not planned; allocations that you make yourself are allowed."""
    reason: str
    """Why the order is held, in your own words, such as `address_check`. The server itself writes `unknown_sku` while a line matches no inventory item."""
    until: NotRequired[str | None]
    """When the server ends the hold by itself. Without it, the hold ends with `POST /orders/{order_id}/release`."""


class Import(TypedDict):
    """A file whose rows become resources."""
    id: str
    """Made with the request. Its file is sent, and its errors are found, under it."""
    type: Literal["orders", "inventory_items", "inventory_levels", "locations", "package_types", "shipments"]
    """What the rows become. The token also needs the scope to write these, such as `orders:write`."""
    format: NotRequired[Literal["csv", "ndjson"] | None]
    mapping: NotRequired[dict[str, str] | None]
    """What columns of the file mean, by their headers. Only needed where a header is not recognised, or wrongly: `columns` shows what each is taken for."""
    options: NotRequired[ImportOptions | None]
    status: Literal["awaiting_content", "queued", "running", "completed", "failed", "cancelled"]
    """`awaiting_content` until its file is there (after 24 hours without one it is `cancelled`), `queued` until work on it begins, `running` meanwhile. Then `completed`, also if rows were refused; `failed` if the file can't be used, or if it was to stop at an error; `cancelled` by a request."""
    file: NotRequired[ImportFile | None]
    columns: list[ImportColumn]
    """What each column of the file is taken for, in their order. Empty until work on it begins. Correct it with `mapping` in a new import."""
    bytes_read: int
    """How far into the file work has come. Compare it with `file.size` for a progress bar."""
    rows_count: int
    """Lines of the table that were read so far, the header not counted."""
    created_count: int
    """Resources that were not there before. Several rows may make one order."""
    updated_count: int
    """Resources that existed before and differ now, with `on_conflict: update`."""
    unchanged_count: int
    """Resources that were there and are already as the file says, with `on_conflict: update`."""
    skipped_count: int
    """Resources that were there and were left alone, with `on_conflict: skip`."""
    failed_count: int
    """Resources that were refused: `GET /imports/{import_id}/errors` says why."""
    error: NotRequired[ImportFailure | None]
    started_at: NotRequired[str | None]
    """When the first row was looked at. Null before."""
    ended_at: NotRequired[str | None]
    """When it was completed, failed or was cancelled. Null until then."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class ImportColumn(TypedDict):
    """A part of each row, and its meaning."""
    header: str
    """What the first row of the file calls it, before case and spaces are ignored."""
    column: NotRequired[str | None]
    """What it is taken for, by the name in the template. Null if it is not read."""


class ImportError(TypedDict):
    """Why a row of a file was refused."""
    row: int
    """Its number as a spreadsheet counts: the header is 1. Lines without any text are not counted."""
    column: NotRequired[str | None]
    """The header of the column at fault, or the name of the column that is missing. Null if the whole row is."""
    field: NotRequired[str | None]
    """The place in the body that the row makes, as a JSON pointer. Null if the whole row is at fault."""
    value: NotRequired[str | None]
    """What stands there, at most 200 characters of it. Null if nothing does."""
    code: str
    """Why, for programs: the codes that the same body would be refused with by the API, and `ambiguous_key`, `order_rows_apart`, `rows_differ`, `row_too_large`, `row_not_text`."""
    message: str
    """Why, in a sentence for a person, with what to do about it."""


class ImportFailure(TypedDict):
    """Why the import as a whole failed. Null unless it did. Single rows are in `GET /imports/{import_id}/errors`."""
    code: str
    """Why, for programs: `import_column_missing`, `import_empty`, `import_stopped` or `import_too_many_errors`."""
    message: str
    """Why, in a sentence for a person, with what to do about it."""


class ImportFile(TypedDict):
    """What was received, and how it is read. Null until then. The file itself is deleted once the import has ended."""
    size: int
    """In bytes, exactly as the request sent them."""
    encoding: Literal["utf-8", "utf-16le", "utf-16be", "windows-1252"]
    """How its text is written in bytes, as its bytes say. Text that is not UTF-8 is taken for Windows-1252."""
    delimiter: NotRequired[Literal[",", ";", "\t"] | None]


class ImportInput(TypedDict):
    """A file whose rows become resources."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    type: Literal["orders", "inventory_items", "inventory_levels", "locations", "package_types", "shipments"]
    """What the rows become. The token also needs the scope to write these, such as `orders:write`."""
    format: NotRequired[Literal["csv", "ndjson"] | None]
    mapping: NotRequired[dict[str, str] | None]
    """What columns of the file mean, by their headers. Only needed where a header is not recognised, or wrongly: `columns` shows what each is taken for."""
    options: NotRequired[ImportOptionsInput | None]
    status: NotRequired[object]
    """Made by the server; ignored in requests."""
    file: NotRequired[object]
    """Made by the server; ignored in requests."""
    columns: NotRequired[object]
    """Made by the server; ignored in requests."""
    bytes_read: NotRequired[object]
    """Made by the server; ignored in requests."""
    rows_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    unchanged_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    skipped_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    failed_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    error: NotRequired[object]
    """Made by the server; ignored in requests."""
    started_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    ended_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class ImportOptions(TypedDict):
    """How rows are treated that exist or are refused, and how numbers are read."""
    dry_run: NotRequired[bool | None]
    """Whether to only say what would happen: all rows are tried, and nothing is kept. False if you leave it out."""
    on_conflict: NotRequired[Literal["skip", "update"] | None]
    on_error: NotRequired[Literal["continue", "stop"] | None]
    locale: NotRequired[str | None]
    """Whose habits numbers follow: with `de-DE`, `1.234,5` is what `1,234.5` is without it."""


class ImportOptionsInput(TypedDict):
    """How rows are treated that exist or are refused, and how numbers are read."""
    dry_run: NotRequired[bool | None]
    """Whether to only say what would happen: all rows are tried, and nothing is kept. False if you leave it out."""
    on_conflict: NotRequired[Literal["skip", "update"] | None]
    on_error: NotRequired[Literal["continue", "stop"] | None]
    locale: NotRequired[str | None]
    """Whose habits numbers follow: with `de-DE`, `1.234,5` is what `1,234.5` is without it."""


class InnerDimensions(TypedDict):
    """The room inside, in centimetres. Kept as whole millimetres, rounded down."""
    length: float
    """The first horizontal side inside, in centimetres."""
    width: float
    """The second horizontal side inside, in centimetres."""
    height: float
    """The vertical side inside, in centimetres."""


class InnerDimensionsInput(TypedDict):
    """The room inside, in centimetres. Kept as whole millimetres, rounded down."""
    length: float
    """The first horizontal side inside, in centimetres."""
    width: float
    """The second horizontal side inside, in centimetres."""
    height: float
    """The vertical side inside, in centimetres."""


class InnerDimensionsPatch(TypedDict):
    """The room inside, in centimetres. Kept as whole millimetres, rounded down."""
    length: NotRequired[float]
    """The first horizontal side inside, in centimetres."""
    width: NotRequired[float]
    """The second horizontal side inside, in centimetres."""
    height: NotRequired[float]
    """The vertical side inside, in centimetres."""


class Insurance(TypedDict):
    """The cover you want for the contents while they travel."""
    value: int
    """What the contents are worth, in the smallest unit of the currency: `1299` with `GBP` is £12.99."""
    currency_code: NotRequired[CurrencyCode | None]
    """ISO 4217, in capitals. Without it, the currency of the shipment (`options.shipping.currency_code`)."""


class InsuranceInput(TypedDict):
    """The cover you want for the contents while they travel."""
    value: int
    """What the contents are worth, in the smallest unit of the currency: `1299` with `GBP` is £12.99."""
    currency_code: NotRequired[CurrencyCode | None]
    """ISO 4217, in capitals. Without it, the currency of the shipment (`options.shipping.currency_code`)."""


class InsureFrom(TypedDict):
    """Insures the contents for what they are worth, if the whole order is worth at least `value`: sets `options.insurance`."""
    value: int
    """The least order value that is insured, in the smallest unit of the currency. `0` insures every order in this currency."""
    currency_code: CurrencyCode
    """The currency of `value` (ISO 4217). Orders in another currency are not insured by this rule."""


class InsureFromInput(TypedDict):
    """Insures the contents for what they are worth, if the whole order is worth at least `value`: sets `options.insurance`."""
    value: int
    """The least order value that is insured, in the smallest unit of the currency. `0` insures every order in this currency."""
    currency_code: CurrencyCode
    """The currency of `value` (ISO 4217). Orders in another currency are not insured by this rule."""


class InventoryAdjustmentInput(TypedDict):
    """A change of what is on hand. With `expected_on_hand` it is refused where that is not what is on hand now."""
    delta: int
    """Pieces that came (positive) or went (negative). A change that would leave less than none is refused."""
    reason: NotRequired[str | None]
    """Why the stock changed, such as `delivery` or `damaged`. The server writes `set`, `allocation_completed` and `allocation_deleted`; a short pick writes the reason that it was reported with."""
    expected_on_hand: NotRequired[int | None]
    """What you believe is on hand before the change. Where it is not, the change is refused with 409. Without it, the change is made in any case."""


class InventoryChange(TypedDict):
    """One change of a level: what came or went, what was on hand afterwards, and why."""
    id: str
    """Made with the change. The history lists changes newest first, and none is ever altered."""
    delta: int
    """Pieces that came (positive) or went (negative). A change that would leave less than none is refused."""
    on_hand: int
    """Pieces that were there after this change: the history can be added up and compared."""
    reason: str
    """Why the stock changed, such as `delivery` or `damaged`. The server writes `set`, `allocation_completed` and `allocation_deleted`; a short pick writes the reason that it was reported with."""
    allocation: NotRequired[AllocationReference | None]
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""


class InventoryItem(TypedDict):
    """What an order wants and a location holds."""
    id: str
    """Made when the item is created. Orders, levels and allocations name the item by it, not by its SKU."""
    sku: str
    """Your own code for what is sold. Unique in the organisation; `GET /inventory_items?sku=` finds the item by it."""
    name: str
    """What pickers and customers call it. Need not be unique."""
    mass: NotRequired[float | None]
    """Kilograms of one piece, without the parcel's own packaging."""
    dimensions: NotRequired[Dimensions | None]
    hs_code: NotRequired[str | None]
    """The item's customs tariff number: 6, 8 or 10 digits."""
    origin_country_code: NotRequired[CountryCode | None]
    """Where the item was made (ISO 3166-1 alpha-2), for customs."""
    barcodes: NotRequired[list[str] | None]
    """What a scanner reads from the item: GTINs (UPC, EAN) or codes of your own. No two items of the organisation have the same code. `GET /inventory_items?barcode=` finds the item."""
    unit_value: NotRequired[int | None]
    """What one piece is worth, in the smallest unit of `currency_code`, which it needs. Kept and returned; a shipment's `customs` do not take it from here yet."""
    currency_code: NotRequired[CurrencyCode | None]
    """The currency of `unit_value` (ISO 4217, in capitals). Both go together."""
    customs_description: NotRequired[str | None]
    """What a customs officer is told: what it is and what it is made of (`Cotton shirt`, not `Gift`). Kept and returned; a shipment's `customs` do not take it from here yet."""
    ships_alone: NotRequired[bool | None]
    """Whether each piece needs a package of its own. Packing obeys it. False if you leave it out."""
    keep_upright: NotRequired[bool | None]
    """Whether `height` must stay vertical. Packing then turns the item around its vertical axis only, and puts it into no envelope. False if you leave it out."""
    tags: NotRequired[list[str] | None]
    """Your own words for the item, such as `fragile`. Kept and returned; nothing else uses them yet."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class InventoryItemInput(TypedDict):
    """What an order wants and a location holds."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    sku: str
    """Your own code for what is sold. Unique in the organisation; `GET /inventory_items?sku=` finds the item by it."""
    name: str
    """What pickers and customers call it. Need not be unique."""
    mass: NotRequired[float | None]
    """Kilograms of one piece, without the parcel's own packaging."""
    dimensions: NotRequired[DimensionsInput | None]
    hs_code: NotRequired[str | None]
    """The item's customs tariff number: 6, 8 or 10 digits."""
    origin_country_code: NotRequired[CountryCode | None]
    """Where the item was made (ISO 3166-1 alpha-2), for customs."""
    barcodes: NotRequired[list[str] | None]
    """What a scanner reads from the item: GTINs (UPC, EAN) or codes of your own. No two items of the organisation have the same code. `GET /inventory_items?barcode=` finds the item."""
    unit_value: NotRequired[int | None]
    """What one piece is worth, in the smallest unit of `currency_code`, which it needs. Kept and returned; a shipment's `customs` do not take it from here yet."""
    currency_code: NotRequired[CurrencyCode | None]
    """The currency of `unit_value` (ISO 4217, in capitals). Both go together."""
    customs_description: NotRequired[str | None]
    """What a customs officer is told: what it is and what it is made of (`Cotton shirt`, not `Gift`). Kept and returned; a shipment's `customs` do not take it from here yet."""
    ships_alone: NotRequired[bool | None]
    """Whether each piece needs a package of its own. Packing obeys it. False if you leave it out."""
    keep_upright: NotRequired[bool | None]
    """Whether `height` must stay vertical. Packing then turns the item around its vertical axis only, and puts it into no envelope. False if you leave it out."""
    tags: NotRequired[list[str] | None]
    """Your own words for the item, such as `fragile`. Kept and returned; nothing else uses them yet."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class InventoryItemPatch(TypedDict):
    """What an order wants and a location holds."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    sku: NotRequired[str]
    """Your own code for what is sold. Unique in the organisation; `GET /inventory_items?sku=` finds the item by it."""
    name: NotRequired[str]
    """What pickers and customers call it. Need not be unique."""
    mass: NotRequired[float | None]
    """Kilograms of one piece, without the parcel's own packaging."""
    dimensions: NotRequired[DimensionsInput | None]
    hs_code: NotRequired[str | None]
    """The item's customs tariff number: 6, 8 or 10 digits."""
    origin_country_code: NotRequired[CountryCode | None]
    """Where the item was made (ISO 3166-1 alpha-2), for customs."""
    barcodes: NotRequired[list[str] | None]
    """What a scanner reads from the item: GTINs (UPC, EAN) or codes of your own. No two items of the organisation have the same code. `GET /inventory_items?barcode=` finds the item."""
    unit_value: NotRequired[int | None]
    """What one piece is worth, in the smallest unit of `currency_code`, which it needs. Kept and returned; a shipment's `customs` do not take it from here yet."""
    currency_code: NotRequired[CurrencyCode | None]
    """The currency of `unit_value` (ISO 4217, in capitals). Both go together."""
    customs_description: NotRequired[str | None]
    """What a customs officer is told: what it is and what it is made of (`Cotton shirt`, not `Gift`). Kept and returned; a shipment's `customs` do not take it from here yet."""
    ships_alone: NotRequired[bool | None]
    """Whether each piece needs a package of its own. Packing obeys it. False if you leave it out."""
    keep_upright: NotRequired[bool | None]
    """Whether `height` must stay vertical. Packing then turns the item around its vertical axis only, and puts it into no envelope. False if you leave it out."""
    tags: NotRequired[list[str] | None]
    """Your own words for the item, such as `fragile`. Kept and returned; nothing else uses them yet."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class InventoryLevel(TypedDict):
    """How much of an item lies at a location, and how much of that is promised."""
    item: ItemReference
    """The product that is counted here, by its id."""
    location: PlaceReference
    """The warehouse or shop where the pieces lie, by its id."""
    on_hand: int
    """Pieces that are there, as last counted or adjusted. Never negative."""
    allocated: int
    """Pieces that open allocations have promised from this place. May exceed `on_hand`: the rest is on backorder."""
    available: int
    """`on_hand` less `allocated`: what may still be promised. Negative while something is on backorder."""
    bin: NotRequired[str | None]
    """Where at the location the pieces lie, such as a shelf: text of your own. Kept and returned. Names of equal length, such as `A-03-2`, sort as people expect."""
    reorder_point: NotRequired[int | None]
    """The quantity at which you want to order more. While `on_hand` is not above it, `low_stock` is true. Null if there is none."""
    low_stock: bool
    """Whether `on_hand` is at or below `reorder_point`. False if there is no reorder point. `GET /inventory_items?low_stock=true` lists the items."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class InventoryLevelInput(TypedDict):
    """What is on hand, as counted, and where it lies."""
    item: NotRequired[object]
    """Made by the server; ignored in requests."""
    location: NotRequired[object]
    """Made by the server; ignored in requests."""
    on_hand: int
    """Pieces that are there, as counted just now. Replaces what was on hand."""
    allocated: NotRequired[object]
    """Made by the server; ignored in requests."""
    available: NotRequired[object]
    """Made by the server; ignored in requests."""
    bin: NotRequired[str | None]
    """Where at the location the pieces lie, such as a shelf. A request without it leaves it as it is; null removes it."""
    reorder_point: NotRequired[int | None]
    """The quantity at which you want to order more: `low_stock` is true while `on_hand` is not above it. A request without it leaves it as it is; null removes it."""
    low_stock: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class InventoryLevelPatch(TypedDict):
    """What is on hand, as counted, and where it lies."""
    item: NotRequired[object]
    """Made by the server; ignored in requests."""
    location: NotRequired[object]
    """Made by the server; ignored in requests."""
    on_hand: NotRequired[int]
    """Pieces that are there, as counted just now. Replaces what was on hand."""
    allocated: NotRequired[object]
    """Made by the server; ignored in requests."""
    available: NotRequired[object]
    """Made by the server; ignored in requests."""
    bin: NotRequired[str | None]
    """Where at the location the pieces lie, such as a shelf. A request without it leaves it as it is; null removes it."""
    reorder_point: NotRequired[int | None]
    """The quantity at which you want to order more: `low_stock` is true while `on_hand` is not above it. A request without it leaves it as it is; null removes it."""
    low_stock: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class ItemProgress(TypedDict):
    """How much of an item is in its package."""
    id: str
    """Which article, by the `inv_…` that the shipment has for it; look its name up once."""
    quantity: int
    """Units that the package is to hold."""
    packed_quantity: int
    """Units of it that scans have counted."""
    missing_quantity: int
    """Units of it that are still to be scanned."""


class ItemReference(TypedDict):
    """The item that is counted, by its `id`."""
    id: str
    """Made when the item is created. Orders, levels and allocations name the item by it, not by its SKU."""


class LabelOptions(TypedDict):
    """Format, paper and additions of the label."""
    format: NotRequired[Literal["png", "zpl", "pdf"] | None]
    size: NotRequired[Literal["4x6", "4x8", "a6", "a5", "a4", "letter"] | None]
    custom_data: NotRequired[CustomData | None]


class LabelOptionsInput(TypedDict):
    """Format, paper and additions of the label."""
    format: NotRequired[Literal["png", "zpl", "pdf"] | None]
    size: NotRequired[Literal["4x6", "4x8", "a6", "a5", "a4", "letter"] | None]
    custom_data: NotRequired[CustomDataInput | None]


class LineItem(TypedDict):
    """One item of the inventory, and how many pieces."""
    id: str
    """The product's `inv_…`, not its SKU. The same one in several lines is summed."""
    quantity: int
    """Pieces wanted, 1 to 1,000,000."""


class LineItemInput(TypedDict):
    """One item of the inventory, and how many pieces."""
    id: str
    """The product's `inv_…`, not its SKU. The same one in several lines is summed."""
    quantity: int
    """Pieces wanted, 1 to 1,000,000."""


class LocalTime(TypedDict):
    """The day of the week and the time of day at the origin."""
    weekday: Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    """The first three letters of the day's English name."""
    time: str
    """Hours and minutes of a 24-hour clock, `HH:MM`."""
    time_zone: str
    """The zone of the origin location, else of the organisation (IANA)."""


class Location(TypedDict):
    """A physical place, such as a warehouse or a shop, from which shipments are sent."""
    id: str
    """Made when the location is created. It stays when the name or the address changes."""
    name: str
    """How your team tells locations apart. It is internal: never printed on a label, never sent to a carrier. Senders are named by `address.contact`."""
    tags: NotRequired[list[str] | None]
    """Your own labels for `GET /locations?tags=`. They have no meaning to Dockside."""
    address: Address
    """Where the location is, and who is there. New shipments copy it; changing it leaves those that exist as they are."""
    marketplaces: NotRequired[dict[str, list[str]] | None]
    """The location's ids elsewhere, such as in a shop system: a map from the marketplace's name to its ids. Kept and returned, never looked at."""
    coordinates: NotRequired[Coordinates | None]
    """Where it is on the globe, for distances in plans. Without it, plans look up the post code."""
    time_zone: NotRequired[str | None]
    """The IANA name of the place's time zone, such as `Europe/London`. Days and times in shipping rules are meant in it. Without it, the organisation's `time_zone` counts. The `closing` of a configuration names its own."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class LocationById(TypedDict):
    """The resource by its `id`. Its other fields, as they were read, are taken too and ignored."""
    id: str
    """Made when the location is created. It stays when the name or the address changes."""
    name: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    tags: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    address: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    marketplaces: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    coordinates: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    time_zone: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    created_at: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    updated_at: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""


class LocationConfiguration(TypedDict):
    """A named pair of an origin and a return location, which fills in a shipment's details."""
    id: str
    """Made when the configuration is created. A new shipment names it to copy its origin and return address."""
    name: str
    """Shown where people choose where a shipment leaves from. Need not be unique."""
    locations: EmbeddedLocations
    closing: NotRequired[Closing | None]
    """Closes out the day by itself: at this time, all bought parcels that leave from the origin and are in no manifest yet are put into one. Null: only when you ask for it."""
    is_default: bool
    """Whether shipments that are made from orders at the origin use this configuration. An origin has at most one: setting it here ends it elsewhere. With a single configuration, that one is used anyway."""
    complete_allocations_on: Literal["purchase", "hand_over"]
    """When the allocations in a new shipment from here are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel. The shipment copies it."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class LocationConfigurationInput(TypedDict):
    """A named pair of an origin and a return location."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: str
    """Shown where people choose where a shipment leaves from. Need not be unique."""
    locations: LocationReferencesInput
    closing: NotRequired[ClosingInput | None]
    """Closes out the day by itself: at this time, all bought parcels that leave from the origin and are in no manifest yet are put into one. Null: only when you ask for it."""
    is_default: NotRequired[bool | None]
    """Whether shipments that are made from orders at the origin use this configuration. An origin has at most one: setting it here ends it elsewhere. With a single configuration, that one is used anyway."""
    complete_allocations_on: NotRequired[Literal["purchase", "hand_over"] | None]
    """When the allocations in a new shipment from here are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel. The shipment copies it."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class LocationConfigurationPatch(TypedDict):
    """A named pair of an origin and a return location."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str]
    """Shown where people choose where a shipment leaves from. Need not be unique."""
    locations: NotRequired[LocationReferencesPatch]
    closing: NotRequired[ClosingInput | None]
    """Closes out the day by itself: at this time, all bought parcels that leave from the origin and are in no manifest yet are put into one. Null: only when you ask for it."""
    is_default: NotRequired[bool | None]
    """Whether shipments that are made from orders at the origin use this configuration. An origin has at most one: setting it here ends it elsewhere. With a single configuration, that one is used anyway."""
    complete_allocations_on: NotRequired[Literal["purchase", "hand_over"] | None]
    """When the allocations in a new shipment from here are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel. The shipment copies it."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class LocationConfigurationSummary(TypedDict):
    """A configuration in a list."""
    id: str
    """Made when the configuration is created. A new shipment names it to copy its origin and return address."""
    name: str
    """Shown where people choose where a shipment leaves from. Need not be unique."""
    locations: LocationSummaries
    closing: NotRequired[Closing | None]
    """Closes out the day by itself: at this time, all bought parcels that leave from the origin and are in no manifest yet are put into one. Null: only when you ask for it."""
    is_default: bool
    """Whether shipments that are made from orders at the origin use this configuration. An origin has at most one: setting it here ends it elsewhere. With a single configuration, that one is used anyway."""
    complete_allocations_on: Literal["purchase", "hand_over"]
    """When the allocations in a new shipment from here are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel. The shipment copies it."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class LocationInput(TypedDict):
    """A physical place, such as a warehouse or a shop, from which shipments are sent."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: str
    """How your team tells locations apart. It is internal: never printed on a label, never sent to a carrier. Senders are named by `address.contact`."""
    tags: NotRequired[list[str] | None]
    """Your own labels for `GET /locations?tags=`. They have no meaning to Dockside."""
    address: AddressInput
    """Where the location is, and who is there. New shipments copy it; changing it leaves those that exist as they are."""
    marketplaces: NotRequired[dict[str, list[str]] | None]
    """The location's ids elsewhere, such as in a shop system: a map from the marketplace's name to its ids. Kept and returned, never looked at."""
    coordinates: NotRequired[CoordinatesInput | None]
    """Where it is on the globe, for distances in plans. Without it, plans look up the post code."""
    time_zone: NotRequired[str | None]
    """The IANA name of the place's time zone, such as `Europe/London`. Days and times in shipping rules are meant in it. Without it, the organisation's `time_zone` counts. The `closing` of a configuration names its own."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class LocationPacking(TypedDict):
    """The packages for what one location sends."""
    location: PlaceReference
    """The place that sends these packages, by its id."""
    allocations: list[AllocationReference]
    """The open allocations whose units are packed here."""
    packages: list[ProposedPackage]
    """The packages, the fullest first, those of units that ship alone last."""
    unused_package_types: list[UnusedPackageType]
    """Boxes and envelopes that this place has and that were rejected, each with the reason."""
    items_without_dimensions: list[ItemReference]
    """Inventory items without dimensions. They count by their mass alone, and may need a larger package."""
    cost: NotRequired[PackingCost | None]
    limits: list[Literal["mass", "steps", "units"]]
    """What kept the packing from being better, or from being proven to be the best."""
    search: PackingSearch


class LocationPatch(TypedDict):
    """A physical place, such as a warehouse or a shop, from which shipments are sent."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str]
    """How your team tells locations apart. It is internal: never printed on a label, never sent to a carrier. Senders are named by `address.contact`."""
    tags: NotRequired[list[str] | None]
    """Your own labels for `GET /locations?tags=`. They have no meaning to Dockside."""
    address: NotRequired[AddressPatch]
    """Where the location is, and who is there. New shipments copy it; changing it leaves those that exist as they are."""
    marketplaces: NotRequired[dict[str, list[str] | None] | None]
    """The location's ids elsewhere, such as in a shop system: a map from the marketplace's name to its ids. Kept and returned, never looked at."""
    coordinates: NotRequired[CoordinatesInput | None]
    """Where it is on the globe, for distances in plans. Without it, plans look up the post code."""
    time_zone: NotRequired[str | None]
    """The IANA name of the place's time zone, such as `Europe/London`. Days and times in shipping rules are meant in it. Without it, the organisation's `time_zone` counts. The `closing` of a configuration names its own."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class LocationReferenceInput(TypedDict):
    """A location, named by its `id`. Its other fields may come along, and are ignored."""
    id: str
    """Made when the location is created. It stays when the name or the address changes."""
    name: NotRequired[object]
    """Made by the server; ignored in requests."""
    tags: NotRequired[object]
    """Made by the server; ignored in requests."""
    address: NotRequired[object]
    """Made by the server; ignored in requests."""
    marketplaces: NotRequired[object]
    """Made by the server; ignored in requests."""
    coordinates: NotRequired[object]
    """Made by the server; ignored in requests."""
    time_zone: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class LocationReferencePatch(TypedDict):
    """A location, named by its `id`. Its other fields may come along, and are ignored."""
    id: NotRequired[str]
    """Made when the location is created. It stays when the name or the address changes."""
    name: NotRequired[object]
    """Made by the server; ignored in requests."""
    tags: NotRequired[object]
    """Made by the server; ignored in requests."""
    address: NotRequired[object]
    """Made by the server; ignored in requests."""
    marketplaces: NotRequired[object]
    """Made by the server; ignored in requests."""
    coordinates: NotRequired[object]
    """Made by the server; ignored in requests."""
    time_zone: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


# The two locations that a shipment copies its origin and its return address from.
LocationReferencesInput = TypedDict(
    "LocationReferencesInput",
    {
        'origin': 'LocationReferenceInput',
        'return': 'LocationReferenceInput',
    },
)


# The two locations that a shipment copies its origin and its return address from.
LocationReferencesPatch = TypedDict(
    "LocationReferencesPatch",
    {
        'origin': 'NotRequired[LocationReferencePatch]',
        'return': 'NotRequired[LocationReferencePatch]',
    },
)


# The two locations that a shipment copies its origin and its return address from.
LocationSummaries = TypedDict(
    "LocationSummaries",
    {
        'origin': 'LocationSummary',
        'return': 'LocationSummary',
    },
)


class LocationSummary(TypedDict):
    """A location, without its address unless `include_fields=address` asks for it."""
    id: str
    """Made when the location is created. It stays when the name or the address changes."""
    name: str
    """How your team tells locations apart. It is internal: never printed on a label, never sent to a carrier. Senders are named by `address.contact`."""
    tags: NotRequired[list[str] | None]
    """Your own labels for `GET /locations?tags=`. They have no meaning to Dockside."""
    address: NotRequired[Address | None]
    """Street, town and contact. Shown only if the request says `include_fields=address`."""
    marketplaces: dict[str, list[str]]
    """The location's ids elsewhere, such as in a shop system: a map from the marketplace's name to its ids. Kept and returned, never looked at."""
    coordinates: NotRequired[Coordinates | None]
    """Where it is on the globe, for distances in plans."""
    time_zone: NotRequired[str | None]
    """The IANA name of the place's time zone, such as `Europe/London`. Days and times in shipping rules are meant in it. Without it, the organisation's `time_zone` counts. The `closing` of a configuration names its own."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class Manifest(TypedDict):
    """What a carrier takes over together: of one account, from one place, on one day."""
    id: str
    """Made when the parcels are closed out. Its barcode is on the driver's paper, and a carrier that is asked again is given the same one."""
    carrier: Carrier
    """The carrier whose driver signs for the parcels."""
    carrier_account: CarrierAccountReference
    """The contract that the parcels were bought with: each has manifests of its own."""
    status: Literal["creating", "created", "failed"]
    """`creating` while the carrier is told, then `created` or `failed`. A failed one keeps its list, and its shipments may be manifested again."""
    messages: list[str]
    """What the carrier said about it, such as why it refused. Empty while there is nothing to tell."""
    documents: list[Document]
    """The paper that the driver signs, as PDF; there once the status is `created`."""
    shipments: list[str]
    """The shipments that are handed over, by id. An event shows the first 1,000."""
    shipments_count: int
    """All shipments that are handed over, also where `shipments` shows fewer."""
    packages_count: int
    """Parcels that the driver counts: a shipment may have several."""
    location: NotRequired[str | None]
    """Where the parcels leave from. Null if shipments were given their origin as an address."""
    origin: NotRequired[AddressRecord | None]
    """The address that the parcels leave from, as it was when the shipments were made."""
    ship_date: str
    """The day of shipping, in UTC: the shipment's `options.shipping.date`, else the day on which it was bought."""
    carrier_reference: NotRequired[str | None]
    """The carrier's own number of the manifest, for asking the carrier about it. Null until the carrier gave one."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class ManifestInput(TypedDict):
    """Which parcels are handed over."""
    location: str | LocationById
    """The location whose parcels are handed over, or its id alone."""
    date: NotRequired[str | None]
    """Only parcels of this day of shipping (UTC). Without it, all days up to today, each in a manifest of its own."""
    carrier_account: NotRequired[str | None]
    """Closes out only parcels that were bought with this contract, named by id or handle. Without it, those of every account."""


class MassRange(TypedDict):
    """Kilograms in total. Both ends belong to the range; two rules may share an end, because the earlier rule wins."""
    min: NotRequired[float | None]
    """The least mass in kilograms. Without it, there is no lower end."""
    max: NotRequired[float | None]
    """The largest mass in kilograms. Without it, there is no upper end."""


class MassRangeInput(TypedDict):
    """Kilograms in total. Both ends belong to the range; two rules may share an end, because the earlier rule wins."""
    min: NotRequired[float | None]
    """The least mass in kilograms. Without it, there is no lower end."""
    max: NotRequired[float | None]
    """The largest mass in kilograms. Without it, there is no upper end."""


class Me(TypedDict):
    """Whom the access token or the session speaks for, what it may do, and until when."""
    organisation: MyOrganisation
    user: MyUser
    roles: list[str]
    """The roles of the user. They decide what a session may do; an access token has its own scopes."""
    world: Literal["live", "test"]
    """`live` data, or the `test` world beside it, where the only carrier is the sandbox. Set by the token that made this one."""
    scopes: list[str]
    """What the token may do. A token can't give another one more than it has itself. Scopes never change: make a new token instead."""
    expires_at: NotRequired[str | None]
    """RFC 3339 with any offset; answers are in UTC with microseconds."""
    session: NotRequired[MySession | None]
    channels: list[str]
    """The channels of the realtime stream that the caller may join: one for each resource that the token may read. In the test world the organisation's id ends in `_test` here, and may be written without it."""


class MyOrganisation(TypedDict):
    """The organisation that the token belongs to: the same in both worlds."""
    id: str
    """An organisation's id: the same in both worlds."""
    name: str
    """What people call the organisation, in both worlds. It begins as the name under which the operator made it, and that one stays the name for commands of the operator."""


class MySession(TypedDict):
    """The sign-in that the request's cookie belongs to. Null for an access token."""
    id: str
    """Names a sign-in without giving access: the secret is in the cookie alone. `DELETE /sessions/{session_id}` takes it."""
    began_with: Literal["password", "link", "openid_connect", "passkey"]
    """How the person proved who they are: with the `password`, with a one-time `link`, at an identity provider (`openid_connect`), or with a `passkey`."""
    expires_at: str
    """When it ends in any case: thirty days after the sign-in."""


class MyUser(TypedDict):
    """The person or program in whose name requests are made. Channels of the stream carry this id."""
    id: str
    """Made when the user is invited, or when a token is first created for them on the server. All tokens and sessions of one user share it."""
    name: NotRequired[str | None]
    """What colleagues call the person or the program. It need not be unique."""
    email_address: NotRequired[str | None]
    """The address under which the operator knows the user."""
    has_password: bool
    """Whether the person can sign in without a link, because they have set a secret of their own."""


class Order(TypedDict):
    """What a customer ordered. A committed order has a reservation."""
    id: str
    """Made when the order is created. Its reservation and its allocations are found under it."""
    reference: NotRequired[str | None]
    """The order's number in your shop, for finding it again with `GET /orders?reference=`."""
    status: NotRequired[Literal["draft", "committed", "fulfilled", "cancelled"] | None]
    destination: NotRequired[Destination | None]
    items: NotRequired[list[LineItem] | None]
    """What is to be shipped, at least one entry unless there are `lines`. Entries of the same item are summed. If there are `lines`, it follows from them and may be left out. While the order is committed, all of it is reserved."""
    lines: NotRequired[list[OrderLine] | None]
    """What the customer bought, as the shop says it. If there are lines, `items` follow from them: the sum of the shippable lines for each item. An order that was made from `items` alone has none."""
    customer: NotRequired[Customer | None]
    channel: NotRequired[str | None]
    """Where it was sold, in your own words, such as `webshop` or `marketplace`. `GET /orders?channel=` finds it by exactly this text."""
    source: NotRequired[OrderSourceReference | None]
    placed_at: NotRequired[str | None]
    """When the customer ordered. `GET /orders?placed_after=&placed_before=` finds it by that."""
    ship_by: NotRequired[str | None]
    """When it must have left. `GET /orders?ship_by_before=` finds it by that."""
    requested_service: NotRequired[str | None]
    """The delivery that the customer chose, in the shop's own words. Kept and shown; shipping rules can choose by it."""
    currency_code: NotRequired[CurrencyCode | None]
    """The currency of the lines' prices (ISO 4217, in capitals). Required if a line has one."""
    tags: NotRequired[list[str] | None]
    """Your own labels for `GET /orders?tags=`. They have no meaning to Dockside."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    status_when_matched: NotRequired[Literal["draft", "committed"] | None]
    hold: NotRequired[Hold | None]
    """Why the order is on hold, and until when; null if it is not. POST /orders/{order_id}/hold and /release change it."""
    notes: list[OrderNote]
    """Remarks, oldest first. `POST /orders/{order_id}/notes` adds one."""
    exceptions: list[OrderException]
    """What went wrong with the order, oldest first. The server raises exceptions; `POST /orders/{order_id}/exceptions/{exception_id}/resolve` resolves one."""
    fulfilment: Fulfilment
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class OrderException(TypedDict):
    """Something that went wrong with an order and that a person should look at."""
    id: str
    """Made when the exception is raised. Resolving the exception keeps it."""
    code: Literal["short", "stock_short", "voided_after_scan", "shipped_unallocated"]
    """What went wrong. `short`: less was found than was to be packed. `stock_short`: stock became short after a purchase began. `voided_after_scan`: a shipment was voided after the carrier scanned it. `shipped_unallocated`: allocations were deleted although their shipment was bought."""
    is_blocking: bool
    """Whether nothing more of the order may be bought until it is resolved."""
    shipment_id: NotRequired[str | None]
    """The parcels that are concerned, by their `shp_…`. Null if it concerns the whole order."""
    message: str
    """What happened, in a sentence for the person who deals with it."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    resolved_at: NotRequired[str | None]
    """When a person resolved it. Null while it is open."""
    resolved_by: NotRequired[str | None]
    """The user whose token resolved it. Null while it is open."""
    note: NotRequired[str | None]
    """What was done about it. Kept with the exception."""


class OrderExceptionResolutionInput(TypedDict):
    """What was done about an exception."""
    note: NotRequired[str | None]
    """What was done about it. Kept with the exception."""


class OrderInput(TypedDict):
    """What a customer ordered. A committed order has a reservation."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    reference: NotRequired[str | None]
    """The order's number in your shop, for finding it again with `GET /orders?reference=`."""
    status: NotRequired[Literal["draft", "committed", "fulfilled", "cancelled"] | None]
    destination: NotRequired[DestinationInput | None]
    items: NotRequired[list[LineItemInput] | None]
    """What is to be shipped, at least one entry unless there are `lines`. Entries of the same item are summed. If there are `lines`, it follows from them and may be left out. While the order is committed, all of it is reserved."""
    lines: NotRequired[list[OrderLineInput] | None]
    """What the customer bought, as the shop says it. If there are lines, `items` follow from them: the sum of the shippable lines for each item. An order that was made from `items` alone has none."""
    customer: NotRequired[CustomerInput | None]
    channel: NotRequired[str | None]
    """Where it was sold, in your own words, such as `webshop` or `marketplace`. `GET /orders?channel=` finds it by exactly this text."""
    source: NotRequired[OrderSourceReferenceInput | None]
    placed_at: NotRequired[str | None]
    """When the customer ordered. `GET /orders?placed_after=&placed_before=` finds it by that."""
    ship_by: NotRequired[str | None]
    """When it must have left. `GET /orders?ship_by_before=` finds it by that."""
    requested_service: NotRequired[str | None]
    """The delivery that the customer chose, in the shop's own words. Kept and shown; shipping rules can choose by it."""
    currency_code: NotRequired[CurrencyCode | None]
    """The currency of the lines' prices (ISO 4217, in capitals). Required if a line has one."""
    tags: NotRequired[list[str] | None]
    """Your own labels for `GET /orders?tags=`. They have no meaning to Dockside."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    status_when_matched: NotRequired[object]
    """Made by the server; ignored in requests."""
    hold: NotRequired[object]
    """Made by the server; ignored in requests."""
    notes: NotRequired[object]
    """Made by the server; ignored in requests."""
    exceptions: NotRequired[object]
    """Made by the server; ignored in requests."""
    fulfilment: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class OrderLine(TypedDict):
    """One line of the shop's order. One that is shipped names an item, a SKU, or both."""
    id: str
    """Made with the line. In a PATCH, an entry with the `id` of a line keeps that line; others are new ones. In a POST it is ignored."""
    item_id: NotRequired[str | None]
    """The inventory item that is shipped for the line. Null while no item has the line's SKU: the order is then a draft on hold."""
    sku: NotRequired[str | None]
    """The shop's code of what was bought. Without `item_id`, the inventory item with this SKU is looked up."""
    name: NotRequired[str | None]
    """What the shop calls it. Kept and shown, never looked at."""
    quantity: int
    """Pieces bought, 1 to 1,000,000."""
    unit_price: NotRequired[int | None]
    """What was paid for one piece, after discount and before tax: a whole number of the smallest unit of the order's `currency_code`, which it needs."""
    external_line_id: NotRequired[str | None]
    """The line's id in the shop, as a string. Kept and shown, never looked at."""
    is_shippable: NotRequired[bool | None]
    """`false` for what is never shipped, such as a download: it is not reserved, and has no item. `true` if you leave it out."""


class OrderLineInput(TypedDict):
    """One line of the shop's order. One that is shipped names an item, a SKU, or both."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    item_id: NotRequired[str | None]
    """The inventory item that is shipped for the line. Null while no item has the line's SKU: the order is then a draft on hold."""
    sku: NotRequired[str | None]
    """The shop's code of what was bought. Without `item_id`, the inventory item with this SKU is looked up."""
    name: NotRequired[str | None]
    """What the shop calls it. Kept and shown, never looked at."""
    quantity: int
    """Pieces bought, 1 to 1,000,000."""
    unit_price: NotRequired[int | None]
    """What was paid for one piece, after discount and before tax: a whole number of the smallest unit of the order's `currency_code`, which it needs."""
    external_line_id: NotRequired[str | None]
    """The line's id in the shop, as a string. Kept and shown, never looked at."""
    is_shippable: NotRequired[bool | None]
    """`false` for what is never shipped, such as a download: it is not reserved, and has no item. `true` if you leave it out."""


class OrderLineMatchInput(TypedDict):
    """Which item is shipped for a line."""
    line_id: str
    """The entry of the order that waits for its product: one whose `item_id` is null."""
    item_id: str
    """The product that goes into the parcel for this entry, by its `inv_…`."""


class OrderNote(TypedDict):
    """A remark about an order, for your team or for the customer."""
    id: str
    """Made when the note is added. A note never changes."""
    text: str
    """The remark itself: up to 2,000 characters without line breaks."""
    is_for_customer: NotRequired[bool | None]
    """Whether the customer may see the note. `false` if you leave it out. It is kept and shown; nothing is printed or sent because of it yet."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""


class OrderNoteInput(TypedDict):
    """A remark about an order, for your team or for the customer."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    text: str
    """The remark itself: up to 2,000 characters without line breaks."""
    is_for_customer: NotRequired[bool | None]
    """Whether the customer may see the note. `false` if you leave it out. It is kept and shown; nothing is printed or sent because of it yet."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class OrderPacking(TypedDict):
    """Proposed packages for an order. Nothing is stored."""
    data: list[LocationPacking]
    """An entry for each location that sends something of the order."""


class OrderPatch(TypedDict):
    """What a customer ordered. A committed order has a reservation."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    reference: NotRequired[str | None]
    """The order's number in your shop, for finding it again with `GET /orders?reference=`."""
    status: NotRequired[Literal["draft", "committed", "fulfilled", "cancelled"] | None]
    destination: NotRequired[DestinationInput | None]
    items: NotRequired[list[LineItemInput] | None]
    """What is to be shipped, at least one entry unless there are `lines`. Entries of the same item are summed. If there are `lines`, it follows from them and may be left out. While the order is committed, all of it is reserved."""
    lines: NotRequired[list[OrderLineInput] | None]
    """What the customer bought, as the shop says it. If there are lines, `items` follow from them: the sum of the shippable lines for each item. An order that was made from `items` alone has none."""
    customer: NotRequired[CustomerInput | None]
    channel: NotRequired[str | None]
    """Where it was sold, in your own words, such as `webshop` or `marketplace`. `GET /orders?channel=` finds it by exactly this text."""
    source: NotRequired[OrderSourceReferenceInput | None]
    placed_at: NotRequired[str | None]
    """When the customer ordered. `GET /orders?placed_after=&placed_before=` finds it by that."""
    ship_by: NotRequired[str | None]
    """When it must have left. `GET /orders?ship_by_before=` finds it by that."""
    requested_service: NotRequired[str | None]
    """The delivery that the customer chose, in the shop's own words. Kept and shown; shipping rules can choose by it."""
    currency_code: NotRequired[CurrencyCode | None]
    """The currency of the lines' prices (ISO 4217, in capitals). Required if a line has one."""
    tags: NotRequired[list[str] | None]
    """Your own labels for `GET /orders?tags=`. They have no meaning to Dockside."""
    metadata: NotRequired[dict[str, Any] | None]
    """Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key."""
    status_when_matched: NotRequired[object]
    """Made by the server; ignored in requests."""
    hold: NotRequired[object]
    """Made by the server; ignored in requests."""
    notes: NotRequired[object]
    """Made by the server; ignored in requests."""
    exceptions: NotRequired[object]
    """Made by the server; ignored in requests."""
    fulfilment: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class OrderReference(TypedDict):
    """The order, by its `id`."""
    id: str
    """Made when the order is created. Its reservation and its allocations are found under it."""


class OrderShipmentsInput(TypedDict):
    """What to ship of the order, and how. An empty body ships all that is allocated."""
    allocation_ids: NotRequired[list[str] | None]
    """The allocations of the order to ship. Null: all that are open and in no shipment."""
    packages: NotRequired[list[PackageToShipInput] | None]
    """The packages, all from one location. What they do not hold stays allocated: an allocation of which they hold a part is split. Null: the units are packed as `POST /allocations/orders/{order_id}/pack` proposes."""
    carrier: NotRequired[CarrierChoiceInput | None]
    """The carrier, service and accounts to use. Null: the shipping rules decide, and a hold of theirs counts."""


class OrderSourceReference(TypedDict):
    """The order in the shop that it comes from. Kept and shown, never looked at."""
    external_id: NotRequired[str | None]
    """The order's id in the shop, as a string, so that it loses no digits."""
    external_number: NotRequired[str | None]
    """The number that the shop shows to people."""
    url: NotRequired[str | None]
    """The page of the order in the shop: an http or https URL. Kept and shown; the server never opens it."""


class OrderSourceReferenceInput(TypedDict):
    """The order in the shop that it comes from. Kept and shown, never looked at."""
    external_id: NotRequired[str | None]
    """The order's id in the shop, as a string, so that it loses no digits."""
    external_number: NotRequired[str | None]
    """The number that the shop shows to people."""
    url: NotRequired[str | None]
    """The page of the order in the shop: an http or https URL. Kept and shown; the server never opens it."""


class Organisation(TypedDict):
    """The organisation that the access token belongs to, and what it has set."""
    id: str
    """An organisation's id: the same in both worlds."""
    name: str
    """What people call the organisation, in both worlds. It begins as the name under which the operator made it, and that one stays the name for commands of the operator."""
    unique_order_references: NotRequired[bool | None]
    """Whether an order's `reference` may be used once only, in the token's world. While it is `true`, an order with the reference of another is refused with `reference_taken`. The live and the test world are set apart."""
    time_zone: NotRequired[str | None]
    """The IANA name of the time zone in which days and times of shipping rules are meant, for locations without a `time_zone` of their own. `UTC` unless it is set."""
    created_at: str
    """RFC 3339 with any offset; answers are in UTC with microseconds."""
    updated_at: str
    """RFC 3339 with any offset; answers are in UTC with microseconds."""


class OrganisationPatch(TypedDict):
    """The organisation that the access token belongs to, and what it has set."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str]
    """What people call the organisation, in both worlds. It begins as the name under which the operator made it, and that one stays the name for commands of the operator."""
    unique_order_references: NotRequired[bool | None]
    """Whether an order's `reference` may be used once only, in the token's world. While it is `true`, an order with the reference of another is refused with `reference_taken`. The live and the test world are set apart."""
    time_zone: NotRequired[str | None]
    """The IANA name of the time zone in which days and times of shipping rules are meant, for locations without a `time_zone` of their own. `UTC` unless it is set."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class OuterDimensions(TypedDict):
    """The closed package, in centimetres, as carriers measure it. Kept as whole millimetres, rounded up. Null: as `inner_dimensions`."""
    length: float
    """The first horizontal side outside, in centimetres."""
    width: float
    """The second horizontal side outside, in centimetres."""
    height: float
    """The vertical side outside, in centimetres."""


class OuterDimensionsInput(TypedDict):
    """The closed package, in centimetres, as carriers measure it. Kept as whole millimetres, rounded up. Null: as `inner_dimensions`."""
    length: float
    """The first horizontal side outside, in centimetres."""
    width: float
    """The second horizontal side outside, in centimetres."""
    height: float
    """The vertical side outside, in centimetres."""


class Package(TypedDict):
    """One package of a shipment."""
    name: NotRequired[str | None]
    """Your own word for the package. No carrier sees it."""
    geometry: NotRequired[Geometry | None]
    predefined_package_code: NotRequired[str | None]
    """The carrier's own name of a standard box or envelope, which then needs no `geometry`."""
    tracking_number: NotRequired[str | None]
    """The carrier's number of this package. Null until the shipment is bought."""
    items: NotRequired[list[PackageItem] | None]
    """What is inside: kept and shown; no carrier gets it. In a shipment that was made from an order, the units of its allocations: then their sum can't be changed. Otherwise it changes no stock."""
    package_type_id: NotRequired[str | None]
    """The package type that is used. If `geometry` has no length, width and height, they are copied from its outer dimensions when the shipment is created or changed."""


class PackageCost(TypedDict):
    """What one package costs you. Of packings with equally many packages the cheapest is proposed, if all package types that may be used have a cost in one currency."""
    amount: int
    """What one package costs you, in the smallest unit of the currency."""
    currency_code: CurrencyCode
    """ISO 4217, in capitals. It says what the smallest unit of an amount is: pence, cents, yen."""


class PackageCostInput(TypedDict):
    """What one package costs you. Of packings with equally many packages the cheapest is proposed, if all package types that may be used have a cost in one currency."""
    amount: int
    """What one package costs you, in the smallest unit of the currency."""
    currency_code: CurrencyCode
    """ISO 4217, in capitals. It says what the smallest unit of an amount is: pence, cents, yen."""


class PackageInput(TypedDict):
    """One package of a shipment."""
    name: NotRequired[str | None]
    """Your own word for the package. No carrier sees it."""
    geometry: NotRequired[GeometryInput | None]
    predefined_package_code: NotRequired[str | None]
    """The carrier's own name of a standard box or envelope, which then needs no `geometry`."""
    tracking_number: NotRequired[object]
    """Made by the server; ignored in requests."""
    items: NotRequired[list[PackageItemInput] | None]
    """What is inside: kept and shown; no carrier gets it. In a shipment that was made from an order, the units of its allocations: then their sum can't be changed. Otherwise it changes no stock."""
    package_type_id: NotRequired[str | None]
    """The package type that is used. If `geometry` has no length, width and height, they are copied from its outer dimensions when the shipment is created or changed."""


class PackageItem(TypedDict):
    """One item of the inventory, and how many pieces are in the package."""
    id: str
    """The inventory item's `inv_…`, not its SKU. Each item once in a package."""
    quantity: int
    """Pieces in the package, 1 or more."""


class PackageItemInput(TypedDict):
    """One item of the inventory, and how many pieces are in the package."""
    id: str
    """The inventory item's `inv_…`, not its SKU. Each item once in a package."""
    quantity: int
    """Pieces in the package, 1 or more."""


class PackageProgress(TypedDict):
    """How far one package is packed."""
    package: int
    """The place of the box in the shipment's `packages`, counted from 1."""
    items: list[ItemProgress]
    """Its contents as the shipment has them, with what is packed of each."""


class PackageToShipInput(TypedDict):
    """One package of a shipment, and the units of the order in it."""
    name: NotRequired[str | None]
    """Your own word for the package. No carrier sees it."""
    geometry: NotRequired[GeometryInput | None]
    """Size and mass. What is absent is computed: the size from the package type, the mass from items and package type."""
    predefined_package_code: NotRequired[str | None]
    """The carrier's own name of a standard box or envelope, which then needs no `geometry`."""
    items: list[PackageItemInput]
    """The units of the order that are in the package. All packages together hold at most what is allocated."""
    package_type_id: NotRequired[str | None]
    """The box that is used. Its outer dimensions and its mass count unless `geometry` has others."""


class PackageType(TypedDict):
    """A box or an envelope that you own, any number of times."""
    id: str
    """Made when the package type is created. It stays when its name, handle or size changes."""
    name: str
    """What your packers call it. Need not be unique."""
    handle: str
    """A short name for programs: lower-case letters, digits, `_` and `-`. Unique in the organisation."""
    kind: NotRequired[Literal["box", "envelope"] | None]
    inner_dimensions: InnerDimensions
    outer_dimensions: NotRequired[OuterDimensions | None]
    tare_mass: NotRequired[float | None]
    """Kilograms of the empty package. Kept as whole grams, rounded up. 0 if you leave it out."""
    mass_max: NotRequired[float | None]
    """The largest mass in kilograms, with the empty package. Kept as whole grams, rounded down. Null: no limit."""
    cost: NotRequired[PackageCost | None]
    location_ids: NotRequired[list[str] | None]
    """The locations that have this package type. An empty list: all locations. A location that is named here can't be deleted."""
    is_active: NotRequired[bool | None]
    """Whether packings may use it. True if you leave it out."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class PackageTypeInput(TypedDict):
    """A box or an envelope that you own, any number of times."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: str
    """What your packers call it. Need not be unique."""
    handle: str
    """A short name for programs: lower-case letters, digits, `_` and `-`. Unique in the organisation."""
    kind: NotRequired[Literal["box", "envelope"] | None]
    inner_dimensions: InnerDimensionsInput
    outer_dimensions: NotRequired[OuterDimensionsInput | None]
    tare_mass: NotRequired[float | None]
    """Kilograms of the empty package. Kept as whole grams, rounded up. 0 if you leave it out."""
    mass_max: NotRequired[float | None]
    """The largest mass in kilograms, with the empty package. Kept as whole grams, rounded down. Null: no limit."""
    cost: NotRequired[PackageCostInput | None]
    location_ids: NotRequired[list[str] | None]
    """The locations that have this package type. An empty list: all locations. A location that is named here can't be deleted."""
    is_active: NotRequired[bool | None]
    """Whether packings may use it. True if you leave it out."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class PackageTypePatch(TypedDict):
    """A box or an envelope that you own, any number of times."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str]
    """What your packers call it. Need not be unique."""
    handle: NotRequired[str]
    """A short name for programs: lower-case letters, digits, `_` and `-`. Unique in the organisation."""
    kind: NotRequired[Literal["box", "envelope"] | None]
    inner_dimensions: NotRequired[InnerDimensionsPatch]
    outer_dimensions: NotRequired[OuterDimensionsInput | None]
    tare_mass: NotRequired[float | None]
    """Kilograms of the empty package. Kept as whole grams, rounded up. 0 if you leave it out."""
    mass_max: NotRequired[float | None]
    """The largest mass in kilograms, with the empty package. Kept as whole grams, rounded down. Null: no limit."""
    cost: NotRequired[PackageCostInput | None]
    location_ids: NotRequired[list[str] | None]
    """The locations that have this package type. An empty list: all locations. A location that is named here can't be deleted."""
    is_active: NotRequired[bool | None]
    """Whether packings may use it. True if you leave it out."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class PackedDimensions(TypedDict):
    """The sides of the unit as it lies in the package, in centimetres: they say how it is turned. Null if the item has no dimensions."""
    length: float
    """The extent of the unit along the inner length of the package."""
    width: float
    """The extent of the unit along the inner width of the package."""
    height: float
    """The extent of the unit upwards."""


class PackedPosition(TypedDict):
    """The corner of the unit that is nearest to the corner of the package. Null if the item has no dimensions."""
    x: float
    """Centimetres along the inner length of the package."""
    y: float
    """Centimetres along the inner width of the package."""
    z: float
    """Centimetres above the bottom of the package."""


class PackedUnit(TypedDict):
    """One piece in the package, and where it lies."""
    item: ItemReference
    """What the piece is, by its `inv_…`. Several pieces of one product are several units."""
    position: NotRequired[PackedPosition | None]
    dimensions: NotRequired[PackedDimensions | None]


class PackingCost(TypedDict):
    """What the packages cost together. Null if costs were not compared: a package type that can hold a unit has none, or they are in several currencies."""
    amount: int
    """A whole number of the currency's smallest unit: `1299` with `GBP` is £12.99, with `JPY` ¥1299. A fraction is refused."""
    currency_code: CurrencyCode
    """ISO 4217, in capitals. It says what the smallest unit of an amount is: pence, cents, yen."""


class PackingInput(TypedDict):
    """Which allocations to pack. An empty body packs all that are open."""
    allocation_ids: NotRequired[list[str] | None]
    """The open allocations of the order to pack. Null: all that are open."""


class PackingSearch(TypedDict):
    """How far the search went. The best packing has the fewest packages, then the lowest cost, then the smallest volume."""
    is_exact: bool
    """True if no better packing exists: all others were compared or excluded. False if the search ended before that was proven."""
    steps: int
    """How often the search compared two cuboids. The search is limited in steps, so equal requests get equal answers."""
    note: str
    """What was proven, and why the search ended, as a sentence for a person."""


# Where it goes, where it comes from, and where it goes back to.
PartialAddresses = TypedDict(
    "PartialAddresses",
    {
        'destination': 'NotRequired[AddressRecord | None]',
        'origin': 'NotRequired[AddressRecord | None]',
        'return': 'NotRequired[AddressRecord | None]',
        'location_configuration_id': 'NotRequired[str | None]',
    },
)


class PartialShipment(TypedDict):
    """A shipment; where `include_fields` is given, without those of its seven parts that it does not name."""
    id: str
    """Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages."""
    name: NotRequired[str | None]
    """A name or reference of your own, such as the order's number. Need not be unique."""
    addresses: PartialAddresses
    tax_identifiers: NotRequired[list[TaxIdentifier] | None]
    """Tax registrations of sender, recipient or importer, for customs papers and carriers."""
    packages: list[Package]
    """The parcels that travel together under one purchase. Each gets a label and a tracking number."""
    customs: NotRequired[Customs | None]
    options: NotRequired[ShipmentOptions | None]
    carrier: NotRequired[CarrierChoice | None]
    documents: NotRequired[list[Document] | None]
    """Labels and customs papers, once it is bought. Each link lives an hour; read again for new ones."""
    rates: NotRequired[list[Rate] | None]
    """What carriers asked for it when it was last rated, cheapest first. Emptied when the shipment changes."""
    service: NotRequired[ChosenService | None]
    cost: NotRequired[ShipmentCost | None]
    status: Literal["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"]
    """`draft` when made, `rated` with rates, `purchasing` while the carrier is asked, then `purchased` or `purchase_failed`, which can be repaired and bought again. `voided`: the carrier took the label back and refunds it."""
    tracking_status: PartialShipmentTrackingStatus
    """What the carrier last reported: `pre_transit` once it is bought, then on to `delivered`, `return_to_sender`, `failure` or `cancelled`, which are final. `unknown` before it is bought."""
    tracking_number: NotRequired[str | None]
    """The carrier's number of the first package, once it is bought."""
    label_pending: bool
    """Whether it is purchased and the carrier delivers its label later. `shipment.updated` is sent when the label arrives."""
    errors: NotRequired[list[ShipmentError] | None]
    """Why rating, buying, labelling or voiding failed; the newest last. Empty while all is well."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class Passkey(TypedDict):
    """A key on a device of a person, with which the person signs in."""
    id: str
    """Names a passkey without giving access: the secret key never leaves the person's device. `DELETE /passkeys/{passkey_id}` takes it."""
    user_id: str
    """Made when the user is invited, or when a token is first created for them on the server. All tokens and sessions of one user share it."""
    name: str
    """By which the person tells their devices apart. Nothing is signed with it, and two may have the same."""
    is_syncable: bool
    """Whether the device's maker may copy the key to other devices of the person, as its authenticator said when it was made."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    last_used_at: NotRequired[str | None]
    """When the person last signed in with it. Null before the first time."""


class PasskeyChallenge(TypedDict):
    """What a page needs for `navigator.credentials.create`."""
    challenge: str
    """What the authenticator must sign, in base64url. It can be answered once, within five minutes, and only by whom it was given to."""
    relying_party_id: str
    """The host of the setting `public_url`: `rp.id` or `rpId` of WebAuthn. A passkey works for this host alone."""
    user_handle: str
    """By which authenticators know the user: `user.id` and `userHandle` of WebAuthn, in base64url. It holds neither name nor address."""
    algorithms: list[int]
    """The algorithms that the server accepts, the preferred one first: `pubKeyCredParams` of WebAuthn."""
    known_credential_ids: list[str]
    """The keys that the user has already, so that a device makes no second one: `excludeCredentials` of WebAuthn."""
    expires_at: str
    """From when on the challenge can't be answered any more."""


class PasskeyInput(TypedDict):
    """What `navigator.credentials.create` answered."""
    name: str
    """By which the person tells their devices apart. Nothing is signed with it, and two may have the same."""
    client_data: str
    """`clientDataJSON` of WebAuthn, in base64url: what the browser says of the page and of the challenge."""
    attestation_object: str
    """`attestationObject` of WebAuthn, in base64url. Ask for the attestation `none`: no other is accepted."""
    current_password: NotRequired[str | None]
    """Needed if you signed in more than 15 minutes ago, or at an identity provider."""


class PasskeyProofInput(TypedDict):
    """What `navigator.credentials.get` answered."""
    credential_id: str
    """The name that the authenticator gave the key: `rawId` of WebAuthn, in base64url."""
    client_data: str
    """`clientDataJSON` of WebAuthn, in base64url: what the browser says of the page and of the challenge."""
    authenticator_data: str
    """`authenticatorData` of WebAuthn, in base64url. The authenticator must have verified the person."""
    signature: str
    """`signature` of WebAuthn, in base64url, by the passkey's secret key."""
    user_handle: str
    """By which authenticators know the user: `user.id` and `userHandle` of WebAuthn, in base64url. It holds neither name nor address."""


class PasswordInput(TypedDict):
    """The caller's new password."""
    current_password: NotRequired[str | None]
    """The one that is replaced. Not needed for 15 minutes after a sign-in with a link."""
    new_password: str
    """Twelve characters or more, of any kind. Passwords that many people use are refused. Only a slow hash of it is kept (argon2id)."""


class PasswordReset(TypedDict):
    """The request is taken. Whether a user has the address is not said."""
    link_seconds: int
    """For how long the link works, if one is sent, counted from when it is made: half an hour."""


class PasswordResetInput(TypedDict):
    """The address of a user who has forgotten the password."""
    email_address: str
    """Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same."""
    organisation_id: NotRequired[str | None]
    """For which organisation, for a person who has the same address in several. Without it, each of them sends a link."""


class PickListsInput(TypedDict):
    """How the lists are wanted, of which part of a large batch, and for which location."""
    format: NotRequired[Literal["a4", "letter", "4x6"] | None]
    part: NotRequired[int | None]
    """Which 500 shipments of a large batch, or which 500 orders of a large wave, in their order: 1 for the first 500, 2 for the next. Needed where there are more than 500."""
    location_id: NotRequired[str | None]
    """Only the list of this location. Without it, one list for each location that shipments leave from."""


class PlaceReference(TypedDict):
    """The place, by its `id`."""
    id: str
    """Made when the location is created. It stays when the name or the address changes."""


class PlaceReferenceInput(TypedDict):
    """The place, by its `id`."""
    id: str
    """Made when the location is created. It stays when the name or the address changes."""


class PostalAddress(TypedDict):
    """The postal part of an address."""
    line_1: str
    """House number and street, or what the country's post uses instead. Printed as the first line below the names."""
    line_2: NotRequired[str | None]
    """Flat, building or floor. Printed on a line of its own; left out where it is empty."""
    line_3: NotRequired[str | None]
    """For addresses that need one more line. Some carriers have two: there it joins the second."""
    city: str
    """Town or city, as the post of the country writes it. Printed where the country's addresses have it."""
    province: NotRequired[str | None]
    """The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it."""
    post_code: NotRequired[str | None]
    """Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it."""
    country_code: CountryCode
    """ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border."""


class PostalAddressInput(TypedDict):
    """The postal part of an address."""
    line_1: str
    """House number and street, or what the country's post uses instead. Printed as the first line below the names."""
    line_2: NotRequired[str | None]
    """Flat, building or floor. Printed on a line of its own; left out where it is empty."""
    line_3: NotRequired[str | None]
    """For addresses that need one more line. Some carriers have two: there it joins the second."""
    city: str
    """Town or city, as the post of the country writes it. Printed where the country's addresses have it."""
    province: NotRequired[str | None]
    """The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it."""
    post_code: NotRequired[str | None]
    """Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it."""
    country_code: CountryCode
    """ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border."""


class PostalAddressPatch(TypedDict):
    """The postal part of an address."""
    line_1: NotRequired[str]
    """House number and street, or what the country's post uses instead. Printed as the first line below the names."""
    line_2: NotRequired[str | None]
    """Flat, building or floor. Printed on a line of its own; left out where it is empty."""
    line_3: NotRequired[str | None]
    """For addresses that need one more line. Some carriers have two: there it joins the second."""
    city: NotRequired[str]
    """Town or city, as the post of the country writes it. Printed where the country's addresses have it."""
    province: NotRequired[str | None]
    """The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it."""
    post_code: NotRequired[str | None]
    """Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it."""
    country_code: NotRequired[CountryCode]
    """ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border."""


class PrintClaim(TypedDict):
    """A job that an agent has claimed, and its printer."""
    print_job: PrintJob
    printer: Printer
    documents: list[ClaimedDocument]
    """The files of the job: fetch each with `GET /print_jobs/{print_job_id}/content?document=`, which counts from 1."""
    fence: int
    """The number of the claim, which rises with each. A report under an older one is refused."""
    lease_expires_at: str
    """Until when the job is the agent's. Without a report by then, it is queued again if its content was not fetched, and uncertain otherwise."""


class PrintClaimInput(TypedDict):
    """Which jobs an agent asks for."""
    printer_ids: NotRequired[list[str] | None]
    """The printers that the agent serves. An empty list, or none: all printers of the organisation whose `connection` is `agent`."""


class PrintJob(TypedDict):
    """Documents that are sent to one printer. The jobs of a printer are sent one at a time, in the order in which they were made."""
    id: str
    """Made with the job. An IPP printer lists the job under it, so that it is found there again."""
    printer_id: NotRequired[str | None]
    """The printer that it goes to. If you leave it out: for the label of a shipment the printer that a shipping rule chose for it; else the default for the kind of document at the location that the shipment leaves from, else the default of all locations. It may be deleted after the job has ended."""
    document_ids: list[str]
    """The files to print, in this order: labels, customs papers, manifests. The token must be able to read the shipment, batch or manifest that each belongs to. 64 MiB in all."""
    sent_as: list[PrintRendition]
    """How each of the documents is sent, in their order. Empty for a job that was made by an older version: its files are sent as they are stored."""
    copies: NotRequired[int | None]
    """How often all documents are printed. 1 if you leave it out."""
    status: Literal["queued", "sending", "printed", "failed", "uncertain", "cancelled"]
    """`queued` until its turn, `sending` while it is sent, then `printed`, `failed`, or `uncertain`: some of it left and nothing proves that it was printed. An uncertain job is never sent again by itself; look at the printer, and reprint it if nothing came out."""
    tries: int
    """How often it was tried. After the fifth try that reached no printer the job has failed."""
    next_try_at: NotRequired[str | None]
    """When the printer is tried again at the latest. A new job for the same printer makes it sooner. Null if no further try is planned."""
    message: NotRequired[str | None]
    """Why it waits for another try, has failed or is uncertain, for the person at the printer. Null while there is nothing to tell."""
    reprint_of: NotRequired[str | None]
    """The job that this one prints once more. Null for one that was not made by a reprint."""
    printed_at: NotRequired[str | None]
    """When the printer had taken all of it. Null for a job that is not printed."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class PrintJobInput(TypedDict):
    """Documents that are sent to one printer. The jobs of a printer are sent one at a time, in the order in which they were made."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    printer_id: NotRequired[str | None]
    """The printer that it goes to. If you leave it out: for the label of a shipment the printer that a shipping rule chose for it; else the default for the kind of document at the location that the shipment leaves from, else the default of all locations. It may be deleted after the job has ended."""
    document_ids: list[str]
    """The files to print, in this order: labels, customs papers, manifests. The token must be able to read the shipment, batch or manifest that each belongs to. 64 MiB in all."""
    sent_as: NotRequired[object]
    """Made by the server; ignored in requests."""
    copies: NotRequired[int | None]
    """How often all documents are printed. 1 if you leave it out."""
    status: NotRequired[object]
    """Made by the server; ignored in requests."""
    tries: NotRequired[object]
    """Made by the server; ignored in requests."""
    next_try_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    message: NotRequired[object]
    """Made by the server; ignored in requests."""
    reprint_of: NotRequired[object]
    """Made by the server; ignored in requests."""
    printed_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class PrintRendition(TypedDict):
    """How a document is sent. It is decided when the job is made, by what the printer takes then."""
    format: Literal["pdf", "zpl", "png", "pwg"]
    """What the printer gets, by the word that its `formats` have for it."""
    dpi: NotRequired[int | None]
    """The resolution for which it is drawn or scaled. Null for a PDF, and for a file that is sent as it is stored."""
    is_converted: bool
    """Whether the file is made when the job is sent: a label that Dockside drew is drawn anew, a carrier's PNG is scaled, and a paper becomes PWG raster. `false`: the stored file."""


class PrintResultInput(TypedDict):
    """What came of a claimed job."""
    fence: int
    """The `fence` of the claim that the report is about."""
    outcome: Literal["printed", "unsent", "failed", "uncertain"]
    """`unsent`: no byte left, so it is tried again after a pause. `failed`: the printer refused it. `uncertain`: some of it left, and nothing proves that it was printed."""
    message: NotRequired[str | None]
    """What the agent saw, for the person who looks at the job. Kept unless the job was printed."""


class Printer(TypedDict):
    """A printer that documents are sent to, by the server or by a print agent."""
    id: str
    """Made when you describe the printer. Print jobs name it."""
    name: str
    """What your packers call it. Need not be unique."""
    kind: Literal["raw", "ipp"]
    """The protocol: `raw` sends the bytes of a file on a socket, as label printers take ZPL; `ipp` is the Internet Printing Protocol, as office printers and CUPS speak it."""
    connection: NotRequired[Literal["direct", "agent"] | None]
    address: str
    """Where it is: for `raw` a host and a port (9100 if you leave the port out), for `ipp` a URL that begins with `ipp://`, `ipps://`, `http://` or `https://`."""
    formats: list[Literal["pdf", "zpl", "png", "pwg"]]
    """The formats that it takes. A document in another format is converted to the first one of these that it can be made into: a label that Dockside drew, or a carrier's PNG; papers of Dockside become `pwg`. Other files are refused when the job is made."""
    dpi: NotRequired[int | None]
    """Dots per inch. Labels that Dockside drew, and PNGs of carriers, are made anew for a printer of another resolution than 203, up to 1200. PWG raster always has this resolution, so it must be one of the printer's own. ZPL of a carrier is printed at 203 only. 203 if you leave it out."""
    media: NotRequired[str | None]
    """The paper that is in it, as IPP names it. Sent with each job to a printer of the kind `ipp`; to others it is a remark. Null: the printer's own choice."""
    location_id: NotRequired[str | None]
    """The location where it stands: it is the default for what leaves from there. Null: for every location that has no default of its own. A location that is named here can't be deleted."""
    is_default_for: NotRequired[list[Literal["label", "packing_slip", "pick_list", "manifest"]] | None]
    """For which documents it is the default at its location, or everywhere if it has none. There is one default for each kind of document and location."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class PrinterInput(TypedDict):
    """A printer that documents are sent to, by the server or by a print agent."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: str
    """What your packers call it. Need not be unique."""
    kind: Literal["raw", "ipp"]
    """The protocol: `raw` sends the bytes of a file on a socket, as label printers take ZPL; `ipp` is the Internet Printing Protocol, as office printers and CUPS speak it."""
    connection: NotRequired[Literal["direct", "agent"] | None]
    address: str
    """Where it is: for `raw` a host and a port (9100 if you leave the port out), for `ipp` a URL that begins with `ipp://`, `ipps://`, `http://` or `https://`."""
    formats: list[Literal["pdf", "zpl", "png", "pwg"]]
    """The formats that it takes. A document in another format is converted to the first one of these that it can be made into: a label that Dockside drew, or a carrier's PNG; papers of Dockside become `pwg`. Other files are refused when the job is made."""
    dpi: NotRequired[int | None]
    """Dots per inch. Labels that Dockside drew, and PNGs of carriers, are made anew for a printer of another resolution than 203, up to 1200. PWG raster always has this resolution, so it must be one of the printer's own. ZPL of a carrier is printed at 203 only. 203 if you leave it out."""
    media: NotRequired[str | None]
    """The paper that is in it, as IPP names it. Sent with each job to a printer of the kind `ipp`; to others it is a remark. Null: the printer's own choice."""
    location_id: NotRequired[str | None]
    """The location where it stands: it is the default for what leaves from there. Null: for every location that has no default of its own. A location that is named here can't be deleted."""
    is_default_for: NotRequired[list[Literal["label", "packing_slip", "pick_list", "manifest"]] | None]
    """For which documents it is the default at its location, or everywhere if it has none. There is one default for each kind of document and location."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class PrinterPatch(TypedDict):
    """A printer that documents are sent to, by the server or by a print agent."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str]
    """What your packers call it. Need not be unique."""
    kind: NotRequired[Literal["raw", "ipp"]]
    """The protocol: `raw` sends the bytes of a file on a socket, as label printers take ZPL; `ipp` is the Internet Printing Protocol, as office printers and CUPS speak it."""
    connection: NotRequired[Literal["direct", "agent"] | None]
    address: NotRequired[str]
    """Where it is: for `raw` a host and a port (9100 if you leave the port out), for `ipp` a URL that begins with `ipp://`, `ipps://`, `http://` or `https://`."""
    formats: NotRequired[list[Literal["pdf", "zpl", "png", "pwg"]]]
    """The formats that it takes. A document in another format is converted to the first one of these that it can be made into: a label that Dockside drew, or a carrier's PNG; papers of Dockside become `pwg`. Other files are refused when the job is made."""
    dpi: NotRequired[int | None]
    """Dots per inch. Labels that Dockside drew, and PNGs of carriers, are made anew for a printer of another resolution than 203, up to 1200. PWG raster always has this resolution, so it must be one of the printer's own. ZPL of a carrier is printed at 203 only. 203 if you leave it out."""
    media: NotRequired[str | None]
    """The paper that is in it, as IPP names it. Sent with each job to a printer of the kind `ipp`; to others it is a remark. Null: the printer's own choice."""
    location_id: NotRequired[str | None]
    """The location where it stands: it is the default for what leaves from there. Null: for every location that has no default of its own. A location that is named here can't be deleted."""
    is_default_for: NotRequired[list[Literal["label", "packing_slip", "pick_list", "manifest"]] | None]
    """For which documents it is the default at its location, or everywhere if it has none. There is one default for each kind of document and location."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class Problem(TypedDict):
    """Why a request was refused (RFC 9457)."""
    type: str
    """The address on this server that explains the `code`, and what to do about it."""
    title: str
    """What went wrong, the same for every problem with this `code`."""
    status: int
    """The HTTP status of the answer once more, for programs that keep bodies only."""
    detail: str
    """What went wrong with this very request, or what to do next."""
    code: ProblemCode
    """Stable: programs may match it."""
    request_id: str
    """Finds the request in the operator's log: the `X-Request-Id` that you sent, or a new one."""
    errors: list[ProblemErrors]
    """Every field at fault, all at once, up to 100. If there are more, one last entry with the code `more_errors` says how many in `omitted_count`. Empty where the request as a whole is refused."""


class ProblemErrors(TypedDict):
    """One thing that is wrong with the request."""
    type: str
    """`validation_error`, or `state_error` where the request was sound and the state of things forbids it."""
    code: str
    """The cause in a word for programs, such as `required` or `out_of_range`. Stable."""
    source: str
    """Always `request`: it is the caller's to repair."""
    message: str
    """A sentence for people that says what would be right."""
    field: str
    """Where: a JSON pointer into the body (`/items/0/quantity`), or the name of a parameter or header."""


class ProposedPackage(TypedDict):
    """One package with its contents, and where each unit lies in it."""
    package: SendablePackage
    units: list[PackedUnit]
    """Every piece in the package, from the bottom to the top, those without dimensions last."""
    fill_ratio: float
    """The part of the inner volume that units with known dimensions take, from 0 to 1."""
    reasons: list[str]
    """Why this box or envelope was chosen and no other, in sentences for a person."""


class PurchaseAttempt(TypedDict):
    """What is bought for a shipment, and how far that has come. A shipment has one."""
    id: str
    """Made with the first attempt to buy a shipment, and kept for all later ones of that shipment."""
    shipment_id: str
    """The shipment that is bought. It has one attempt, however often it is tried."""
    carrier_account: NotRequired[CarrierAccountReference | None]
    """The account that pays. Null if it no longer exists."""
    carrier_service: str
    """What is bought there: the handle of a service, such as `standard`."""
    reference: str
    """What the carrier was told to call it: search for it in the carrier's own pages. It never changes."""
    state: Literal["ready", "calling", "checking", "needs_review", "bought", "failed", "voiding", "voided"]
    """How far it has come."""
    amount: NotRequired[int | None]
    """What the carrier charged, in the smallest unit of the currency. Null until it is known."""
    currency_code: NotRequired[CurrencyCode | None]
    """The currency of `amount` (ISO 4217)."""
    tracking_numbers: list[str]
    """The carrier's numbers for following the parcels, one for each package in their order."""
    error: NotRequired[ShipmentError | None]
    """Why it was not bought, or why it needs review. Null while nothing went wrong."""
    note: NotRequired[str | None]
    """What the person wrote who resolved it. Null if no person did, or without a word."""
    next_attempt_at: NotRequired[str | None]
    """When the carrier is asked next, for the purchase, its label or its tracking. Null if nothing is planned."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class PurchaseInput(TypedDict):
    """A rate of this shipment, or a service of an account."""
    rate: NotRequired[str | None]
    """Buys at this rate. It must be one of the shipment's `rates`, and not expired."""
    carrier_account: NotRequired[str | None]
    """The account that pays, by id or handle. Goes with `carrier_service`, instead of a `rate`."""
    carrier_service: NotRequired[str | None]
    """The service to buy, by id or handle. Goes with `carrier_account`, instead of a `rate`."""


class Rate(TypedDict):
    """What a carrier would take the shipment for."""
    id: str
    """Made each time the shipment is rated: rating again, or changing the shipment, makes earlier ones invalid."""
    carrier: CarrierReference
    """The carrier that would take the parcel for this price."""
    carrier_service: CarrierServiceReference
    """The service that is offered, which says how fast it is."""
    carrier_account: NotRequired[CarrierAccountReference | None]
    """The contract whose prices these are; buying the rate charges it."""
    rate: int
    """What the carrier asks for the whole shipment, in the smallest unit of the currency: `1299` with `GBP` is £12.99. The carrier may charge another sum in the end."""
    currency_code: CurrencyCode
    """ISO 4217: what `rate` counts, such as pence for `GBP`."""
    delivery_days: NotRequired[int | None]
    """Days from the day of shipping to delivery, as the carrier estimates it. Null if it does not say."""
    ship_date: NotRequired[str | None]
    """The day of handing over that the rate is for: `options.shipping.date`, else now."""
    delivery_date: NotRequired[str | None]
    """When it should arrive: `ship_date` and `delivery_days`. An estimate."""
    guaranteed_delivery_date: NotRequired[str | None]
    """When the carrier promises that it arrives, with its own compensation. Null if it promises nothing."""
    expires_at: str
    """A day after rating. Afterwards the rate can't be bought: rate again."""


class Reservation(TypedDict):
    """A committed order's claim on stock."""
    order: OrderReference
    """The order, by its id. Cancelling or deleting it gives the reserved pieces free."""
    items: list[ReservationItem]
    """What the order reserves, and how much of that is assigned to locations."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class ReservationItem(TypedDict):
    """What an order wants of an item, and how much of that is allocated."""
    id: str
    """Made when the item is created. Orders, levels and allocations name the item by it, not by its SKU."""
    quantity: int
    """Pieces that the order wants, and that are therefore reserved."""
    allocated_quantity: int
    """Pieces that are allocated to locations, open and completed. Never exceeds `quantity`."""


class ResolutionInput(TypedDict):
    """What a person found out about a purchase that needs review."""
    outcome: Literal["bought", "not_bought"]
    """What you found in the carrier's own pages, under the purchase's `reference`."""
    tracking_numbers: NotRequired[list[str] | None]
    """The carrier's numbers, one for each package in their order. Required with the outcome `bought`."""
    carrier_purchase: NotRequired[str | None]
    """The carrier's own number of the purchase, needed to void it or to ask where it is."""
    amount: NotRequired[int | None]
    """What the carrier charged, in the smallest unit of the currency, if you know."""
    currency_code: NotRequired[CurrencyCode | None]
    """The currency of `amount` (ISO 4217)."""
    note: NotRequired[str | None]
    """How you know, in up to 2,000 characters without line breaks. It is kept with the purchase, and in the event `purchase_attempt.resolved`."""


class Role(TypedDict):
    """A set of scopes that users have by their `roles`."""
    id: str
    """Names a set of scopes, in `roles` of a user and in paths. The built-in ones have the same ids in every organisation."""
    name: str
    """What people call the role, such as the job that it is for. Two roles can't have the same name."""
    is_built_in: bool
    """True for `admin`, `manager`, `packer` and `viewer`, which every organisation has and none can change."""
    scopes: list[str]
    """What the role allows. `events:read` is part of every role. You can give only scopes that you have yourself."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class RoleInput(TypedDict):
    """A set of scopes that users have by their `roles`."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: str
    """What people call the role, such as the job that it is for. Two roles can't have the same name."""
    is_built_in: NotRequired[object]
    """Made by the server; ignored in requests."""
    scopes: list[str]
    """What the role allows. `events:read` is part of every role. You can give only scopes that you have yourself."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class RolePatch(TypedDict):
    """A set of scopes that users have by their `roles`."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str]
    """What people call the role, such as the job that it is for. Two roles can't have the same name."""
    is_built_in: NotRequired[object]
    """Made by the server; ignored in requests."""
    scopes: NotRequired[list[str]]
    """What the role allows. `events:read` is part of every role. You can give only scopes that you have yourself."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class RuleCandidate(TypedDict):
    """A carrier account, or one of its services."""
    carrier_account: str
    """The account that is asked for rates, by its id or its handle; kept as the id. It must be enabled when the rule is written."""
    carrier_service: NotRequired[str | None]
    """Only this service of the account, by its id or its handle; kept as the handle. Without it, all of the account's services."""


class RuleCandidateInput(TypedDict):
    """A carrier account, or one of its services."""
    carrier_account: str
    """The account that is asked for rates, by its id or its handle; kept as the id. It must be enabled when the rule is written."""
    carrier_service: NotRequired[str | None]
    """Only this service of the account, by its id or its handle; kept as the handle. Without it, all of the account's services."""


class RuleChoice(TypedDict):
    """Chooses a service by the rates that carriers offer for the shipment."""
    by: Literal["cheapest", "fastest", "cheapest_within_days"]
    """`cheapest`: the lowest rate. `fastest`: the fewest days until delivery, then the lowest rate. `cheapest_within_days`: the lowest rate that arrives within `days`."""
    days: NotRequired[int | None]
    """The most days from shipping to delivery. Required with `cheapest_within_days`, and refused otherwise."""
    among: NotRequired[list[RuleCandidate] | None]
    """The accounts and services to choose from. Without it, all accounts that are enabled."""


class RuleChoiceInput(TypedDict):
    """Chooses a service by the rates that carriers offer for the shipment."""
    by: Literal["cheapest", "fastest", "cheapest_within_days"]
    """`cheapest`: the lowest rate. `fastest`: the fewest days until delivery, then the lowest rate. `cheapest_within_days`: the lowest rate that arrives within `days`."""
    days: NotRequired[int | None]
    """The most days from shipping to delivery. Required with `cheapest_within_days`, and refused otherwise."""
    among: NotRequired[list[RuleCandidateInput] | None]
    """The accounts and services to choose from. Without it, all accounts that are enabled."""


class RuleHold(TypedDict):
    """The decision that the order waits. The server does not hold it by itself: send the reason to `POST /orders/{order_id}/hold`. Other rules still set their fields."""
    reason: str
    """Why the order must be checked before it is shipped. Part of the decision."""


class RuleHoldInput(TypedDict):
    """The decision that the order waits. The server does not hold it by itself: send the reason to `POST /orders/{order_id}/hold`. Other rules still set their fields."""
    reason: str
    """Why the order must be checked before it is shipped. Part of the decision."""


class RuleOptions(TypedDict):
    """Options of the shipment, each of which the first matching rule that has it sets."""
    signature_type: NotRequired[Literal["standard", "adult", "direct", "indirect", "certified", "carrier_confirmation", "none"] | None]
    """Sets `options.shipping.signature_type`: who must sign at the door, such as an `adult`; `none` asks for no signature."""
    saturday_delivery: NotRequired[bool | None]
    """Sets `options.shipping.saturday_delivery`: `true` asks for delivery on a Saturday, which costs extra."""
    label_format: NotRequired[Literal["png", "zpl", "pdf"] | None]
    """Sets `options.label.format`: `png`, `pdf`, or `zpl` for label printers."""
    insure_from: NotRequired[InsureFrom | None]
    incoterm: NotRequired[CustomsIncoterm | None]
    """Sets `customs.incoterm`: who pays carriage, duty and tax. `DDP`: the sender; `DAP`: the recipient pays on arrival."""
    contents_type: NotRequired[Literal["documents", "gift", "merchandise", "returned_goods", "sample", "dangerous_goods", "humanitarian_donation", "other"] | None]
    """Sets `customs.contents_type`: what is declared on customs papers, such as `merchandise`."""


class RuleOptionsInput(TypedDict):
    """Options of the shipment, each of which the first matching rule that has it sets."""
    signature_type: NotRequired[Literal["standard", "adult", "direct", "indirect", "certified", "carrier_confirmation", "none"] | None]
    """Sets `options.shipping.signature_type`: who must sign at the door, such as an `adult`; `none` asks for no signature."""
    saturday_delivery: NotRequired[bool | None]
    """Sets `options.shipping.saturday_delivery`: `true` asks for delivery on a Saturday, which costs extra."""
    label_format: NotRequired[Literal["png", "zpl", "pdf"] | None]
    """Sets `options.label.format`: `png`, `pdf`, or `zpl` for label printers."""
    insure_from: NotRequired[InsureFromInput | None]
    incoterm: NotRequired[CustomsIncoterm | None]
    """Sets `customs.incoterm`: who pays carriage, duty and tax. `DDP`: the sender; `DAP`: the recipient pays on arrival."""
    contents_type: NotRequired[Literal["documents", "gift", "merchandise", "returned_goods", "sample", "dangerous_goods", "humanitarian_donation", "other"] | None]
    """Sets `customs.contents_type`: what is declared on customs papers, such as `merchandise`."""


class RuleService(TypedDict):
    """A service of a carrier account, as in a purchase."""
    carrier_account: str
    """The account that pays, by its id or its handle; kept as the id. It must be enabled when the rule is written. While a rule names it, it can't be deleted."""
    carrier_service: str
    """The service to buy there, by its id or its handle; kept as the handle."""


class RuleServiceInput(TypedDict):
    """A service of a carrier account, as in a purchase."""
    carrier_account: str
    """The account that pays, by its id or its handle; kept as the id. It must be enabled when the rule is written. While a rule names it, it can't be deleted."""
    carrier_service: str
    """The service to buy there, by its id or its handle; kept as the handle."""


class SampleData(TypedDict):
    """How much of the sample shop is there."""
    status: Literal["running", "completed"]
    """`completed` if the shop is there, `running` if some of it is still to be made: repeat the request to go on."""
    resources: list[SampleDataCount]
    """How much of each kind is there, in the order in which they are made."""
    refused: list[SampleDataRefusal]
    """What was refused, and why. Empty in an organisation with room for the shop."""
    started_at: str
    """When the shop was begun. The times of its orders lie around this moment."""
    completed_at: NotRequired[str | None]
    """When the last of it was made. Null until then."""


class SampleDataCount(TypedDict):
    """How much of one kind of resource is there."""
    name: SampleDataCountName
    """What is counted. `order_plans` are orders whose items are allocated by a plan."""
    total_count: int
    """How many of this kind a complete shop has, such as 120 orders."""
    present_count: int
    """How many of them are there, whichever request made them. What was deleted since is counted too, and not made again."""
    created_count: int
    """How many of this kind were made by this request. A repeated one makes only what earlier ones left open."""


class SampleDataRefusal(TypedDict):
    """A part of the shop that was refused, as a request of yours would have been. It is not tried again."""
    name: str
    """Which part is meant: the kind of thing, and its own word behind the slash."""
    code: str
    """Why it was refused: the `code` that a problem document of a request would have."""


class Scan(TypedDict):
    """A code that was scanned for a shipment, by whom and when, and what it meant."""
    id: str
    """Made with the scan; scans are listed by it, newest first. Paths name a scan by your own `scan_id`."""
    scan_id: str
    """Made by you, such as a UUID, and unique in the shipment: letters, digits, `-` and `_`. A request that is repeated with it counts once."""
    shipment_id: str
    """Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages."""
    code: str
    """What the scanner read: a barcode or the SKU of an item, or a `bin`. Barcodes come before SKUs, and SKUs before bins. A valid GTIN matches with and without zeros in front."""
    package: NotRequired[int | None]
    """The box that the request named. Null if it named none; `parts` says where the units count."""
    quantity: int
    """Units that the request scanned."""
    then: list[Literal["purchase", "print"]]
    """What follows when this scan makes the shipment complete; nothing otherwise. `purchase` needs `shipments:purchase`, `print` needs `print_jobs:write`; a token without it is refused before the scan counts."""
    result: Literal["packed", "not_in_shipment", "already_packed", "wrong_package", "bin_confirmed", "wrong_bin", "unknown_code", "ambiguous_code"]
    """What the code meant."""
    item_id: NotRequired[str | None]
    """The item that has the code, whether it is in the shipment or not. Null if none or several have it."""
    purchase: NotRequired[ScanPurchase | None]
    """What became of the purchase. Null if the scan did not complete the shipment, or asked for none."""
    print: NotRequired[ScanPrint | None]
    """What became of the labels. Null if the scan did not complete the shipment, or asked for none."""
    user_id: str
    """The user whose access token scanned it."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    parts: list[ScanPart]
    """The packages in which the units count. Empty unless the `result` is `packed`. A package that a short pick removes no longer counts, so later ones move up."""


class ScanAnswer(TypedDict):
    """A scan, and how far its shipment is packed now."""
    id: str
    """Made with the scan; scans are listed by it, newest first. Paths name a scan by your own `scan_id`."""
    scan_id: str
    """Made by you, such as a UUID, and unique in the shipment: letters, digits, `-` and `_`. A request that is repeated with it counts once."""
    shipment_id: str
    """Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages."""
    code: str
    """What the scanner read: a barcode or the SKU of an item, or a `bin`. Barcodes come before SKUs, and SKUs before bins. A valid GTIN matches with and without zeros in front."""
    package: NotRequired[int | None]
    """The box that the request named. Null if it named none; `parts` says where the units count."""
    quantity: int
    """Units that the request scanned."""
    then: list[Literal["purchase", "print"]]
    """What follows when this scan makes the shipment complete; nothing otherwise. `purchase` needs `shipments:purchase`, `print` needs `print_jobs:write`; a token without it is refused before the scan counts."""
    result: Literal["packed", "not_in_shipment", "already_packed", "wrong_package", "bin_confirmed", "wrong_bin", "unknown_code", "ambiguous_code"]
    """What the code meant."""
    item_id: NotRequired[str | None]
    """The item that has the code, whether it is in the shipment or not. Null if none or several have it."""
    purchase: NotRequired[ScanPurchase | None]
    """What became of the purchase. Null if the scan did not complete the shipment, or asked for none."""
    print: NotRequired[ScanPrint | None]
    """What became of the labels. Null if the scan did not complete the shipment, or asked for none."""
    user_id: str
    """The user whose access token scanned it."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    parts: list[ScanPart]
    """The packages in which the units count. Empty unless the `result` is `packed`. A package that a short pick removes no longer counts, so later ones move up."""
    shipment_status: Literal["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"]
    """How far the shipment is now, such as `draft` or `purchased`."""
    packed_at: NotRequired[str | None]
    """When the last unit was scanned. Null while units are missing."""
    is_complete: bool
    """Whether no unit of the shipment is missing any more."""
    packed_quantity: int
    """Units of all packages that scans have counted."""
    missing_quantity: int
    """Units of all packages that are still to be scanned."""
    packages: list[PackageProgress]
    """What is packed and what is missing, box by box. Boxes without `items` are left out."""


class ScanInput(TypedDict):
    """A code that a packer scanned."""
    scan_id: str
    """Made by you, such as a UUID, and unique in the shipment: letters, digits, `-` and `_`. A request that is repeated with it counts once."""
    code: str
    """What the scanner read: a barcode or the SKU of an item, or a `bin`. Barcodes come before SKUs, and SKUs before bins. A valid GTIN matches with and without zeros in front."""
    package: NotRequired[int | None]
    """The box into which the item goes, by its number from 1 on. Without it: the first that misses the units."""
    quantity: NotRequired[int | None]
    """Units that this scan counts. All or none: if fewer are missing, the result is `already_packed`. 1 if you leave it out."""
    then: NotRequired[list[Literal["purchase", "print"]] | None]
    """What follows when this scan makes the shipment complete; nothing otherwise. `purchase` needs `shipments:purchase`, `print` needs `print_jobs:write`; a token without it is refused before the scan counts."""


class ScanPart(TypedDict):
    """Where units of a scan are counted."""
    package: int
    """The place of the box in the shipment's `packages`, counted from 1."""
    quantity: int
    """Units of the scan that count in this package."""


class ScanPrint(TypedDict):
    """What became of the labels that the scan asked to print."""
    status: Literal["waiting", "queued", "failed"]
    """`waiting` while the purchase is under way or the carrier still owes the label: the server prints it by itself when it arrives, also after a restart. `queued`: a print job has it. `failed`: `problem` says why, and `POST /print_jobs` prints it."""
    print_job_id: NotRequired[str | None]
    """The print job that has the labels; follow it by its events. Null before there is one."""
    problem: NotRequired[ScanStepProblem | None]


class ScanPurchase(TypedDict):
    """What became of the purchase that the scan asked for."""
    status: Literal["pending", "purchasing", "purchased", "failed"]
    """`pending` only if the server stopped right after it had counted the scan: repeat the request. `purchasing` while the carrier has not answered. `failed`: `problem` says why, and `POST /shipments/{shipment_id}/purchase` tries again."""
    problem: NotRequired[ScanStepProblem | None]


class ScanStepProblem(TypedDict):
    """Why the step failed. The scan counts all the same."""
    code: str
    """The stable word to match on: that of a problem, or of an error of the shipment."""
    message: str
    """What went wrong, in a sentence for the person at the packing table."""


class SearchResult(TypedDict):
    """Something that a search found, and why."""
    type: Literal["order", "inventory_item", "shipment", "batch", "location"]
    """Which kind of resource was found. Read it by its id, such as at `/orders/{id}` for an `order`."""
    id: str
    """Identifies what was found, within its type."""
    title: str
    """What people call it: the number of an order, the name of an item. The id, if it has neither a name nor a number."""
    subtitle: NotRequired[str | None]
    """What tells it from others of the same title: the customer of an order, the SKU of an item, the recipient of a shipment, the city of a location. Null if it has none."""
    matched_field: str
    """Which field of the resource matched first, as a JSON pointer into it."""
    match: Literal["exact", "prefix", "word"]
    """How it matched: `exact` if the field is what you typed, `prefix` if it begins with it, `word` if every word that you typed begins a word of the resource."""


class SendablePackage(TypedDict):
    """What to send: put it into the `packages` of a new shipment as it is."""
    name: NotRequired[str | None]
    """What your packers call this box or envelope."""
    geometry: Geometry
    """The outer dimensions of the package type, and the mass of the contents and the empty package."""
    items: list[PackageItem]
    """What is inside, summed by inventory item."""
    package_type_id: str
    """Which box or envelope to take from the shelf."""


class Session(TypedDict):
    """A person's sign-in, in one browser."""
    id: str
    """Names a sign-in without giving access: the secret is in the cookie alone. `DELETE /sessions/{session_id}` takes it."""
    user_id: str
    """Made when the user is invited, or when a token is first created for them on the server. All tokens and sessions of one user share it."""
    began_with: Literal["password", "link", "openid_connect", "passkey"]
    """How the person proved who they are: with the `password`, with a one-time `link`, at an identity provider (`openid_connect`), or with a `passkey`."""
    user_agent: NotRequired[str | None]
    """How the browser described itself when the person signed in. A hint for people; browsers may lie."""
    is_current: bool
    """Whether this very request was made in it."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    seen_at: str
    """When a request was last made in it, to within five minutes."""
    idle_expires_at: str
    """When it ends unless a request is made before: twelve hours after the last one."""
    expires_at: str
    """When it ends in any case: thirty days after the sign-in."""


class SessionChallenge(TypedDict):
    """What a page needs for `navigator.credentials.get`. It names no key, so it tells nothing of who has one."""
    challenge: str
    """What the authenticator must sign, in base64url. It can be answered once, within five minutes, and only by whom it was given to."""
    relying_party_id: str
    """The host of the setting `public_url`: `rp.id` or `rpId` of WebAuthn. A passkey works for this host alone."""
    expires_at: str
    """From when on the challenge can't be answered any more."""


class SessionInput(TypedDict):
    """An address and a password, the token of a one-time link, or the answer of a passkey."""
    email_address: NotRequired[str | None]
    """Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same."""
    password: NotRequired[str | None]
    """What the user has set with `PUT /me/password`. Send it over TLS only."""
    organisation_id: NotRequired[str | None]
    """Which organisation to sign in to, for a person who has the same address in several. Without it, the first whose password matches."""
    link_token: NotRequired[str | None]
    """What stands behind the `#` of a one-time sign-in link. Send it instead of address and password."""
    passkey: NotRequired[PasskeyProofInput | None]
    """The answer of a passkey to the challenge of `POST /sessions/challenge`. Send it instead of address and password."""


class Shipment(TypedDict):
    """Something that is sent: from where to where, in which packages, by whom and for how much."""
    id: str
    """Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages."""
    name: NotRequired[str | None]
    """A name or reference of your own, such as the order's number. Need not be unique."""
    addresses: ShipmentAddresses
    tax_identifiers: NotRequired[list[TaxIdentifier] | None]
    """Tax registrations of sender, recipient or importer, for customs papers and carriers."""
    packages: list[Package]
    """The parcels that travel together under one purchase. Each gets a label and a tracking number."""
    customs: NotRequired[Customs | None]
    options: NotRequired[ShipmentOptions | None]
    carrier: NotRequired[CarrierChoice | None]
    documents: list[Document]
    """Labels and customs papers, once it is bought. Each link lives an hour; read again for new ones."""
    rates: list[Rate]
    """What carriers asked for it when it was last rated, cheapest first. Emptied when the shipment changes."""
    service: NotRequired[ChosenService | None]
    cost: NotRequired[ShipmentCost | None]
    status: Literal["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"]
    """`draft` when made, `rated` with rates, `purchasing` while the carrier is asked, then `purchased` or `purchase_failed`, which can be repaired and bought again. `voided`: the carrier took the label back and refunds it."""
    tracking_status: PartialShipmentTrackingStatus
    """What the carrier last reported: `pre_transit` once it is bought, then on to `delivered`, `return_to_sender`, `failure` or `cancelled`, which are final. `unknown` before it is bought."""
    tracking_number: NotRequired[str | None]
    """The carrier's number of the first package, once it is bought; each package has its own. Null before."""
    label_pending: bool
    """Whether it is purchased and the carrier delivers its label later. `shipment.updated` is sent when the label arrives."""
    errors: list[ShipmentError]
    """Why rating, buying, labelling or voiding failed; the newest last. Empty while all is well."""
    order_id: NotRequired[str | None]
    """The `ord_…` that it was made from. Null if it was made by itself, or its order's allocations were deleted after it was bought."""
    complete_allocations_on: NotRequired[Literal["purchase", "hand_over"] | None]
    """What completes the allocations in it and takes their stock: `purchase` or `hand_over`. Copied from the location configuration; null if it was not made from an order."""
    handed_over_at: NotRequired[str | None]
    """When the carrier got the parcels, as the first of these says: a manifest, tracking, or `POST /shipments/{shipment_id}/hand_over`. Null before, and for manifests of parcels that were not made from orders."""
    rule_id: NotRequired[str | None]
    """The `rule_…` that chose its service when it was made from an order. Null if no rule did."""
    packed_at: NotRequired[str | None]
    """When `POST /shipments/{shipment_id}/scans` had counted the last unit of its packages. Null while units are missing, and if nothing is scanned."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


# Where it goes, where it comes from, and where it goes back to. Copies: nothing changes them later.
ShipmentAddresses = TypedDict(
    "ShipmentAddresses",
    {
        'destination': 'AddressRecord',
        'origin': 'NotRequired[AddressRecord | None]',
        'return': 'NotRequired[AddressRecord | None]',
        'location_configuration_id': 'NotRequired[str | None]',
    },
)


# Where it goes, where it comes from, and where it goes back to. Copies: nothing changes them later.
ShipmentAddressesInput = TypedDict(
    "ShipmentAddressesInput",
    {
        'destination': 'AddressRecordInput',
        'origin': 'NotRequired[AddressRecordInput | None]',
        'return': 'NotRequired[AddressRecordInput | None]',
        'location_configuration_id': 'NotRequired[str | None]',
    },
)


# Where it goes, where it comes from, and where it goes back to. Copies: nothing changes them later.
ShipmentAddressesPatch = TypedDict(
    "ShipmentAddressesPatch",
    {
        'destination': 'NotRequired[AddressRecordPatch]',
        'origin': 'NotRequired[AddressRecordInput | None]',
        'return': 'NotRequired[AddressRecordInput | None]',
        'location_configuration_id': 'NotRequired[str | None]',
    },
)


class ShipmentById(TypedDict):
    """The resource by its `id`. Its other fields, as they were read, are taken too and ignored."""
    id: str
    """Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages."""
    name: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    status: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    errors: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    addresses: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    tax_identifiers: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    packages: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    customs: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    options: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    carrier: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    documents: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    rates: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    service: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    cost: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    tracking_status: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    tracking_number: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    label_pending: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    order_id: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    complete_allocations_on: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    handed_over_at: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    rule_id: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    packed_at: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    created_at: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""
    updated_at: NotRequired[object]
    """May be sent back as it was read. The server ignores it here: only the `id` counts."""


class ShipmentCost(TypedDict):
    """What the carrier charged for it. If the carrier states no amount, the price of the rate that was bought. Null before it is purchased."""
    amount: int
    """A whole number of the currency's smallest unit: `1299` with `GBP` is £12.99, with `JPY` ¥1299. A fraction is refused."""
    currency_code: CurrencyCode
    """ISO 4217, in capitals. It says what the smallest unit of an amount is: pence, cents, yen."""


class ShipmentError(TypedDict):
    """Something that went wrong with a shipment."""
    type: Literal["validation_error", "rate_error", "purchase_error", "label_error", "manifest_error", "void_error"]
    """What was being done: rating, buying, labelling, voiding or closing out."""
    code: BatchErrorCode
    """The cause, for programs. Stable: match on it, not on `message`."""
    source: Literal["request", "service", "carrier", "provider"]
    """Who refused: the `carrier` in its own words, the `provider` between (it did not answer), or the `service`: Dockside itself."""
    message: str
    """A sentence for people, often the carrier's own. Its wording may change at any time."""
    package: NotRequired[int | None]
    """The number of the package that it is about, from 1 on. Absent where it is about the whole shipment."""


class ShipmentInput(TypedDict):
    """Something that is sent: from where to where, in which packages, by whom and for how much."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str | None]
    """A name or reference of your own, such as the order's number. Need not be unique."""
    addresses: ShipmentAddressesInput
    tax_identifiers: NotRequired[list[TaxIdentifierInput] | None]
    """Tax registrations of sender, recipient or importer, for customs papers and carriers."""
    packages: list[PackageInput]
    """The parcels that travel together under one purchase. Each gets a label and a tracking number."""
    customs: NotRequired[CustomsInput | None]
    options: NotRequired[ShipmentOptionsInput | None]
    carrier: NotRequired[CarrierChoiceInput | None]
    documents: NotRequired[object]
    """Made by the server; ignored in requests."""
    rates: NotRequired[object]
    """Made by the server; ignored in requests."""
    service: NotRequired[object]
    """Made by the server; ignored in requests."""
    cost: NotRequired[object]
    """Made by the server; ignored in requests."""
    status: NotRequired[object]
    """Made by the server; ignored in requests."""
    tracking_status: NotRequired[object]
    """Made by the server; ignored in requests."""
    tracking_number: NotRequired[object]
    """Made by the server; ignored in requests."""
    label_pending: NotRequired[object]
    """Made by the server; ignored in requests."""
    errors: NotRequired[object]
    """Made by the server; ignored in requests."""
    order_id: NotRequired[object]
    """Made by the server; ignored in requests."""
    complete_allocations_on: NotRequired[object]
    """Made by the server; ignored in requests."""
    handed_over_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    rule_id: NotRequired[object]
    """Made by the server; ignored in requests."""
    packed_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class ShipmentOptions(TypedDict):
    """How the shipment is to be carried, labelled and insured."""
    shipping: NotRequired[ShippingOptions | None]
    label: NotRequired[LabelOptions | None]
    insurance: NotRequired[Insurance | None]


class ShipmentOptionsInput(TypedDict):
    """How the shipment is to be carried, labelled and insured."""
    shipping: NotRequired[ShippingOptionsInput | None]
    label: NotRequired[LabelOptionsInput | None]
    insurance: NotRequired[InsuranceInput | None]


class ShipmentPaperInput(TypedDict):
    """How the paper is wanted. An empty body takes the usual paper of the country that it leaves from."""
    format: NotRequired[Literal["a4", "letter", "4x6"] | None]


class ShipmentPatch(TypedDict):
    """Something that is sent: from where to where, in which packages, by whom and for how much."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str | None]
    """A name or reference of your own, such as the order's number. Need not be unique."""
    addresses: NotRequired[ShipmentAddressesPatch]
    tax_identifiers: NotRequired[list[TaxIdentifierInput] | None]
    """Tax registrations of sender, recipient or importer, for customs papers and carriers."""
    packages: NotRequired[list[PackageInput]]
    """The parcels that travel together under one purchase. Each gets a label and a tracking number."""
    customs: NotRequired[CustomsInput | None]
    options: NotRequired[ShipmentOptionsInput | None]
    carrier: NotRequired[CarrierChoiceInput | None]
    documents: NotRequired[object]
    """Made by the server; ignored in requests."""
    rates: NotRequired[object]
    """Made by the server; ignored in requests."""
    service: NotRequired[object]
    """Made by the server; ignored in requests."""
    cost: NotRequired[object]
    """Made by the server; ignored in requests."""
    status: NotRequired[object]
    """Made by the server; ignored in requests."""
    tracking_status: NotRequired[object]
    """Made by the server; ignored in requests."""
    tracking_number: NotRequired[object]
    """Made by the server; ignored in requests."""
    label_pending: NotRequired[object]
    """Made by the server; ignored in requests."""
    errors: NotRequired[object]
    """Made by the server; ignored in requests."""
    order_id: NotRequired[object]
    """Made by the server; ignored in requests."""
    complete_allocations_on: NotRequired[object]
    """Made by the server; ignored in requests."""
    handed_over_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    rule_id: NotRequired[object]
    """Made by the server; ignored in requests."""
    packed_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class ShipmentPostalAddress(TypedDict):
    """The postal part of an address. In the test world its post code may be a word of the sandbox carrier."""
    line_1: str
    """House number and street, or what the country's post uses instead. Printed as the first line below the names."""
    line_2: NotRequired[str | None]
    """Flat, building or floor. Printed on a line of its own; left out where it is empty."""
    line_3: NotRequired[str | None]
    """For addresses that need one more line. Some carriers have two: there it joins the second."""
    city: str
    """Town or city, as the post of the country writes it. Printed where the country's addresses have it."""
    province: NotRequired[str | None]
    """The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it."""
    post_code: NotRequired[str | None]
    """Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it."""
    country_code: CountryCode
    """ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border."""


class ShipmentPostalAddressInput(TypedDict):
    """The postal part of an address. In the test world its post code may be a word of the sandbox carrier."""
    line_1: str
    """House number and street, or what the country's post uses instead. Printed as the first line below the names."""
    line_2: NotRequired[str | None]
    """Flat, building or floor. Printed on a line of its own; left out where it is empty."""
    line_3: NotRequired[str | None]
    """For addresses that need one more line. Some carriers have two: there it joins the second."""
    city: str
    """Town or city, as the post of the country writes it. Printed where the country's addresses have it."""
    province: NotRequired[str | None]
    """The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it."""
    post_code: NotRequired[str | None]
    """Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it."""
    country_code: CountryCode
    """ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border."""


class ShipmentPostalAddressPatch(TypedDict):
    """The postal part of an address. In the test world its post code may be a word of the sandbox carrier."""
    line_1: NotRequired[str]
    """House number and street, or what the country's post uses instead. Printed as the first line below the names."""
    line_2: NotRequired[str | None]
    """Flat, building or floor. Printed on a line of its own; left out where it is empty."""
    line_3: NotRequired[str | None]
    """For addresses that need one more line. Some carriers have two: there it joins the second."""
    city: NotRequired[str]
    """Town or city, as the post of the country writes it. Printed where the country's addresses have it."""
    province: NotRequired[str | None]
    """The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it."""
    post_code: NotRequired[str | None]
    """Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it."""
    country_code: NotRequired[CountryCode]
    """ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border."""


class ShippedDimensions(TypedDict):
    """The sides of the largest package, or of the largest item of an order that is not packed: the largest of each, if several are the largest in some way."""
    length: float
    """The longest side in centimetres."""
    width: float
    """The second longest side in centimetres."""
    height: float
    """The shortest side in centimetres."""


class ShippedValue(TypedDict):
    """A value in one currency."""
    amount: int
    """A whole number of the currency's smallest unit: `1299` with `GBP` is £12.99, with `JPY` ¥1299. A fraction is refused."""
    currency_code: CurrencyCode
    """ISO 4217, in capitals. It says what the smallest unit of an amount is: pence, cents, yen."""


class ShippingDecision(TypedDict):
    """What the rules decide. Without a `service` and a `choose`, no rule says how to ship it."""
    service: NotRequired[RuleService | None]
    """The one to buy, without a comparison of rates. Null if no rule names one; then `choose` may say how it is found."""
    choose: NotRequired[RuleChoice | None]
    """How the service is to be chosen by its rate, if a rule says so. It is chosen when the shipment is rated."""
    options: DecidedOptions
    customs: DecidedCustoms
    package_type_id: NotRequired[str | None]
    """A box or an envelope of yours: only this one is used, although others may hold the units too."""
    printer_id: NotRequired[str | None]
    """Where the shipment's labels are printed if a print job names no printer: it comes before the default printers. Packing slips and customs papers keep their defaults."""
    hold: NotRequired[RuleHold | None]
    set_by: dict[str, str]
    """The rule that set each field, by the field's name: `service` (also for `choose`), `signature_type`, `saturday_delivery`, `label_format`, `insurance`, `incoterm`, `contents_type`, `package_type_id`, `printer_id`, `hold`."""


class ShippingFacts(TypedDict):
    """What is known about the shipment, and was compared with the rules' conditions."""
    origin_location_id: NotRequired[str | None]
    """The warehouse or shop that holds the allocated units. Null before anything is allocated."""
    destination_country: NotRequired[CountryCode | None]
    """Where it goes (ISO 3166-1 alpha-2)."""
    post_code: NotRequired[str | None]
    """Where it goes within the country."""
    mass: NotRequired[float | None]
    """Kilograms in total, without the packaging of units that are not packed yet."""
    dimensions: NotRequired[ShippedDimensions | None]
    order_value: NotRequired[ShippedValue | None]
    """What the whole order is worth: by the prices of its lines, else by the values of its items. Of a shipment, what its customs items declare."""
    contents_value: NotRequired[ShippedValue | None]
    """What the units are worth that are shipped from this origin. Insurance covers this."""
    skus: list[str]
    """Each product once, in alphabetical order."""
    item_tags: list[str]
    """The words that any of the products carries, each once, in alphabetical order."""
    channel: NotRequired[str | None]
    """Through which sales channel the order came."""
    requested_service: NotRequired[str | None]
    """What the customer chose, in the shop's words."""
    order_tags: list[str]
    """The words that the merchant or the shop put on the customer's purchase, as it was stored."""
    local_time: LocalTime
    unknown: dict[str, str]
    """Why a fact is not known, by its name. A condition about it does not hold."""


class ShippingOptions(TypedDict):
    """What the carrier is asked to do beyond carrying: dates, signatures, Saturday delivery."""
    access_code: NotRequired[str | None]
    """The code that opens the recipient's door or gate, for the driver."""
    commercial_address: NotRequired[bool | None]
    """`true`: the destination is a business, `false`: a home. Some carriers charge more for homes."""
    currency_code: NotRequired[CurrencyCode | None]
    """ISO 4217, in capitals: the currency of customs items that name none, and the one that carriers are asked to quote in."""
    date: NotRequired[str | None]
    """The day on which you hand the parcel over: printed on the label, told to the carrier, and the day of its manifest. Without it, the day on which it is bought (UTC)."""
    delivery_confirmation: NotRequired[bool | None]
    """`true` asks for a confirmation of delivery, such as a scan at the door."""
    dry_ice_mass: NotRequired[float | None]
    """Kilograms of dry ice in the parcel; kept as whole grams, rounded up. Carriers must declare it to airlines."""
    dropoff_type: NotRequired[Literal["regular_pickup", "scheduled_pickup", "retail_location", "station", "drop_box"] | None]
    handling_instructions: NotRequired[str | None]
    """What those who handle the parcel should know, such as `Keep upright`."""
    high_security: NotRequired[bool | None]
    """`true` asks for the carrier's secured handling of valuable goods."""
    hold_for_pickup: NotRequired[bool | None]
    """`true`: the parcel waits at the carrier's counter for the recipient instead of being delivered."""
    invalid_address_handling: NotRequired[Literal["forward_or_return", "forward_and_notify", "return", "discard_and_notify", "leave_if_no_response"] | None]
    is_return: NotRequired[bool | None]
    """`true`: the parcel travels back, from the destination to the return address."""
    leave_safe: NotRequired[bool | None]
    """`true` allows the driver to leave the parcel in a safe place if no one answers the door."""
    machinable: NotRequired[bool | None]
    """`false`: the parcel is too soft, round or fragile for sorting machines. Carriers charge more for it."""
    non_delivery: NotRequired[Literal["return", "abandon"] | None]
    restricted_substances: NotRequired[list[ShippingOptionsRestrictedSubstances] | None]
    """Restricted goods in the parcel. Carriers may refuse it, or demand a service that takes them."""
    safe_place: NotRequired[str | None]
    """Where the driver may leave the parcel, such as `Porch`."""
    saturday_delivery: NotRequired[bool | None]
    """`true` asks for delivery on a Saturday. It costs extra, and the rates include that."""
    signature_required: NotRequired[bool | None]
    """`true`: the driver asks for a signature at the door. It costs extra, and the rates include that."""
    signature_type: NotRequired[Literal["standard", "adult", "direct", "indirect", "certified", "carrier_confirmation", "none"] | None]
    tracked_service: NotRequired[bool | None]
    """`true`: the parcel must be scanned on its way, so that the recipient can follow it."""


class ShippingOptionsInput(TypedDict):
    """What the carrier is asked to do beyond carrying: dates, signatures, Saturday delivery."""
    access_code: NotRequired[str | None]
    """The code that opens the recipient's door or gate, for the driver."""
    commercial_address: NotRequired[bool | None]
    """`true`: the destination is a business, `false`: a home. Some carriers charge more for homes."""
    currency_code: NotRequired[CurrencyCode | None]
    """ISO 4217, in capitals: the currency of customs items that name none, and the one that carriers are asked to quote in."""
    date: NotRequired[str | None]
    """The day on which you hand the parcel over: printed on the label, told to the carrier, and the day of its manifest. Without it, the day on which it is bought (UTC)."""
    delivery_confirmation: NotRequired[bool | None]
    """`true` asks for a confirmation of delivery, such as a scan at the door."""
    dry_ice_mass: NotRequired[float | None]
    """Kilograms of dry ice in the parcel; kept as whole grams, rounded up. Carriers must declare it to airlines."""
    dropoff_type: NotRequired[Literal["regular_pickup", "scheduled_pickup", "retail_location", "station", "drop_box"] | None]
    handling_instructions: NotRequired[str | None]
    """What those who handle the parcel should know, such as `Keep upright`."""
    high_security: NotRequired[bool | None]
    """`true` asks for the carrier's secured handling of valuable goods."""
    hold_for_pickup: NotRequired[bool | None]
    """`true`: the parcel waits at the carrier's counter for the recipient instead of being delivered."""
    invalid_address_handling: NotRequired[Literal["forward_or_return", "forward_and_notify", "return", "discard_and_notify", "leave_if_no_response"] | None]
    is_return: NotRequired[bool | None]
    """`true`: the parcel travels back, from the destination to the return address."""
    leave_safe: NotRequired[bool | None]
    """`true` allows the driver to leave the parcel in a safe place if no one answers the door."""
    machinable: NotRequired[bool | None]
    """`false`: the parcel is too soft, round or fragile for sorting machines. Carriers charge more for it."""
    non_delivery: NotRequired[Literal["return", "abandon"] | None]
    restricted_substances: NotRequired[list[ShippingOptionsRestrictedSubstances] | None]
    """Restricted goods in the parcel. Carriers may refuse it, or demand a service that takes them."""
    safe_place: NotRequired[str | None]
    """Where the driver may leave the parcel, such as `Porch`."""
    saturday_delivery: NotRequired[bool | None]
    """`true` asks for delivery on a Saturday. It costs extra, and the rates include that."""
    signature_required: NotRequired[bool | None]
    """`true`: the driver asks for a signature at the door. It costs extra, and the rates include that."""
    signature_type: NotRequired[Literal["standard", "adult", "direct", "indirect", "certified", "carrier_confirmation", "none"] | None]
    tracked_service: NotRequired[bool | None]
    """`true`: the parcel must be scanned on its way, so that the recipient can follow it."""


class ShippingRule(TypedDict):
    """Says which service a shipment takes, and with which options, where its conditions hold."""
    id: str
    """Made when the rule is created. It stays when the rule moves to another position."""
    name: str
    """How your team tells rules apart. Explanations show it; it need not be unique."""
    position: NotRequired[int | None]
    """The place of the rule, from 1 without gaps: rules with lower positions are asked first. A rule that is given a position moves there, and those from there on move by one. Without it, a new rule comes last."""
    is_active: NotRequired[bool | None]
    """`false` keeps the rule without asking it. Defaults to `true`."""
    conditions: NotRequired[ShippingRuleConditions | None]
    action: ShippingRuleAction
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class ShippingRuleAction(TypedDict):
    """What the rule sets where it matches. Each field is set by the first matching rule that has it; `service` and `choose` count as one field."""
    service: NotRequired[RuleService | None]
    choose: NotRequired[RuleChoice | None]
    options: NotRequired[RuleOptions | None]
    package_type_id: NotRequired[str | None]
    """A box or an envelope of yours: only this one is used, although others may hold the units too."""
    printer_id: NotRequired[str | None]
    """Where the shipment's labels are printed if a print job names no printer: it comes before the default printers. Packing slips and customs papers keep their defaults."""
    hold: NotRequired[RuleHold | None]


class ShippingRuleActionInput(TypedDict):
    """What the rule sets where it matches. Each field is set by the first matching rule that has it; `service` and `choose` count as one field."""
    service: NotRequired[RuleServiceInput | None]
    choose: NotRequired[RuleChoiceInput | None]
    options: NotRequired[RuleOptionsInput | None]
    package_type_id: NotRequired[str | None]
    """A box or an envelope of yours: only this one is used, although others may hold the units too."""
    printer_id: NotRequired[str | None]
    """Where the shipment's labels are printed if a print job names no printer: it comes before the default printers. Packing slips and customs papers keep their defaults."""
    hold: NotRequired[RuleHoldInput | None]


class ShippingRuleActionPatch(TypedDict):
    """What the rule sets where it matches. Each field is set by the first matching rule that has it; `service` and `choose` count as one field."""
    service: NotRequired[RuleServiceInput | None]
    choose: NotRequired[RuleChoiceInput | None]
    options: NotRequired[RuleOptionsInput | None]
    package_type_id: NotRequired[str | None]
    """A box or an envelope of yours: only this one is used, although others may hold the units too."""
    printer_id: NotRequired[str | None]
    """Where the shipment's labels are printed if a print job names no printer: it comes before the default printers. Packing slips and customs papers keep their defaults."""
    hold: NotRequired[RuleHoldInput | None]


class ShippingRuleConditions(TypedDict):
    """What must hold so that the rule matches: all of the given conditions. Without any, the rule matches everything. A condition about something that is not known, such as the mass of an item without one, does not hold."""
    destination_countries: NotRequired[list[CountryCode] | None]
    """The destination is in one of these countries (ISO 3166-1 alpha-2)."""
    post_code_prefixes: NotRequired[list[str] | None]
    """The destination's post code begins with one of these. Codes of different countries look alike, so name the countries too."""
    mass: NotRequired[MassRange | None]
    dimensions: NotRequired[DimensionRanges | None]
    order_value: NotRequired[ValueRange | None]
    item_tags: NotRequired[list[str] | None]
    """Holds if any product in the parcel carries any of these words, such as `fragile`."""
    skus: NotRequired[list[str] | None]
    """At least one item that is shipped has one of these SKUs."""
    channels: NotRequired[list[str] | None]
    """The order came through one of these sales channels."""
    requested_services: NotRequired[list[str] | None]
    """The order's `requested_service`, in your shop's own words, is one of these."""
    order_tags: NotRequired[list[str] | None]
    """Holds if the merchant put any of these words on the customer's purchase."""
    origin_location_ids: NotRequired[list[str] | None]
    """It is shipped from one of these locations. While a rule names a location, the location can't be deleted."""
    weekdays: NotRequired[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]] | None]
    """It is one of these days of the week at the origin, in the time zone of the location, else of the organisation."""
    time_window: NotRequired[TimeWindow | None]


class ShippingRuleConditionsInput(TypedDict):
    """What must hold so that the rule matches: all of the given conditions. Without any, the rule matches everything. A condition about something that is not known, such as the mass of an item without one, does not hold."""
    destination_countries: NotRequired[list[CountryCode] | None]
    """The destination is in one of these countries (ISO 3166-1 alpha-2)."""
    post_code_prefixes: NotRequired[list[str] | None]
    """The destination's post code begins with one of these. Codes of different countries look alike, so name the countries too."""
    mass: NotRequired[MassRangeInput | None]
    dimensions: NotRequired[DimensionRangesInput | None]
    order_value: NotRequired[ValueRangeInput | None]
    item_tags: NotRequired[list[str] | None]
    """Holds if any product in the parcel carries any of these words, such as `fragile`."""
    skus: NotRequired[list[str] | None]
    """At least one item that is shipped has one of these SKUs."""
    channels: NotRequired[list[str] | None]
    """The order came through one of these sales channels."""
    requested_services: NotRequired[list[str] | None]
    """The order's `requested_service`, in your shop's own words, is one of these."""
    order_tags: NotRequired[list[str] | None]
    """Holds if the merchant put any of these words on the customer's purchase."""
    origin_location_ids: NotRequired[list[str] | None]
    """It is shipped from one of these locations. While a rule names a location, the location can't be deleted."""
    weekdays: NotRequired[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]] | None]
    """It is one of these days of the week at the origin, in the time zone of the location, else of the organisation."""
    time_window: NotRequired[TimeWindowInput | None]


class ShippingRuleEvaluation(TypedDict):
    """What the rules decide for one shipment, and why."""
    facts: ShippingFacts
    decision: ShippingDecision
    rules: list[ShippingRuleExplanation]
    """One entry for each, also for those that are not active or did not match, beginning with position 1."""


class ShippingRuleEvaluationInput(TypedDict):
    """Exactly one of `order_id`, `shipment_id` and `shipment`."""
    order_id: NotRequired[str | None]
    """Evaluates the rules for an order: once for each location with open allocations, or once without an origin. Needs the scope `orders:read` too."""
    shipment_id: NotRequired[str | None]
    """Evaluates the rules for a shipment that exists. Needs the scope `shipments:read` too."""
    shipment: NotRequired[ShipmentInput | None]
    """Evaluates the rules for a shipment as you would create it. Nothing is stored."""
    at: NotRequired[str | None]
    """The moment for which weekdays and time windows are judged, to try them out. Without it, now."""


class ShippingRuleEvaluations(TypedDict):
    """What the rules decide."""
    data: list[ShippingRuleEvaluation]
    """One entry for each location from which the order is shipped; for a shipment, one."""


class ShippingRuleExplanation(TypedDict):
    """What became of one rule."""
    rule_id: str
    """Made when the rule is created. It stays when the rule moves to another position."""
    name: str
    """How your team tells rules apart. Explanations show it; it need not be unique."""
    position: int
    """Its place in the list when this was computed: 1 was asked first. A later reordering does not change it here."""
    is_match: bool
    """Whether the rule is active and all of its conditions hold."""
    sets: list[str]
    """What this one decided, by the keys of `set_by`. Empty if it did not match, or if earlier ones had decided all of it."""
    reasons: list[ShippingRuleReason]
    """Of a rule that does not match, each condition that does not hold. Of one that matches, each field that it did not set."""


class ShippingRuleInput(TypedDict):
    """Says which service a shipment takes, and with which options, where its conditions hold."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: str
    """How your team tells rules apart. Explanations show it; it need not be unique."""
    position: NotRequired[int | None]
    """The place of the rule, from 1 without gaps: rules with lower positions are asked first. A rule that is given a position moves there, and those from there on move by one. Without it, a new rule comes last."""
    is_active: NotRequired[bool | None]
    """`false` keeps the rule without asking it. Defaults to `true`."""
    conditions: NotRequired[ShippingRuleConditionsInput | None]
    action: ShippingRuleActionInput
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class ShippingRuleOrder(TypedDict):
    """The order in which the rules are asked."""
    ids: list[str]
    """All rules of the organisation, each exactly once, in the order in which they are to be asked."""


class ShippingRuleOrderInput(TypedDict):
    """The order in which the rules are asked."""
    ids: list[str]
    """All rules of the organisation, each exactly once, in the order in which they are to be asked."""


class ShippingRulePatch(TypedDict):
    """Says which service a shipment takes, and with which options, where its conditions hold."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str]
    """How your team tells rules apart. Explanations show it; it need not be unique."""
    position: NotRequired[int | None]
    """The place of the rule, from 1 without gaps: rules with lower positions are asked first. A rule that is given a position moves there, and those from there on move by one. Without it, a new rule comes last."""
    is_active: NotRequired[bool | None]
    """`false` keeps the rule without asking it. Defaults to `true`."""
    conditions: NotRequired[ShippingRuleConditionsInput | None]
    action: NotRequired[ShippingRuleActionPatch]
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class ShippingRuleReason(TypedDict):
    """Why a part of a rule had no effect."""
    field: str
    """A JSON pointer into the rule, such as `/conditions/mass`."""
    message: str
    """Why this condition does not hold, or why this part of the action was not taken."""


class Short(TypedDict):
    """What a short pick changed: of the shipment before its purchase, of the order after it."""
    shipment_id: str
    """Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages."""
    order_id: str
    """Made when the order is created. Its reservation and its allocations are found under it."""
    item_id: str
    """The item of which units are missing, by its `inv_…`."""
    quantity: int
    """Units that were reported as missing."""
    reason: str
    """Why the units are missing, such as `not found` or `damaged`. The order's exception and the stock's history have it."""
    written_off_quantity: int
    """Units that the level of the item lost. 0 without `adjust_stock`, after the purchase, and where the location does not count the item."""
    allocation_ids: list[str]
    """The open allocations that the missing units are in now, outside of any shipment. Empty after the purchase."""
    is_shipment_deleted: bool
    """Whether the shipment is gone, because nothing was left in it. Then its id answers 404."""
    exception_id: NotRequired[str | None]
    """The exception `short` of the order, which a person resolves. Null before the purchase."""


class ShortInput(TypedDict):
    """Units of a shipment that a picker did not find."""
    item_id: str
    """What the picker could not find: the `inv_…` that a package of the shipment names."""
    quantity: int
    """Units that are missing. Not more than the shipment still misses: what was scanned was found."""
    reason: str
    """Why the units are missing, such as `not found` or `damaged`. The order's exception and the stock's history have it."""
    adjust_stock: NotRequired[bool | None]
    """`true` also writes the missing units off the level, in the same transaction, with your `reason`; the token then needs `inventory:write`. Not more than is on hand. After the purchase nothing is written off: the level no longer counts units that were bought to be sent. False if you leave it out."""


class SideRange(TypedDict):
    """Centimetres of one side. Both ends belong to the range."""
    min: NotRequired[float | None]
    """The shortest that the side may be, in centimetres. Without it, there is no lower end."""
    max: NotRequired[float | None]
    """The longest that the side may be, in centimetres. Without it, there is no upper end."""


class SideRangeInput(TypedDict):
    """Centimetres of one side. Both ends belong to the range."""
    min: NotRequired[float | None]
    """The shortest that the side may be, in centimetres. Without it, there is no lower end."""
    max: NotRequired[float | None]
    """The longest that the side may be, in centimetres. Without it, there is no upper end."""


class SignInLink(TypedDict):
    """A one-time link that signs a user in."""
    sign_in_link: NotRequired[str | None]
    """Opens the console once, within 15 minutes; an invitation that is also sent by e-mail, within 24 hours. Pass it on to the person. It is in this answer and never shown again: null if this answer repeats an earlier one."""
    expires_at: str
    """Until when it can be opened: 15 minutes after it was made. If the server sends e-mail and the user has no password yet, 24 hours."""


class SignInMethods(TypedDict):
    """The ways to sign in."""
    password: bool
    """Whether people sign in with an address and a password. Always true."""
    password_reset: bool
    """Whether a person who has forgotten the password gets a link by e-mail: `POST /password_resets`. The operator sets a mail server for that."""
    passkey: bool
    """Whether people sign in with passkeys: browsers offer them at an `https` address with a host name, and on `localhost`."""
    openid_connect: NotRequired[SignInProvider | None]


class SignInProvider(TypedDict):
    """The server at which people of this installation sign in, by the settings `oidc_…`. Null if the operator has set none."""
    label: str
    """What the button says: the setting `oidc_label`."""
    start_url: str
    """Where a browser goes to sign in, with the page of the console that the person wants in the parameter `next`."""


class StreamToken(TypedDict):
    """A token for the stream."""
    token: str
    """A JWT for the stream's client, which passes it on as it is. The connection token lives 30 minutes, the subscription token 15, unless the operator set other times."""


class SubscriptionInput(TypedDict):
    """The channel to join, where the query does not name it."""
    channel: NotRequired[str | None]
    """A channel: `<resource>:<organisation_id>#<user_id>`, with your own organisation and user."""


class Summary(TypedDict):
    """What needs attention now, and how much was bought on each of the last days."""
    counts: SummaryCounts
    bought_per_day: NotRequired[list[DayCount] | None]
    """The last 14 days, oldest first, today as the last. Null unless your token may read shipments."""
    time_zone: str
    """In which zone the days begin: the organisation's, as `GET /organisation` shows it."""
    created_at: str
    """When the counts were taken, all in one snapshot of the database."""


class SummaryCounts(TypedDict):
    """What waits for a person, by cause. A count stops at 10,000."""
    late_orders: NotRequired[int | None]
    """Committed orders whose `ship_by` has passed and that are not shipped in full. Null unless your token may read orders."""
    held_orders: NotRequired[int | None]
    """Orders on hold: `GET /orders?on_hold=true` lists them. Null unless your token may read orders."""
    orders_with_exceptions: NotRequired[int | None]
    """Orders with an exception that is not resolved: `GET /orders?has_exception=true` lists them. Null unless your token may read orders."""
    purchases_to_review: NotRequired[int | None]
    """Purchase attempts whose outcome a person must find out. Null unless your token may read shipments."""
    failing_webhook_endpoints: NotRequired[int | None]
    """Webhook endpoints whose last delivery failed. Null unless your token may read webhooks."""
    low_items: NotRequired[int | None]
    """Inventory items with a level at or below its `reorder_point`: `GET /inventory_items?low_stock=true` lists them. Null unless your token may read inventory."""


class TaxIdentifier(TypedDict):
    """A registration number for tax."""
    taxable_entity_type: Literal["sender", "recipient", "importer_of_record"]
    """The party that is registered under the number."""
    identifier_type: CustomsIdentifierIdentifierType
    """The register that the number is from, such as `vat`, `eori` or `ioss`. It decides where the number is printed and how it is checked."""
    value: str
    """The number as the authority issued it. An `ioss` number is checked: `IM` and 10 digits."""
    issuing_country_code: NotRequired[CountryCode | None]
    """The country whose authority issued the number (ISO 3166-1 alpha-2)."""


class TaxIdentifierInput(TypedDict):
    """A registration number for tax."""
    taxable_entity_type: Literal["sender", "recipient", "importer_of_record"]
    """The party that is registered under the number."""
    identifier_type: CustomsIdentifierIdentifierType
    """The register that the number is from, such as `vat`, `eori` or `ioss`. It decides where the number is printed and how it is checked."""
    value: str
    """The number as the authority issued it. An `ioss` number is checked: `IM` and 10 digits."""
    issuing_country_code: NotRequired[CountryCode | None]
    """The country whose authority issued the number (ISO 3166-1 alpha-2)."""


# A part of the day by the clock of the origin location's time zone. If it ends before it begins, it goes over midnight, and its weekday is the one on which it begins.
TimeWindow = TypedDict(
    "TimeWindow",
    {
        'from': 'str',
        'until': 'str',
    },
)


# A part of the day by the clock of the origin location's time zone. If it ends before it begins, it goes over midnight, and its weekday is the one on which it begins.
TimeWindowInput = TypedDict(
    "TimeWindowInput",
    {
        'from': 'str',
        'until': 'str',
    },
)


class TokenRequestInput(TypedDict):
    """Who asks, and for which scopes."""
    grant_type: Literal["client_credentials"]
    """How the client proves itself; this server knows client credentials only."""
    client_id: NotRequired[str | None]
    """The id of the access token that stands for the client (`tok_…`). May be sent as HTTP Basic instead."""
    client_secret: NotRequired[str | None]
    """The secret of that access token (`dk_live_…`). May be sent as HTTP Basic instead."""
    scope: NotRequired[str | None]
    """Scopes separated by spaces, such as `orders:read orders:write`: no more than the client has. Without it, all that the client has."""


class TokenResponse(TypedDict):
    """A token that lives an hour."""
    access_token: str
    """The new token, which ends by itself. Ask for another one in time."""
    token_type: Literal["Bearer"]
    """Send the token as `Authorization: Bearer …`."""
    expires_in: int
    """Seconds until the token ends: an hour, or less if the client ends sooner."""
    scope: str
    """Scopes separated by spaces, such as `orders:read orders:write`: no more than the client has. Without it, all that the client has."""


class Tracking(TypedDict):
    """Where a shipment is, and where it was."""
    shipment_id: str
    """The shipment that travels under this tracking number; `GET /shipments/{id}` has the rest of it."""
    tracking_number: NotRequired[str | None]
    """The carrier's number of the first package. Null until the shipment is bought."""
    tracking_status: PartialShipmentTrackingStatus
    """What the carrier last reported: `pre_transit` once it is bought, then on to `delivered`, `return_to_sender`, `failure` or `cancelled`, which are final. `unknown` before it is bought."""
    events: list[TrackingEvent]
    """Every step that the carrier reported, the newest last."""


class TrackingEvent(TypedDict):
    """Something that happened on the way."""
    status: PartialShipmentTrackingStatus
    """What this step made of the parcel's status."""
    message: str
    """The carrier's own words, often with the place."""
    occurred_at: str
    """When it happened, by the carrier's own clock if the carrier says so, else when it was told. It may be told of hours later."""


class UnusedPackageType(TypedDict):
    """A package type that is usable at the location and is not used."""
    package_type_id: str
    """A package type that is active and available at the location."""
    reason: Literal["too_small", "too_heavy", "not_upright", "more_packages", "dearer", "larger", "later"]
    """Why the package type is not used; `message` says it in a sentence."""
    item_id: NotRequired[str | None]
    """An inventory item that it can't hold. Null if that is not the reason."""
    message: str
    """The reason as a sentence for a person."""


class User(TypedDict):
    """A person who signs in, or a program that has access tokens."""
    id: str
    """Made when the user is invited, or when a token is first created for them on the server. All tokens and sessions of one user share it."""
    name: str
    """What colleagues call the person or the program. It need not be unique."""
    email_address: str
    """Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same."""
    roles: list[str]
    """What the user may do in a session: the scopes of all these together. You can give only scopes that you have yourself."""
    scopes: list[str]
    """What the roles add up to, and so what a session of the user may do."""
    has_password: bool
    """Whether the person can sign in without a link, because they have set a secret of their own."""
    is_disabled: bool
    """Whether all access is taken away for now: no sign-in, no session, no access token of theirs works."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class UserCreated(TypedDict):
    """A new user, with the link for the first sign-in."""
    id: str
    """Made when the user is invited, or when a token is first created for them on the server. All tokens and sessions of one user share it."""
    name: str
    """What colleagues call the person or the program. It need not be unique."""
    email_address: str
    """Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same."""
    roles: list[str]
    """What the user may do in a session: the scopes of all these together. You can give only scopes that you have yourself."""
    scopes: list[str]
    """What the roles add up to, and so what a session of the user may do."""
    has_password: bool
    """Whether the person can sign in without a link, because they have set a secret of their own."""
    is_disabled: bool
    """Whether all access is taken away for now: no sign-in, no session, no access token of theirs works."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""
    sign_in_link: NotRequired[str | None]
    """Opens the console once, within 15 minutes; an invitation that is also sent by e-mail, within 24 hours. Pass it on to the person. It is in this answer and never shown again: null if this answer repeats an earlier one."""


class UserInput(TypedDict):
    """A person who signs in, or a program that has access tokens."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: str
    """What colleagues call the person or the program. It need not be unique."""
    email_address: str
    """Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same."""
    roles: list[str]
    """What the user may do in a session: the scopes of all these together. You can give only scopes that you have yourself."""
    scopes: NotRequired[object]
    """Made by the server; ignored in requests."""
    has_password: NotRequired[object]
    """Made by the server; ignored in requests."""
    is_disabled: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class UserPatch(TypedDict):
    """A person who signs in, or a program that has access tokens."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str]
    """What colleagues call the person or the program. It need not be unique."""
    email_address: NotRequired[str]
    """Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same."""
    roles: NotRequired[list[str]]
    """What the user may do in a session: the scopes of all these together. You can give only scopes that you have yourself."""
    scopes: NotRequired[object]
    """Made by the server; ignored in requests."""
    has_password: NotRequired[object]
    """Made by the server; ignored in requests."""
    is_disabled: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class UserReference(TypedDict):
    """The user the token belongs to. Defaults to the caller."""
    id: str
    """Names a user of the organisation. All tokens and sessions of one user share it."""


class UserReferenceInput(TypedDict):
    """The user the token belongs to. Defaults to the caller."""
    id: str
    """Names a user of the organisation. All tokens and sessions of one user share it."""


class ValueRange(TypedDict):
    """What the whole order is worth. Both ends belong to the range. A value in another currency is in no range."""
    min: NotRequired[int | None]
    """The least value, in the smallest unit of the currency. Without it, there is no lower end."""
    max: NotRequired[int | None]
    """The largest value, in the smallest unit of the currency. Without it, there is no upper end."""
    currency_code: CurrencyCode
    """The currency of both ends (ISO 4217). Nothing is converted."""


class ValueRangeInput(TypedDict):
    """What the whole order is worth. Both ends belong to the range. A value in another currency is in no range."""
    min: NotRequired[int | None]
    """The least value, in the smallest unit of the currency. Without it, there is no lower end."""
    max: NotRequired[int | None]
    """The largest value, in the smallest unit of the currency. Without it, there is no upper end."""
    currency_code: CurrencyCode
    """The currency of both ends (ISO 4217). Nothing is converted."""


class Wave(TypedDict):
    """A job that turns many orders into shipments and batches."""
    id: str
    """Made when the wave is started. Its orders and papers are found under it."""
    name: NotRequired[str | None]
    """Your own word for it, shown in lists; need not be unique."""
    order_ids: NotRequired[list[str] | None]
    """The orders to process, in any order. Only in requests: read them from `GET /waves/{wave_id}/orders`."""
    filter: NotRequired[WaveFilter | None]
    steps: NotRequired[list[Literal["plan", "ship", "rate", "batch", "purchase"]] | None]
    """What to do for each order, in this order. `rate` and `batch` need `ship`, `purchase` needs `batch`. Without it: `plan`, `ship`, `batch`."""
    location_ids: NotRequired[list[str] | None]
    """Where to plan and ship from. What is allocated elsewhere is left to other waves. Empty: everywhere."""
    batch: NotRequired[WaveBatchOptions | None]
    group_by: NotRequired[list[Literal["location", "carrier_account", "service"]] | None]
    """What the shipments of one batch have in common. Without it, `location` and `carrier_account`: what one person packs and one van takes. Empty: all shipments come into one batch."""
    allow_partial: NotRequired[bool | None]
    """Whether an order is processed of which a part is not in stock: that part waits. Without it, such an order is an exception, and nothing of it is allocated or shipped."""
    status: Literal["queued", "running", "cancelling", "cancelled", "completed"]
    """`queued` until work on it begins, `running` meanwhile, then `completed`. `cancelling` after a request to cancel it, until it is `cancelled`. A retry makes a completed wave `running` again."""
    orders_count: int
    """How many were taken at the start, whatever has come of them since."""
    pending_count: int
    """Orders that wait for their turn."""
    done_count: int
    """Orders for which all steps were done."""
    exceptions_count: int
    """Orders that were not processed to the end; `exceptions` says why."""
    cancelled_count: int
    """How many still waited for their turn when a request ended the wave."""
    shipments_count: int
    """How many were made, and put into batches if that is a step, for the orders that are done."""
    exceptions: list[WaveExceptionCount]
    """Why orders were not processed, the most frequent reason first. `GET /waves/{wave_id}/orders?result=exception` names the orders."""
    batch_ids: list[str]
    """The first 100 batches that the wave has made."""
    errors: list[WaveBatchRefusal]
    """Batches whose purchase was refused as a whole. What came of those that were bought is in the batches."""
    started_at: NotRequired[str | None]
    """When work on it began. Null while it is queued."""
    ended_at: NotRequired[str | None]
    """When it was completed or cancelled. Null until then, and after a retry."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class WaveBatchOptions(TypedDict):
    """What the wave calls the batches that it opens, and in which format their labels are drawn."""
    name: NotRequired[str | None]
    """Begins the names of the batches, before what their shipments have in common. Without it, the name of the wave."""
    label_format: NotRequired[Literal["png", "zpl", "pdf"] | None]
    """What the merged file of each batch holds: `zpl` for label printers, `pdf`, or `png` if you leave it out."""


class WaveBatchOptionsInput(TypedDict):
    """What the wave calls the batches that it opens, and in which format their labels are drawn."""
    name: NotRequired[str | None]
    """Begins the names of the batches, before what their shipments have in common. Without it, the name of the wave."""
    label_format: NotRequired[Literal["png", "zpl", "pdf"] | None]
    """What the merged file of each batch holds: `zpl` for label printers, `pdf`, or `png` if you leave it out."""


class WaveBatchRefusal(TypedDict):
    """A batch of the wave that could not be bought."""
    batch_id: str
    """The one whose purchase did not begin. It is open still."""
    code: str
    """The code of the problem that `POST /batches/{batch_id}/purchase` would answer with."""
    message: str
    """Why, in a sentence for a person."""


class WaveExceptionCount(TypedDict):
    """A reason, and how many orders were not processed for it."""
    code: str
    """Why, for programs. `no_stock`: not all of it is in stock where it may be sent from. `no_rule`: no shipping rule sets a service. `rate_step_missing`: a rule chooses by rates, and the wave has no step `rate`. `no_rate`: no carrier offers a rate that the rule allows. `address_invalid`, `on_hold`, `order_not_found`, `in_other_wave`, `shipment_changed`: what they say. All others are codes of problems, such as `customs_data_missing`."""
    orders_count: int
    """How many were not processed to their end for this reason."""


class WaveFilter(TypedDict):
    """Takes the orders that pass all of these and are committed, not held, and not shipped entirely, as they are when the wave is started. `{}` takes all of those."""
    fulfilment_status: NotRequired[Literal["unallocated", "partially_allocated", "allocated", "partially_shipped", "shipped", "partially_delivered", "delivered"] | None]
    customer: NotRequired[str | None]
    """The whole name or company of the customer, whatever its case."""
    email_address: NotRequired[str | None]
    """The address of the customer, whatever its case."""
    channel: NotRequired[str | None]
    """Where it was sold, exactly as the order says it."""
    tags: NotRequired[list[str] | None]
    """Words all of which the order has."""
    placed_after: NotRequired[str | None]
    """Takes what was placed later than this. Orders without `placed_at` are left out."""
    placed_before: NotRequired[str | None]
    """Takes what was placed earlier than this. Orders without `placed_at` are left out."""
    ship_by_before: NotRequired[str | None]
    """Takes what must have left earlier than this. Orders without `ship_by` are left out."""
    location_id: NotRequired[str | None]
    """Takes orders with an allocation at this place."""
    sku: NotRequired[str | None]
    """The SKU of an inventory item of the order."""
    has_exception: NotRequired[bool | None]
    """Whether something is open that went wrong with the order."""


class WaveFilterInput(TypedDict):
    """Takes the orders that pass all of these and are committed, not held, and not shipped entirely, as they are when the wave is started. `{}` takes all of those."""
    fulfilment_status: NotRequired[Literal["unallocated", "partially_allocated", "allocated", "partially_shipped", "shipped", "partially_delivered", "delivered"] | None]
    customer: NotRequired[str | None]
    """The whole name or company of the customer, whatever its case."""
    email_address: NotRequired[str | None]
    """The address of the customer, whatever its case."""
    channel: NotRequired[str | None]
    """Where it was sold, exactly as the order says it."""
    tags: NotRequired[list[str] | None]
    """Words all of which the order has."""
    placed_after: NotRequired[str | None]
    """Takes what was placed later than this. Orders without `placed_at` are left out."""
    placed_before: NotRequired[str | None]
    """Takes what was placed earlier than this. Orders without `placed_at` are left out."""
    ship_by_before: NotRequired[str | None]
    """Takes what must have left earlier than this. Orders without `ship_by` are left out."""
    location_id: NotRequired[str | None]
    """Takes orders with an allocation at this place."""
    sku: NotRequired[str | None]
    """The SKU of an inventory item of the order."""
    has_exception: NotRequired[bool | None]
    """Whether something is open that went wrong with the order."""


class WaveInput(TypedDict):
    """A job that turns many orders into shipments and batches."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    name: NotRequired[str | None]
    """Your own word for it, shown in lists; need not be unique."""
    order_ids: NotRequired[list[str] | None]
    """The orders to process, in any order. Only in requests: read them from `GET /waves/{wave_id}/orders`."""
    filter: NotRequired[WaveFilterInput | None]
    steps: NotRequired[list[Literal["plan", "ship", "rate", "batch", "purchase"]] | None]
    """What to do for each order, in this order. `rate` and `batch` need `ship`, `purchase` needs `batch`. Without it: `plan`, `ship`, `batch`."""
    location_ids: NotRequired[list[str] | None]
    """Where to plan and ship from. What is allocated elsewhere is left to other waves. Empty: everywhere."""
    batch: NotRequired[WaveBatchOptionsInput | None]
    group_by: NotRequired[list[Literal["location", "carrier_account", "service"]] | None]
    """What the shipments of one batch have in common. Without it, `location` and `carrier_account`: what one person packs and one van takes. Empty: all shipments come into one batch."""
    allow_partial: NotRequired[bool | None]
    """Whether an order is processed of which a part is not in stock: that part waits. Without it, such an order is an exception, and nothing of it is allocated or shipped."""
    status: NotRequired[object]
    """Made by the server; ignored in requests."""
    orders_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    pending_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    done_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    exceptions_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    cancelled_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    shipments_count: NotRequired[object]
    """Made by the server; ignored in requests."""
    exceptions: NotRequired[object]
    """Made by the server; ignored in requests."""
    batch_ids: NotRequired[object]
    """Made by the server; ignored in requests."""
    errors: NotRequired[object]
    """Made by the server; ignored in requests."""
    started_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    ended_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class WaveOrder(TypedDict):
    """An order that a wave took, and what came of it."""
    position: int
    """Its turn in the wave: by `ship_by`, then by `placed_at`, then by age."""
    order_id: str
    """The order that was taken, by its id. It may be deleted by now."""
    reference: NotRequired[str | None]
    """The number that your shop gave the order. Null if it has none, or is deleted."""
    result: Literal["pending", "done", "exception", "cancelled"]
    """`pending` until its turn, then `done` or `exception`; `cancelled` if the wave was cancelled before its turn."""
    step: NotRequired[Literal["plan", "ship", "rate", "batch", "purchase"] | None]
    """The last step that was done for it: `plan`, `ship` or `rate`. Null before that. A retry goes on from there."""
    code: NotRequired[str | None]
    """Why, for programs. `no_stock`: not all of it is in stock where it may be sent from. `no_rule`: no shipping rule sets a service. `rate_step_missing`: a rule chooses by rates, and the wave has no step `rate`. `no_rate`: no carrier offers a rate that the rule allows. `address_invalid`, `on_hold`, `order_not_found`, `in_other_wave`, `shipment_changed`: what they say. All others are codes of problems, such as `customs_data_missing`."""
    message: NotRequired[str | None]
    """Why, in a sentence for a person."""
    shipment_ids: list[str]
    """The shipments that the wave made from it, one for each location or more."""


class WebhookAttempt(TypedDict):
    """One attempt of a delivery."""
    attempted_at: str
    """When the request was sent; also its `webhook-timestamp`."""
    status_code: NotRequired[int | None]
    """The status that the receiver answered with; null where it did not answer."""
    latency_ms: int
    """Milliseconds from the connection to the answer, or to the failure. An attempt has 15 seconds."""
    error: NotRequired[str | None]
    """Why no answer came, such as a refused connection or a timeout. Null if there was one."""
    response_body: NotRequired[str | None]
    """The first 4 kB of what the receiver answered, to find its own error message."""


class WebhookDelivery(TypedDict):
    """One event on its way to one endpoint."""
    id: str
    """Made for an event and an endpoint; every attempt is listed under it."""
    webhook_endpoint_id: str
    """The address of yours that the event is posted to, by its id."""
    event_id: str
    """The event's id, which is also the delivery's `webhook-id`: the same for every attempt and replay."""
    event_type: str
    """The type of the event that is sent, such as `order.created`."""
    sequence: NotRequired[int | None]
    """The event's place in the log; null for a test event, which is not in it."""
    status: Literal["pending", "succeeded", "retrying", "failed"]
    """`pending` until it is attempted, `retrying` while there are attempts to come."""
    attempt: int
    """Attempts so far. After eight failures the delivery is `failed`."""
    next_attempt_at: NotRequired[str | None]
    """When it is tried next. Null if it succeeded or was given up."""
    attempts: list[WebhookAttempt]
    """Every attempt with what came of it, oldest first."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class WebhookEndpoint(TypedDict):
    """An address that the organisation's events are posted to, signed, at least once, in order while it succeeds."""
    id: str
    """Made when the endpoint is created. Its deliveries and replays are found under it."""
    url: str
    """Where events are posted to: `https://…`, or `http://…`. Private, loopback and link-local addresses are refused, unless the operator allows them."""
    event_types: NotRequired[list[WebhookEndpointEventTypes] | None]
    """Which events are posted here. Without it, all that your token may read."""
    resources: list[str]
    """The resources whose events are posted here: those that the token could read that last chose `event_types`. `*` is all of them, those of later versions too."""
    description: NotRequired[str | None]
    """A note for your team. It is not sent along."""
    disabled: NotRequired[bool | None]
    """Whether deliveries are held back. Once it is enabled again they go on where they stopped."""
    disabled_reason: NotRequired[Literal["gone", "failing"] | None]
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class WebhookEndpointInput(TypedDict):
    """An address that the organisation's events are posted to, signed, at least once, in order while it succeeds."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    url: str
    """Where events are posted to: `https://…`, or `http://…`. Private, loopback and link-local addresses are refused, unless the operator allows them."""
    event_types: NotRequired[list[WebhookEndpointEventTypes] | None]
    """Which events are posted here. Without it, all that your token may read."""
    resources: NotRequired[object]
    """Made by the server; ignored in requests."""
    description: NotRequired[str | None]
    """A note for your team. It is not sent along."""
    disabled: NotRequired[bool | None]
    """Whether deliveries are held back. Once it is enabled again they go on where they stopped."""
    disabled_reason: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class WebhookEndpointPatch(TypedDict):
    """An address that the organisation's events are posted to, signed, at least once, in order while it succeeds."""
    id: NotRequired[object]
    """Made by the server; ignored in requests."""
    url: NotRequired[str]
    """Where events are posted to: `https://…`, or `http://…`. Private, loopback and link-local addresses are refused, unless the operator allows them."""
    event_types: NotRequired[list[WebhookEndpointEventTypes] | None]
    """Which events are posted here. Without it, all that your token may read."""
    resources: NotRequired[object]
    """Made by the server; ignored in requests."""
    description: NotRequired[str | None]
    """A note for your team. It is not sent along."""
    disabled: NotRequired[bool | None]
    """Whether deliveries are held back. Once it is enabled again they go on where they stopped."""
    disabled_reason: NotRequired[object]
    """Made by the server; ignored in requests."""
    created_at: NotRequired[object]
    """Made by the server; ignored in requests."""
    updated_at: NotRequired[object]
    """Made by the server; ignored in requests."""


class WebhookEndpointWithSecret(TypedDict):
    """An endpoint, and the secret that was just made for it."""
    id: str
    """Made when the endpoint is created. Its deliveries and replays are found under it."""
    url: str
    """Where events are posted to: `https://…`, or `http://…`. Private, loopback and link-local addresses are refused, unless the operator allows them."""
    event_types: NotRequired[list[WebhookEndpointEventTypes] | None]
    """Which events are posted here. Without it, all that your token may read."""
    resources: list[str]
    """The resources whose events are posted here: those that the token could read that last chose `event_types`. `*` is all of them, those of later versions too."""
    description: NotRequired[str | None]
    """A note for your team. It is not sent along."""
    disabled: NotRequired[bool | None]
    """Whether deliveries are held back. Once it is enabled again they go on where they stopped."""
    disabled_reason: NotRequired[Literal["gone", "failing"] | None]
    secret: str
    """Verifies the signatures of deliveries, as Standard Webhooks says. Shown once: here. Rotate it if it gets lost."""
    created_at: str
    """When it was created, by the server's clock: RFC 3339 in UTC. Never changes."""
    updated_at: str
    """When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC."""


class WebhookReplay(TypedDict):
    """What is being sent again."""
    after_sequence: int
    """Everything after the event with this sequence is sent again; 0 is everything that is kept."""
    through_sequence: int
    """The last event there is by now. Later ones follow in their turn."""


class WebhookReplayInput(TypedDict):
    """From where on to send events again."""
    after_sequence: int
    """Everything after the event with this sequence is sent again; 0 is everything that is kept."""


class AccessTokenPage(TypedDict):
    data: list[AccessToken]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class AllocationPage(TypedDict):
    data: list[Allocation]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class ListOrderAllocationsAnswer(TypedDict):
    data: list[Allocation]
    """What was made or changed, in the order of the request."""


class CreateOrderAllocationsAnswer(TypedDict):
    data: list[Allocation]
    """What was made or changed, in the order of the request."""


class UpdateOrderAllocationsAnswer(TypedDict):
    data: list[Allocation]
    """What was made or changed, in the order of the request."""


class BatchPage(TypedDict):
    data: list[Batch]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class ListBatchLabelsAnswer(TypedDict):
    data: list[Document]
    """What was made or changed, in the order of the request."""


class CreateBatchLabelsAnswer(TypedDict):
    data: list[Document]
    """What was made or changed, in the order of the request."""


class ListBatchManifestsAnswer(TypedDict):
    data: list[Manifest]
    """What was made or changed, in the order of the request."""


class CreateBatchManifestsAnswer(TypedDict):
    data: list[Manifest]
    """What was made or changed, in the order of the request."""


class CreateBatchPackingSlipsAnswer(TypedDict):
    data: list[Document]
    """What was made or changed, in the order of the request."""


class CreateBatchPapersAnswer(TypedDict):
    data: list[Document]
    """What was made or changed, in the order of the request."""


class CreateBatchPickListsAnswer(TypedDict):
    data: list[Document]
    """What was made or changed, in the order of the request."""


class PartialShipmentPage(TypedDict):
    data: list[PartialShipment]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class CarrierAccountPage(TypedDict):
    data: list[CarrierAccount]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class CarrierPage(TypedDict):
    data: list[Carrier]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class CarrierServicePage(TypedDict):
    data: list[CarrierService]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class EventPage(TypedDict):
    data: list[Event]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class ImportPage(TypedDict):
    data: list[Import]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class ImportErrorPage(TypedDict):
    data: list[ImportError]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class InventoryItemPage(TypedDict):
    data: list[InventoryItem]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class InventoryLevelPage(TypedDict):
    data: list[InventoryLevel]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class InventoryChangePage(TypedDict):
    data: list[InventoryChange]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class LocationConfigurationSummaryPage(TypedDict):
    location_configurations: list[LocationConfigurationSummary]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class LocationPage(TypedDict):
    locations: list[Location]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class ManifestPage(TypedDict):
    data: list[Manifest]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class CreateManifestsAnswer(TypedDict):
    data: list[Manifest]
    """What was made or changed, in the order of the request."""


class OrderPage(TypedDict):
    data: list[Order]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class CreateOrderShipmentsAnswer(TypedDict):
    data: list[Shipment]
    """What was made or changed, in the order of the request."""


class PackageTypePage(TypedDict):
    data: list[PackageType]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class PasskeyPage(TypedDict):
    data: list[Passkey]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class PrintJobPage(TypedDict):
    data: list[PrintJob]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class ClaimPrintJobsAnswer(TypedDict):
    data: list[PrintClaim]
    """What was made or changed, in the order of the request."""


class PrinterPage(TypedDict):
    data: list[Printer]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class PurchaseAttemptPage(TypedDict):
    data: list[PurchaseAttempt]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class ReservationPage(TypedDict):
    data: list[Reservation]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class RolePage(TypedDict):
    data: list[Role]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class SearchResultPage(TypedDict):
    data: list[SearchResult]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class SessionPage(TypedDict):
    data: list[Session]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class ShipmentPage(TypedDict):
    data: list[Shipment]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class ListShipmentDocumentsAnswer(TypedDict):
    data: list[Document]
    """What was made or changed, in the order of the request."""


class CreateShipmentPackingSlipAnswer(TypedDict):
    data: list[Document]
    """What was made or changed, in the order of the request."""


class CreateShipmentPapersAnswer(TypedDict):
    data: list[Document]
    """What was made or changed, in the order of the request."""


class ScanPage(TypedDict):
    data: list[Scan]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class ShippingRulePage(TypedDict):
    data: list[ShippingRule]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class UserPage(TypedDict):
    data: list[User]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class WavePage(TypedDict):
    data: list[Wave]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class WaveOrderPage(TypedDict):
    data: list[WaveOrder]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class CreateWavePickListsAnswer(TypedDict):
    data: list[Document]
    """What was made or changed, in the order of the request."""


class WebhookEndpointPage(TypedDict):
    data: list[WebhookEndpoint]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""


class WebhookDeliveryPage(TypedDict):
    data: list[WebhookDelivery]
    """The entries of this page, newest first unless the operation says otherwise."""
    next_cursor: str | None
    """Pass it as `cursor` for the page behind this one. Null at the end of the list."""
    previous_cursor: str | None
    """Pass it as `cursor` for the page before this one. Null at the beginning."""
    limit: int
    """The page size that was applied, which may be less than what was asked for."""
