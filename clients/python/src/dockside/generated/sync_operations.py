"""A method for each operation of the API, which waits for the answer.

Generated from openapi.json by clients/generate.sh: change that, and not this file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from ..file import File
from ..reply import Reply
from ..request import segment
from ..sync_base import Base, Download
from . import models


class Operations(Base):
    """A method for each operation of the API, which waits for the answer."""

    def get_index(self, *, headers: Mapping[str, str] | None = None) -> Reply[Any]:
        """Find the documentation."""
        return self._call("GET", "/", headers=headers)

    def list_access_tokens(self, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.AccessTokenPage]:
        """List access tokens."""
        return self._call("GET", "/access_tokens", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_access_tokens(self, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.AccessToken]:
        """Every entry of `list_access_tokens`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_access_tokens(limit=limit, cursor=cursor, headers=headers))

    def create_access_token(self, body: models.AccessTokenInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.AccessTokenCreated]:
        """Create an access token."""
        return self._call("POST", "/access_tokens", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_access_token(self, access_token_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.AccessToken]:
        """Get an access token."""
        return self._call("GET", f"/access_tokens/{segment(access_token_id)}", headers=headers)

    def delete_access_token(self, access_token_id: str, *, keep_children: bool | None = None, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Revoke an access token."""
        return self._call("DELETE", f"/access_tokens/{segment(access_token_id)}", headers=headers, query={"keep_children": keep_children}, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def list_allocations(self, *, limit: int | None = None, cursor: str | None = None, location_id: str | None = None, order_id: Sequence[str] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.AllocationPage]:
        """List allocations."""
        return self._call("GET", "/allocations", headers=headers, query={"limit": limit, "cursor": cursor, "location_id": location_id, "order_id": order_id})

    def iterate_allocations(self, *, limit: int | None = None, location_id: str | None = None, order_id: Sequence[str] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Allocation]:
        """Every entry of `list_allocations`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_allocations(limit=limit, location_id=location_id, order_id=order_id, cursor=cursor, headers=headers))

    def list_order_allocations(self, order_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.ListOrderAllocationsAnswer]:
        """List the allocations of an order."""
        return self._call("GET", f"/allocations/orders/{segment(order_id)}", headers=headers)

    def create_order_allocations(self, order_id: str, body: models.AllocationsInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CreateOrderAllocationsAnswer]:
        """Allocate items of an order."""
        return self._call("POST", f"/allocations/orders/{segment(order_id)}", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def update_order_allocations(self, order_id: str, body: models.AllocationChangesInput, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.UpdateOrderAllocationsAnswer]:
        """Change or complete allocations of an order."""
        return self._call("PATCH", f"/allocations/orders/{segment(order_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_order_allocations(self, order_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Take all allocations of an order back."""
        return self._call("DELETE", f"/allocations/orders/{segment(order_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def pack_order_allocations(self, order_id: str, body: models.PackingInput | None = None, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.OrderPacking]:
        """Propose packages for an order."""
        return self._call("POST", f"/allocations/orders/{segment(order_id)}/pack", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def plan_order_allocations(self, order_id: str, *, apply: bool | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[Any]:
        """Plan the allocation of an order."""
        return self._call("POST", f"/allocations/orders/{segment(order_id)}/plan", headers=headers, query={"apply": apply}, takes_key=True, idempotency_key=idempotency_key)

    def list_batches(self, *, limit: int | None = None, cursor: str | None = None, status: Literal["open", "purchasing", "purchased", "partially_purchased", "purchase_failed"] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.BatchPage]:
        """List batches."""
        return self._call("GET", "/batches", headers=headers, query={"limit": limit, "cursor": cursor, "status": status})

    def iterate_batches(self, *, limit: int | None = None, status: Literal["open", "purchasing", "purchased", "partially_purchased", "purchase_failed"] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Batch]:
        """Every entry of `list_batches`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_batches(limit=limit, status=status, cursor=cursor, headers=headers))

    def create_batch(self, body: models.BatchInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Batch]:
        """Create a batch."""
        return self._call("POST", "/batches", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_batch(self, batch_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Batch]:
        """Get a batch."""
        return self._call("GET", f"/batches/{segment(batch_id)}", headers=headers)

    def update_batch(self, batch_id: str, body: models.BatchPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Batch]:
        """Update a batch."""
        return self._call("PATCH", f"/batches/{segment(batch_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_batch(self, batch_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a batch."""
        return self._call("DELETE", f"/batches/{segment(batch_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def list_batch_labels(self, batch_id: str, *, format: Literal["png", "zpl", "pdf"] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ListBatchLabelsAnswer]:
        """List a batch's labels."""
        return self._call("GET", f"/batches/{segment(batch_id)}/labels", headers=headers, query={"format": format})

    def create_batch_labels(self, batch_id: str, body: models.BatchLabelsInput | None = None, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CreateBatchLabelsAnswer]:
        """Create a batch's labels."""
        return self._call("POST", f"/batches/{segment(batch_id)}/labels", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def list_batch_manifests(self, batch_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.ListBatchManifestsAnswer]:
        """List a batch's manifests."""
        return self._call("GET", f"/batches/{segment(batch_id)}/manifests", headers=headers)

    def create_batch_manifests(self, batch_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CreateBatchManifestsAnswer]:
        """Manifest a batch."""
        return self._call("POST", f"/batches/{segment(batch_id)}/manifests", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def create_batch_packing_slips(self, batch_id: str, body: models.BatchPaperInput | None = None, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CreateBatchPackingSlipsAnswer]:
        """Create a batch's packing slips."""
        return self._call("POST", f"/batches/{segment(batch_id)}/packing_slips", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def create_batch_papers(self, batch_id: str, body: models.BatchPaperInput | None = None, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CreateBatchPapersAnswer]:
        """Create a file with a batch's papers."""
        return self._call("POST", f"/batches/{segment(batch_id)}/papers", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def create_batch_pick_lists(self, batch_id: str, body: models.PickListsInput | None = None, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CreateBatchPickListsAnswer]:
        """Create a batch's pick lists."""
        return self._call("POST", f"/batches/{segment(batch_id)}/pick_lists", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def purchase_batch(self, batch_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Batch]:
        """Purchase a batch."""
        return self._call("POST", f"/batches/{segment(batch_id)}/purchase", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def list_batch_shipments(self, batch_id: str, *, limit: int | None = None, cursor: str | None = None, include_fields: Sequence[Literal["origin_address", "destination_address", "return_address", "rates", "selected_rate", "documents", "errors"]] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PartialShipmentPage]:
        """List a batch's shipments."""
        return self._call("GET", f"/batches/{segment(batch_id)}/shipments", headers=headers, query={"limit": limit, "cursor": cursor, "include_fields": include_fields})

    def iterate_batch_shipments(self, batch_id: str, *, limit: int | None = None, include_fields: Sequence[Literal["origin_address", "destination_address", "return_address", "rates", "selected_rate", "documents", "errors"]] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.PartialShipment]:
        """Every entry of `list_batch_shipments`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_batch_shipments(batch_id, limit=limit, include_fields=include_fields, cursor=cursor, headers=headers))

    def add_batch_shipments(self, batch_id: str, body: models.BatchShipmentsAddedInput, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Batch]:
        """Add shipments to a batch."""
        return self._call("PATCH", f"/batches/{segment(batch_id)}/shipments", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def remove_batch_shipments(self, batch_id: str, body: models.BatchShipmentsRemovedInput, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Batch]:
        """Remove shipments from a batch."""
        return self._call("DELETE", f"/batches/{segment(batch_id)}/shipments", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def get_branding(self, *, headers: Mapping[str, str] | None = None) -> Reply[models.Branding]:
        """Get the branding."""
        return self._call("GET", "/branding", headers=headers)

    def set_branding(self, body: models.BrandingInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Branding]:
        """Set the branding."""
        return self._call("PUT", "/branding", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def delete_branding(self, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete the branding."""
        return self._call("DELETE", "/branding", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def list_carrier_accounts(self, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CarrierAccountPage]:
        """List carrier accounts."""
        return self._call("GET", "/carrier_accounts", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_carrier_accounts(self, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.CarrierAccount]:
        """Every entry of `list_carrier_accounts`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_carrier_accounts(limit=limit, cursor=cursor, headers=headers))

    def create_carrier_account(self, body: models.CarrierAccountInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CarrierAccount]:
        """Create a carrier account."""
        return self._call("POST", "/carrier_accounts", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_carrier_account(self, carrier_account_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.CarrierAccount]:
        """Get a carrier account."""
        return self._call("GET", f"/carrier_accounts/{segment(carrier_account_id)}", headers=headers)

    def update_carrier_account(self, carrier_account_id: str, body: models.CarrierAccountPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CarrierAccount]:
        """Update a carrier account."""
        return self._call("PATCH", f"/carrier_accounts/{segment(carrier_account_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_carrier_account(self, carrier_account_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a carrier account."""
        return self._call("DELETE", f"/carrier_accounts/{segment(carrier_account_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def test_carrier_account(self, carrier_account_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CarrierAccountTest]:
        """Test a carrier account."""
        return self._call("POST", f"/carrier_accounts/{segment(carrier_account_id)}/test", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def create_carrier_message(self, carrier_account_id: str, body: File, *, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Take a carrier's message."""
        return self._call("POST", f"/carrier_accounts/{segment(carrier_account_id)}/webhook", headers=headers, body=body)

    def list_carriers(self, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CarrierPage]:
        """List carriers."""
        return self._call("GET", "/carriers", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_carriers(self, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Carrier]:
        """Every entry of `list_carriers`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_carriers(limit=limit, cursor=cursor, headers=headers))

    def get_carrier(self, carrier_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Carrier]:
        """Get a carrier."""
        return self._call("GET", f"/carriers/{segment(carrier_id)}", headers=headers)

    def list_carrier_services(self, carrier_id: str, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CarrierServicePage]:
        """List a carrier's services."""
        return self._call("GET", f"/carriers/{segment(carrier_id)}/services", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_carrier_services(self, carrier_id: str, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.CarrierService]:
        """Every entry of `list_carrier_services`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_carrier_services(carrier_id, limit=limit, cursor=cursor, headers=headers))

    def get_docs(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Read the documentation."""
        return self._download("GET", "/docs", headers=headers)

    def get_docs_errors(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Read what each problem means."""
        return self._download("GET", "/docs/errors", headers=headers)

    def get_docs_guide(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Read the guide."""
        return self._download("GET", "/docs/guide", headers=headers)

    def get_docs_labels(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """See the labels that the guide shows."""
        return self._download("GET", "/docs/guide/labels.png", headers=headers)

    def get_docs_picture(self, picture: str, *, headers: Mapping[str, str] | None = None) -> Download:
        """See a picture of the console in the guide."""
        return self._download("GET", f"/docs/guide/pictures/{segment(picture)}", headers=headers)

    def get_docs_guide_page(self, page: str, *, headers: Mapping[str, str] | None = None) -> Download:
        """Read a page of the guide."""
        return self._download("GET", f"/docs/guide/{segment(page)}", headers=headers)

    def get_docs_script(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Read the documentation's script."""
        return self._download("GET", "/docs/script.js", headers=headers)

    def get_docs_search_script(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Read the script of the search."""
        return self._download("GET", "/docs/search.js", headers=headers)

    def get_docs_search(self, *, headers: Mapping[str, str] | None = None) -> Reply[Any]:
        """Read the index of the search."""
        return self._call("GET", "/docs/search.json", headers=headers)

    def get_docs_style(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Read the documentation's style."""
        return self._download("GET", "/docs/style.css", headers=headers)

    def list_events(self, *, limit: int | None = None, cursor: str | None = None, after: int | None = None, type: str | None = None, resource_id: str | None = None, actor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.EventPage]:
        """List events."""
        return self._call("GET", "/events", headers=headers, query={"limit": limit, "cursor": cursor, "after": after, "type": type, "resource_id": resource_id, "actor": actor})

    def iterate_events(self, *, limit: int | None = None, after: int | None = None, type: str | None = None, resource_id: str | None = None, actor: str | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Event]:
        """Every entry of `list_events`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_events(limit=limit, after=after, type=type, resource_id=resource_id, actor=actor, cursor=cursor, headers=headers))

    def get_connection_token(self, *, headers: Mapping[str, str] | None = None) -> Reply[models.StreamToken]:
        """Get a token to connect with."""
        return self._call("GET", "/events/connection_token", headers=headers)

    def create_connection_token(self, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.StreamToken]:
        """Create a token to connect with."""
        return self._call("POST", "/events/connection_token", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def deprovision_events_by_get(self, *, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Deprovision events by GET."""
        return self._call("GET", "/events/deprovision", headers=headers)

    def deprovision_events(self, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Deprovision events."""
        return self._call("POST", "/events/deprovision", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def provision_events_by_get(self, *, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Provision events by GET."""
        return self._call("GET", "/events/provision", headers=headers)

    def provision_events(self, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Provision events."""
        return self._call("POST", "/events/provision", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def get_subscription_token(self, body: models.SubscriptionInput | None = None, *, channel: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.StreamToken]:
        """Get a token to join a channel with."""
        return self._call("GET", "/events/subscription_token", headers=headers, query={"channel": channel}, body=body)

    def create_subscription_token(self, body: models.SubscriptionInput | None = None, *, channel: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.StreamToken]:
        """Create a token to join a channel with."""
        return self._call("POST", "/events/subscription_token", headers=headers, query={"channel": channel}, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_event(self, event_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Event]:
        """Get an event."""
        return self._call("GET", f"/events/{segment(event_id)}", headers=headers)

    def export_events_csv(self, *, after: int | None = None, type: str | None = None, resource_id: str | None = None, actor: str | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export events as CSV."""
        return self._download("GET", "/exports/events.csv", headers=headers, query={"after": after, "type": type, "resource_id": resource_id, "actor": actor})

    def export_events_ndjson(self, *, after: int | None = None, type: str | None = None, resource_id: str | None = None, actor: str | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export events as lines of JSON."""
        return self._download("GET", "/exports/events.ndjson", headers=headers, query={"after": after, "type": type, "resource_id": resource_id, "actor": actor})

    def export_inventory_items_csv(self, *, sku: str | None = None, barcode: str | None = None, name: str | None = None, low_stock: bool | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export inventory items as CSV."""
        return self._download("GET", "/exports/inventory_items.csv", headers=headers, query={"sku": sku, "barcode": barcode, "name": name, "low_stock": low_stock})

    def export_inventory_items_ndjson(self, *, sku: str | None = None, barcode: str | None = None, name: str | None = None, low_stock: bool | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export inventory items as lines of JSON."""
        return self._download("GET", "/exports/inventory_items.ndjson", headers=headers, query={"sku": sku, "barcode": barcode, "name": name, "low_stock": low_stock})

    def export_inventory_levels_csv(self, *, item_id: str | None = None, location_id: str | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export inventory levels as CSV."""
        return self._download("GET", "/exports/inventory_levels.csv", headers=headers, query={"item_id": item_id, "location_id": location_id})

    def export_inventory_levels_ndjson(self, *, item_id: str | None = None, location_id: str | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export inventory levels as lines of JSON."""
        return self._download("GET", "/exports/inventory_levels.ndjson", headers=headers, query={"item_id": item_id, "location_id": location_id})

    def export_level_history_csv(self, *, item_id: str | None = None, location_id: str | None = None, created_after: str | None = None, created_before: str | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export the history of levels as CSV."""
        return self._download("GET", "/exports/level_history.csv", headers=headers, query={"item_id": item_id, "location_id": location_id, "created_after": created_after, "created_before": created_before})

    def export_level_history_ndjson(self, *, item_id: str | None = None, location_id: str | None = None, created_after: str | None = None, created_before: str | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export the history of levels as lines of JSON."""
        return self._download("GET", "/exports/level_history.ndjson", headers=headers, query={"item_id": item_id, "location_id": location_id, "created_after": created_after, "created_before": created_before})

    def export_locations_csv(self, *, tags: Sequence[str] | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export locations as CSV."""
        return self._download("GET", "/exports/locations.csv", headers=headers, query={"tags": tags})

    def export_locations_ndjson(self, *, tags: Sequence[str] | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export locations as lines of JSON."""
        return self._download("GET", "/exports/locations.ndjson", headers=headers, query={"tags": tags})

    def export_manifests_csv(self, *, status: Literal["creating", "created", "failed"] | None = None, location: str | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export manifests as CSV."""
        return self._download("GET", "/exports/manifests.csv", headers=headers, query={"status": status, "location": location})

    def export_manifests_ndjson(self, *, status: Literal["creating", "created", "failed"] | None = None, location: str | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export manifests as lines of JSON."""
        return self._download("GET", "/exports/manifests.ndjson", headers=headers, query={"status": status, "location": location})

    def export_order_lines_csv(self, *, status: Literal["draft", "committed", "fulfilled", "cancelled"] | None = None, reference: str | None = None, fulfilment_status: Literal["unallocated", "partially_allocated", "allocated", "partially_shipped", "shipped", "partially_delivered", "delivered"] | None = None, customer: str | None = None, email_address: str | None = None, channel: str | None = None, tags: Sequence[str] | None = None, placed_after: str | None = None, placed_before: str | None = None, ship_by_before: str | None = None, location_id: str | None = None, sku: str | None = None, on_hold: bool | None = None, has_exception: bool | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export order lines as CSV."""
        return self._download("GET", "/exports/order_lines.csv", headers=headers, query={"status": status, "reference": reference, "fulfilment_status": fulfilment_status, "customer": customer, "email_address": email_address, "channel": channel, "tags": tags, "placed_after": placed_after, "placed_before": placed_before, "ship_by_before": ship_by_before, "location_id": location_id, "sku": sku, "on_hold": on_hold, "has_exception": has_exception})

    def export_order_lines_ndjson(self, *, status: Literal["draft", "committed", "fulfilled", "cancelled"] | None = None, reference: str | None = None, fulfilment_status: Literal["unallocated", "partially_allocated", "allocated", "partially_shipped", "shipped", "partially_delivered", "delivered"] | None = None, customer: str | None = None, email_address: str | None = None, channel: str | None = None, tags: Sequence[str] | None = None, placed_after: str | None = None, placed_before: str | None = None, ship_by_before: str | None = None, location_id: str | None = None, sku: str | None = None, on_hold: bool | None = None, has_exception: bool | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export order lines as lines of JSON."""
        return self._download("GET", "/exports/order_lines.ndjson", headers=headers, query={"status": status, "reference": reference, "fulfilment_status": fulfilment_status, "customer": customer, "email_address": email_address, "channel": channel, "tags": tags, "placed_after": placed_after, "placed_before": placed_before, "ship_by_before": ship_by_before, "location_id": location_id, "sku": sku, "on_hold": on_hold, "has_exception": has_exception})

    def export_orders_csv(self, *, status: Literal["draft", "committed", "fulfilled", "cancelled"] | None = None, reference: str | None = None, fulfilment_status: Literal["unallocated", "partially_allocated", "allocated", "partially_shipped", "shipped", "partially_delivered", "delivered"] | None = None, customer: str | None = None, email_address: str | None = None, channel: str | None = None, tags: Sequence[str] | None = None, placed_after: str | None = None, placed_before: str | None = None, ship_by_before: str | None = None, location_id: str | None = None, sku: str | None = None, on_hold: bool | None = None, has_exception: bool | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export orders as CSV."""
        return self._download("GET", "/exports/orders.csv", headers=headers, query={"status": status, "reference": reference, "fulfilment_status": fulfilment_status, "customer": customer, "email_address": email_address, "channel": channel, "tags": tags, "placed_after": placed_after, "placed_before": placed_before, "ship_by_before": ship_by_before, "location_id": location_id, "sku": sku, "on_hold": on_hold, "has_exception": has_exception})

    def export_orders_ndjson(self, *, status: Literal["draft", "committed", "fulfilled", "cancelled"] | None = None, reference: str | None = None, fulfilment_status: Literal["unallocated", "partially_allocated", "allocated", "partially_shipped", "shipped", "partially_delivered", "delivered"] | None = None, customer: str | None = None, email_address: str | None = None, channel: str | None = None, tags: Sequence[str] | None = None, placed_after: str | None = None, placed_before: str | None = None, ship_by_before: str | None = None, location_id: str | None = None, sku: str | None = None, on_hold: bool | None = None, has_exception: bool | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export orders as lines of JSON."""
        return self._download("GET", "/exports/orders.ndjson", headers=headers, query={"status": status, "reference": reference, "fulfilment_status": fulfilment_status, "customer": customer, "email_address": email_address, "channel": channel, "tags": tags, "placed_after": placed_after, "placed_before": placed_before, "ship_by_before": ship_by_before, "location_id": location_id, "sku": sku, "on_hold": on_hold, "has_exception": has_exception})

    def export_package_types_csv(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Export package types as CSV."""
        return self._download("GET", "/exports/package_types.csv", headers=headers)

    def export_package_types_ndjson(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Export package types as lines of JSON."""
        return self._download("GET", "/exports/package_types.ndjson", headers=headers)

    def export_shipments_csv(self, *, status: Literal["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"] | None = None, tracking_status: models.PartialShipmentTrackingStatus | None = None, tracking_number: str | None = None, order_id: str | None = None, reference: str | None = None, carrier: str | None = None, carrier_account: str | None = None, batch_id: str | None = None, location_id: str | None = None, created_after: str | None = None, created_before: str | None = None, purchased_after: str | None = None, purchased_before: str | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export shipments as CSV."""
        return self._download("GET", "/exports/shipments.csv", headers=headers, query={"status": status, "tracking_status": tracking_status, "tracking_number": tracking_number, "order_id": order_id, "reference": reference, "carrier": carrier, "carrier_account": carrier_account, "batch_id": batch_id, "location_id": location_id, "created_after": created_after, "created_before": created_before, "purchased_after": purchased_after, "purchased_before": purchased_before})

    def export_shipments_ndjson(self, *, status: Literal["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"] | None = None, tracking_status: models.PartialShipmentTrackingStatus | None = None, tracking_number: str | None = None, order_id: str | None = None, reference: str | None = None, carrier: str | None = None, carrier_account: str | None = None, batch_id: str | None = None, location_id: str | None = None, created_after: str | None = None, created_before: str | None = None, purchased_after: str | None = None, purchased_before: str | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Export shipments as lines of JSON."""
        return self._download("GET", "/exports/shipments.ndjson", headers=headers, query={"status": status, "tracking_status": tracking_status, "tracking_number": tracking_number, "order_id": order_id, "reference": reference, "carrier": carrier, "carrier_account": carrier_account, "batch_id": batch_id, "location_id": location_id, "created_after": created_after, "created_before": created_before, "purchased_after": purchased_after, "purchased_before": purchased_before})

    def get_file(self, token: str, *, headers: Mapping[str, str] | None = None) -> Download:
        """Download a file."""
        return self._download("GET", f"/files/{segment(token)}", headers=headers)

    def check_health(self, *, headers: Mapping[str, str] | None = None) -> Reply[Any]:
        """Tell whether the process lives."""
        return self._call("GET", "/healthz", headers=headers)

    def list_imports(self, *, limit: int | None = None, cursor: str | None = None, status: Literal["awaiting_content", "queued", "running", "completed", "failed", "cancelled"] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ImportPage]:
        """List imports."""
        return self._call("GET", "/imports", headers=headers, query={"limit": limit, "cursor": cursor, "status": status})

    def iterate_imports(self, *, limit: int | None = None, status: Literal["awaiting_content", "queued", "running", "completed", "failed", "cancelled"] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Import]:
        """Every entry of `list_imports`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_imports(limit=limit, status=status, cursor=cursor, headers=headers))

    def create_import(self, body: models.ImportInput | File, *, type: Literal["orders", "inventory_items", "inventory_levels", "locations", "package_types", "shipments"] | None = None, format: Literal["csv", "ndjson"] | None = None, dry_run: bool | None = None, on_conflict: Literal["skip", "update"] | None = None, on_error: Literal["continue", "stop"] | None = None, locale: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Import]:
        """Start an import."""
        return self._call("POST", "/imports", headers=headers, query={"type": type, "format": format, "dry_run": dry_run, "on_conflict": on_conflict, "on_error": on_error, "locale": locale}, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_inventory_items_template(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Get a template for inventory items."""
        return self._download("GET", "/imports/templates/inventory_items.csv", headers=headers)

    def get_inventory_levels_template(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Get a template for inventory levels."""
        return self._download("GET", "/imports/templates/inventory_levels.csv", headers=headers)

    def get_locations_template(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Get a template for locations."""
        return self._download("GET", "/imports/templates/locations.csv", headers=headers)

    def get_orders_template(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Get a template for orders."""
        return self._download("GET", "/imports/templates/orders.csv", headers=headers)

    def get_package_types_template(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Get a template for package types."""
        return self._download("GET", "/imports/templates/package_types.csv", headers=headers)

    def get_shipments_template(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Get a template for shipments."""
        return self._download("GET", "/imports/templates/shipments.csv", headers=headers)

    def get_import(self, import_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Import]:
        """Get an import."""
        return self._call("GET", f"/imports/{segment(import_id)}", headers=headers)

    def cancel_import(self, import_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Import]:
        """Cancel an import."""
        return self._call("POST", f"/imports/{segment(import_id)}/cancel", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def set_import_content(self, import_id: str, body: File, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Import]:
        """Send the file of an import."""
        return self._call("PUT", f"/imports/{segment(import_id)}/content", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def list_import_errors(self, import_id: str, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ImportErrorPage]:
        """List an import's errors."""
        return self._call("GET", f"/imports/{segment(import_id)}/errors", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_import_errors(self, import_id: str, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.ImportError]:
        """Every entry of `list_import_errors`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_import_errors(import_id, limit=limit, cursor=cursor, headers=headers))

    def get_import_errors(self, import_id: str, *, headers: Mapping[str, str] | None = None) -> Download:
        """Get an import's refused rows."""
        return self._download("GET", f"/imports/{segment(import_id)}/errors.csv", headers=headers)

    def audit_inventory(self, *, headers: Mapping[str, str] | None = None) -> Reply[Any]:
        """Audit the stock."""
        return self._call("GET", "/inventory/audit", headers=headers)

    def list_inventory_items(self, *, limit: int | None = None, cursor: str | None = None, sku: str | None = None, barcode: str | None = None, name: str | None = None, low_stock: bool | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.InventoryItemPage]:
        """List inventory items."""
        return self._call("GET", "/inventory_items", headers=headers, query={"limit": limit, "cursor": cursor, "sku": sku, "barcode": barcode, "name": name, "low_stock": low_stock})

    def iterate_inventory_items(self, *, limit: int | None = None, sku: str | None = None, barcode: str | None = None, name: str | None = None, low_stock: bool | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.InventoryItem]:
        """Every entry of `list_inventory_items`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_inventory_items(limit=limit, sku=sku, barcode=barcode, name=name, low_stock=low_stock, cursor=cursor, headers=headers))

    def create_inventory_item(self, body: models.InventoryItemInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.InventoryItem]:
        """Create an inventory item."""
        return self._call("POST", "/inventory_items", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_inventory_item(self, inventory_item_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.InventoryItem]:
        """Get an inventory item."""
        return self._call("GET", f"/inventory_items/{segment(inventory_item_id)}", headers=headers)

    def update_inventory_item(self, inventory_item_id: str, body: models.InventoryItemPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.InventoryItem]:
        """Update an inventory item."""
        return self._call("PATCH", f"/inventory_items/{segment(inventory_item_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_inventory_item(self, inventory_item_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete an inventory item."""
        return self._call("DELETE", f"/inventory_items/{segment(inventory_item_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def list_inventory_levels(self, inventory_item_id: str, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.InventoryLevelPage]:
        """List the levels of an item."""
        return self._call("GET", f"/inventory_items/{segment(inventory_item_id)}/levels", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_inventory_levels(self, inventory_item_id: str, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.InventoryLevel]:
        """Every entry of `list_inventory_levels`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_inventory_levels(inventory_item_id, limit=limit, cursor=cursor, headers=headers))

    def get_inventory_level(self, inventory_item_id: str, location_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.InventoryLevel]:
        """Get a level."""
        return self._call("GET", f"/inventory_items/{segment(inventory_item_id)}/levels/{segment(location_id)}", headers=headers)

    def set_inventory_level(self, inventory_item_id: str, location_id: str, body: models.InventoryLevelInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.InventoryLevel]:
        """Set a level."""
        return self._call("PUT", f"/inventory_items/{segment(inventory_item_id)}/levels/{segment(location_id)}", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def update_inventory_level(self, inventory_item_id: str, location_id: str, body: models.InventoryLevelPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.InventoryLevel]:
        """Update a level."""
        return self._call("PATCH", f"/inventory_items/{segment(inventory_item_id)}/levels/{segment(location_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def adjust_inventory_level(self, inventory_item_id: str, location_id: str, body: models.InventoryAdjustmentInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.InventoryLevel]:
        """Adjust a level."""
        return self._call("POST", f"/inventory_items/{segment(inventory_item_id)}/levels/{segment(location_id)}/adjust", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def list_inventory_changes(self, inventory_item_id: str, location_id: str, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.InventoryChangePage]:
        """List the changes of a level."""
        return self._call("GET", f"/inventory_items/{segment(inventory_item_id)}/levels/{segment(location_id)}/history", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_inventory_changes(self, inventory_item_id: str, location_id: str, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.InventoryChange]:
        """Every entry of `list_inventory_changes`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_inventory_changes(inventory_item_id, location_id, limit=limit, cursor=cursor, headers=headers))

    def list_location_configurations(self, *, limit: int | None = None, cursor: str | None = None, include_fields: Sequence[Literal["address"]] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.LocationConfigurationSummaryPage]:
        """List location configurations."""
        return self._call("GET", "/location_configurations", headers=headers, query={"limit": limit, "cursor": cursor, "include_fields": include_fields})

    def iterate_location_configurations(self, *, limit: int | None = None, include_fields: Sequence[Literal["address"]] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.LocationConfigurationSummary]:
        """Every entry of `list_location_configurations`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("location_configurations", lambda cursor: self.list_location_configurations(limit=limit, include_fields=include_fields, cursor=cursor, headers=headers))

    def create_location_configuration(self, body: models.LocationConfigurationInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.LocationConfiguration]:
        """Create a location configuration."""
        return self._call("POST", "/location_configurations", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_location_configuration(self, location_configuration_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.LocationConfiguration]:
        """Get a location configuration."""
        return self._call("GET", f"/location_configurations/{segment(location_configuration_id)}", headers=headers)

    def update_location_configuration(self, location_configuration_id: str, body: models.LocationConfigurationPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.LocationConfiguration]:
        """Update a location configuration."""
        return self._call("PATCH", f"/location_configurations/{segment(location_configuration_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_location_configuration(self, location_configuration_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a location configuration."""
        return self._call("DELETE", f"/location_configurations/{segment(location_configuration_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def list_locations(self, *, limit: int | None = None, cursor: str | None = None, tags: Sequence[str] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.LocationPage]:
        """List locations."""
        return self._call("GET", "/locations", headers=headers, query={"limit": limit, "cursor": cursor, "tags": tags})

    def iterate_locations(self, *, limit: int | None = None, tags: Sequence[str] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Location]:
        """Every entry of `list_locations`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("locations", lambda cursor: self.list_locations(limit=limit, tags=tags, cursor=cursor, headers=headers))

    def create_location(self, body: models.LocationInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Location]:
        """Create a location."""
        return self._call("POST", "/locations", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_location(self, location_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Location]:
        """Get a location."""
        return self._call("GET", f"/locations/{segment(location_id)}", headers=headers)

    def update_location(self, location_id: str, body: models.LocationPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Location]:
        """Update a location."""
        return self._call("PATCH", f"/locations/{segment(location_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_location(self, location_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a location."""
        return self._call("DELETE", f"/locations/{segment(location_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def list_manifests(self, *, limit: int | None = None, cursor: str | None = None, status: Literal["creating", "created", "failed"] | None = None, location: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ManifestPage]:
        """List manifests."""
        return self._call("GET", "/manifests", headers=headers, query={"limit": limit, "cursor": cursor, "status": status, "location": location})

    def iterate_manifests(self, *, limit: int | None = None, status: Literal["creating", "created", "failed"] | None = None, location: str | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Manifest]:
        """Every entry of `list_manifests`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_manifests(limit=limit, status=status, location=location, cursor=cursor, headers=headers))

    def create_manifests(self, body: models.ManifestInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CreateManifestsAnswer]:
        """Close out a location's day."""
        return self._call("POST", "/manifests", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_manifest(self, manifest_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Manifest]:
        """Get a manifest."""
        return self._call("GET", f"/manifests/{segment(manifest_id)}", headers=headers)

    def retry_manifest(self, manifest_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Manifest]:
        """Retry a manifest."""
        return self._call("POST", f"/manifests/{segment(manifest_id)}/retry", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def get_me(self, *, headers: Mapping[str, str] | None = None) -> Reply[models.Me]:
        """Get the caller."""
        return self._call("GET", "/me", headers=headers)

    def set_my_password(self, body: models.PasswordInput, *, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Set your password."""
        return self._call("PUT", "/me/password", headers=headers, body=body)

    def get_metrics(self, *, headers: Mapping[str, str] | None = None) -> Download:
        """Read the metrics."""
        return self._download("GET", "/metrics", headers=headers)

    def create_oauth_token(self, body: models.TokenRequestInput, *, headers: Mapping[str, str] | None = None) -> Reply[models.TokenResponse]:
        """Trade a client's credentials for a token."""
        return self._call("POST", "/oauth/token", headers=headers, form=body)

    def get_openapi(self, *, headers: Mapping[str, str] | None = None) -> Reply[Any]:
        """Read the contract."""
        return self._call("GET", "/openapi.json", headers=headers)

    def list_orders(self, *, limit: int | None = None, cursor: str | None = None, status: Literal["draft", "committed", "fulfilled", "cancelled"] | None = None, reference: str | None = None, fulfilment_status: Literal["unallocated", "partially_allocated", "allocated", "partially_shipped", "shipped", "partially_delivered", "delivered"] | None = None, customer: str | None = None, email_address: str | None = None, channel: str | None = None, tags: Sequence[str] | None = None, placed_after: str | None = None, placed_before: str | None = None, ship_by_before: str | None = None, location_id: str | None = None, sku: str | None = None, on_hold: bool | None = None, has_exception: bool | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.OrderPage]:
        """List orders."""
        return self._call("GET", "/orders", headers=headers, query={"limit": limit, "cursor": cursor, "status": status, "reference": reference, "fulfilment_status": fulfilment_status, "customer": customer, "email_address": email_address, "channel": channel, "tags": tags, "placed_after": placed_after, "placed_before": placed_before, "ship_by_before": ship_by_before, "location_id": location_id, "sku": sku, "on_hold": on_hold, "has_exception": has_exception})

    def iterate_orders(self, *, limit: int | None = None, status: Literal["draft", "committed", "fulfilled", "cancelled"] | None = None, reference: str | None = None, fulfilment_status: Literal["unallocated", "partially_allocated", "allocated", "partially_shipped", "shipped", "partially_delivered", "delivered"] | None = None, customer: str | None = None, email_address: str | None = None, channel: str | None = None, tags: Sequence[str] | None = None, placed_after: str | None = None, placed_before: str | None = None, ship_by_before: str | None = None, location_id: str | None = None, sku: str | None = None, on_hold: bool | None = None, has_exception: bool | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Order]:
        """Every entry of `list_orders`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_orders(limit=limit, status=status, reference=reference, fulfilment_status=fulfilment_status, customer=customer, email_address=email_address, channel=channel, tags=tags, placed_after=placed_after, placed_before=placed_before, ship_by_before=ship_by_before, location_id=location_id, sku=sku, on_hold=on_hold, has_exception=has_exception, cursor=cursor, headers=headers))

    def create_order(self, body: models.OrderInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Order]:
        """Create an order."""
        return self._call("POST", "/orders", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_order(self, order_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Order]:
        """Get an order."""
        return self._call("GET", f"/orders/{segment(order_id)}", headers=headers)

    def update_order(self, order_id: str, body: models.OrderPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Order]:
        """Update an order."""
        return self._call("PATCH", f"/orders/{segment(order_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_order(self, order_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete an order."""
        return self._call("DELETE", f"/orders/{segment(order_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def cancel_order(self, order_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Order]:
        """Cancel an order."""
        return self._call("POST", f"/orders/{segment(order_id)}/cancel", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def commit_order(self, order_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Order]:
        """Commit an order."""
        return self._call("POST", f"/orders/{segment(order_id)}/commit", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def resolve_order_exception(self, order_id: str, exception_id: str, body: models.OrderExceptionResolutionInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Order]:
        """Resolve an exception of an order."""
        return self._call("POST", f"/orders/{segment(order_id)}/exceptions/{segment(exception_id)}/resolve", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def hold_order(self, order_id: str, body: models.HoldInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Order]:
        """Put an order on hold."""
        return self._call("POST", f"/orders/{segment(order_id)}/hold", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def match_order_line(self, order_id: str, body: models.OrderLineMatchInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Order]:
        """Match a line of an order with an item."""
        return self._call("POST", f"/orders/{segment(order_id)}/match", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def create_order_note(self, order_id: str, body: models.OrderNoteInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Order]:
        """Add a note to an order."""
        return self._call("POST", f"/orders/{segment(order_id)}/notes", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def release_order(self, order_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Order]:
        """Release an order from its hold."""
        return self._call("POST", f"/orders/{segment(order_id)}/release", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def create_order_shipments(self, order_id: str, body: models.OrderShipmentsInput | None = None, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CreateOrderShipmentsAnswer]:
        """Make shipments from an order."""
        return self._call("POST", f"/orders/{segment(order_id)}/shipments", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_organisation(self, *, headers: Mapping[str, str] | None = None) -> Reply[models.Organisation]:
        """Get the organisation."""
        return self._call("GET", "/organisation", headers=headers)

    def update_organisation(self, body: models.OrganisationPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Organisation]:
        """Update the organisation."""
        return self._call("PATCH", "/organisation", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def list_package_types(self, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PackageTypePage]:
        """List package types."""
        return self._call("GET", "/package_types", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_package_types(self, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.PackageType]:
        """Every entry of `list_package_types`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_package_types(limit=limit, cursor=cursor, headers=headers))

    def create_package_type(self, body: models.PackageTypeInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PackageType]:
        """Create a package type."""
        return self._call("POST", "/package_types", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_package_type(self, package_type_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.PackageType]:
        """Get a package type."""
        return self._call("GET", f"/package_types/{segment(package_type_id)}", headers=headers)

    def update_package_type(self, package_type_id: str, body: models.PackageTypePatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PackageType]:
        """Update a package type."""
        return self._call("PATCH", f"/package_types/{segment(package_type_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_package_type(self, package_type_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a package type."""
        return self._call("DELETE", f"/package_types/{segment(package_type_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def list_passkeys(self, *, limit: int | None = None, cursor: str | None = None, user_id: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PasskeyPage]:
        """List passkeys."""
        return self._call("GET", "/passkeys", headers=headers, query={"limit": limit, "cursor": cursor, "user_id": user_id})

    def iterate_passkeys(self, *, limit: int | None = None, user_id: str | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Passkey]:
        """Every entry of `list_passkeys`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_passkeys(limit=limit, user_id=user_id, cursor=cursor, headers=headers))

    def create_passkey(self, body: models.PasskeyInput, *, headers: Mapping[str, str] | None = None) -> Reply[models.Passkey]:
        """Add a passkey of yours."""
        return self._call("POST", "/passkeys", headers=headers, body=body)

    def create_passkey_challenge(self, *, headers: Mapping[str, str] | None = None) -> Reply[models.PasskeyChallenge]:
        """Get a challenge for a new passkey."""
        return self._call("POST", "/passkeys/challenge", headers=headers)

    def delete_passkey(self, passkey_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a passkey."""
        return self._call("DELETE", f"/passkeys/{segment(passkey_id)}", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def create_password_reset(self, body: models.PasswordResetInput, *, headers: Mapping[str, str] | None = None) -> Reply[models.PasswordReset]:
        """Ask for a new password."""
        return self._call("POST", "/password_resets", headers=headers, body=body)

    def list_print_jobs(self, *, limit: int | None = None, cursor: str | None = None, status: Literal["queued", "sending", "printed", "failed", "uncertain", "cancelled"] | None = None, printer_id: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PrintJobPage]:
        """List print jobs."""
        return self._call("GET", "/print_jobs", headers=headers, query={"limit": limit, "cursor": cursor, "status": status, "printer_id": printer_id})

    def iterate_print_jobs(self, *, limit: int | None = None, status: Literal["queued", "sending", "printed", "failed", "uncertain", "cancelled"] | None = None, printer_id: str | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.PrintJob]:
        """Every entry of `list_print_jobs`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_print_jobs(limit=limit, status=status, printer_id=printer_id, cursor=cursor, headers=headers))

    def create_print_job(self, body: models.PrintJobInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PrintJob]:
        """Print documents."""
        return self._call("POST", "/print_jobs", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def claim_print_jobs(self, body: models.PrintClaimInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ClaimPrintJobsAnswer]:
        """Claim print jobs."""
        return self._call("POST", "/print_jobs/claim", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_print_job(self, print_job_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.PrintJob]:
        """Get a print job."""
        return self._call("GET", f"/print_jobs/{segment(print_job_id)}", headers=headers)

    def cancel_print_job(self, print_job_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PrintJob]:
        """Cancel a print job."""
        return self._call("POST", f"/print_jobs/{segment(print_job_id)}/cancel", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def get_print_job_content(self, print_job_id: str, *, fence: int | None = None, document: int | None = None, headers: Mapping[str, str] | None = None) -> Download:
        """Get a claimed document."""
        return self._download("GET", f"/print_jobs/{segment(print_job_id)}/content", headers=headers, query={"fence": fence, "document": document})

    def reprint_print_job(self, print_job_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PrintJob]:
        """Print a job again."""
        return self._call("POST", f"/print_jobs/{segment(print_job_id)}/reprint", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def report_print_job(self, print_job_id: str, body: models.PrintResultInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PrintJob]:
        """Report a claimed job."""
        return self._call("POST", f"/print_jobs/{segment(print_job_id)}/result", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def list_printers(self, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PrinterPage]:
        """List printers."""
        return self._call("GET", "/printers", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_printers(self, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Printer]:
        """Every entry of `list_printers`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_printers(limit=limit, cursor=cursor, headers=headers))

    def create_printer(self, body: models.PrinterInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Printer]:
        """Create a printer."""
        return self._call("POST", "/printers", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_printer(self, printer_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Printer]:
        """Get a printer."""
        return self._call("GET", f"/printers/{segment(printer_id)}", headers=headers)

    def update_printer(self, printer_id: str, body: models.PrinterPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Printer]:
        """Update a printer."""
        return self._call("PATCH", f"/printers/{segment(printer_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_printer(self, printer_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a printer."""
        return self._call("DELETE", f"/printers/{segment(printer_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def list_purchase_attempts(self, *, limit: int | None = None, cursor: str | None = None, state: Literal["ready", "calling", "checking", "needs_review", "bought", "failed", "voiding", "voided"] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PurchaseAttemptPage]:
        """List purchase attempts."""
        return self._call("GET", "/purchase_attempts", headers=headers, query={"limit": limit, "cursor": cursor, "state": state})

    def iterate_purchase_attempts(self, *, limit: int | None = None, state: Literal["ready", "calling", "checking", "needs_review", "bought", "failed", "voiding", "voided"] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.PurchaseAttempt]:
        """Every entry of `list_purchase_attempts`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_purchase_attempts(limit=limit, state=state, cursor=cursor, headers=headers))

    def get_purchase_attempt(self, purchase_attempt_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.PurchaseAttempt]:
        """Get a purchase attempt."""
        return self._call("GET", f"/purchase_attempts/{segment(purchase_attempt_id)}", headers=headers)

    def resolve_purchase_attempt(self, purchase_attempt_id: str, body: models.ResolutionInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.PurchaseAttempt]:
        """Resolve a purchase attempt."""
        return self._call("POST", f"/purchase_attempts/{segment(purchase_attempt_id)}/resolve", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def check_readiness(self, *, headers: Mapping[str, str] | None = None) -> Reply[Any]:
        """Tell whether requests can be served."""
        return self._call("GET", "/readyz", headers=headers)

    def get_cost_report(self, *, from_: str | None = None, to: str | None = None, group_by: Sequence[Literal["day", "carrier", "service", "location"]] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CostReport]:
        """Report costs."""
        return self._call("GET", "/reports/costs", headers=headers, query={"from": from_, "to": to, "group_by": group_by})

    def list_reservations(self, *, limit: int | None = None, cursor: str | None = None, order_id: Sequence[str] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ReservationPage]:
        """List reservations."""
        return self._call("GET", "/reservations", headers=headers, query={"limit": limit, "cursor": cursor, "order_id": order_id})

    def iterate_reservations(self, *, limit: int | None = None, order_id: Sequence[str] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Reservation]:
        """Every entry of `list_reservations`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_reservations(limit=limit, order_id=order_id, cursor=cursor, headers=headers))

    def list_roles(self, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.RolePage]:
        """List roles."""
        return self._call("GET", "/roles", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_roles(self, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Role]:
        """Every entry of `list_roles`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_roles(limit=limit, cursor=cursor, headers=headers))

    def create_role(self, body: models.RoleInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Role]:
        """Create a role."""
        return self._call("POST", "/roles", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_role(self, role_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Role]:
        """Get a role."""
        return self._call("GET", f"/roles/{segment(role_id)}", headers=headers)

    def update_role(self, role_id: str, body: models.RolePatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Role]:
        """Update a role."""
        return self._call("PATCH", f"/roles/{segment(role_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_role(self, role_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a role."""
        return self._call("DELETE", f"/roles/{segment(role_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def create_sample_data(self, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.SampleData]:
        """Make sample data."""
        return self._call("POST", "/sample_data", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def search_resources(self, *, limit: int | None = None, cursor: str | None = None, q: str | None = None, types: Sequence[Literal["order", "inventory_item", "shipment", "batch", "location"]] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.SearchResultPage]:
        """Search."""
        return self._call("GET", "/search", headers=headers, query={"limit": limit, "cursor": cursor, "q": q, "types": types})

    def iterate_resources(self, *, limit: int | None = None, q: str | None = None, types: Sequence[Literal["order", "inventory_item", "shipment", "batch", "location"]] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.SearchResult]:
        """Every entry of `search_resources`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.search_resources(limit=limit, q=q, types=types, cursor=cursor, headers=headers))

    def list_sessions(self, *, limit: int | None = None, cursor: str | None = None, user_id: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.SessionPage]:
        """List sessions."""
        return self._call("GET", "/sessions", headers=headers, query={"limit": limit, "cursor": cursor, "user_id": user_id})

    def iterate_sessions(self, *, limit: int | None = None, user_id: str | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Session]:
        """Every entry of `list_sessions`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_sessions(limit=limit, user_id=user_id, cursor=cursor, headers=headers))

    def create_session(self, body: models.SessionInput, *, headers: Mapping[str, str] | None = None) -> Reply[models.Session]:
        """Sign in."""
        return self._call("POST", "/sessions", headers=headers, body=body)

    def create_session_challenge(self, *, headers: Mapping[str, str] | None = None) -> Reply[models.SessionChallenge]:
        """Get a challenge for a passkey."""
        return self._call("POST", "/sessions/challenge", headers=headers)

    def delete_current_session(self, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Sign out."""
        return self._call("DELETE", "/sessions/current", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def delete_session(self, session_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """End a session."""
        return self._call("DELETE", f"/sessions/{segment(session_id)}", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def list_shipments(self, *, limit: int | None = None, cursor: str | None = None, status: Literal["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"] | None = None, tracking_status: models.PartialShipmentTrackingStatus | None = None, tracking_number: str | None = None, order_id: str | None = None, reference: str | None = None, carrier: str | None = None, carrier_account: str | None = None, batch_id: str | None = None, location_id: str | None = None, created_after: str | None = None, created_before: str | None = None, purchased_after: str | None = None, purchased_before: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ShipmentPage]:
        """List shipments."""
        return self._call("GET", "/shipments", headers=headers, query={"limit": limit, "cursor": cursor, "status": status, "tracking_status": tracking_status, "tracking_number": tracking_number, "order_id": order_id, "reference": reference, "carrier": carrier, "carrier_account": carrier_account, "batch_id": batch_id, "location_id": location_id, "created_after": created_after, "created_before": created_before, "purchased_after": purchased_after, "purchased_before": purchased_before})

    def iterate_shipments(self, *, limit: int | None = None, status: Literal["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"] | None = None, tracking_status: models.PartialShipmentTrackingStatus | None = None, tracking_number: str | None = None, order_id: str | None = None, reference: str | None = None, carrier: str | None = None, carrier_account: str | None = None, batch_id: str | None = None, location_id: str | None = None, created_after: str | None = None, created_before: str | None = None, purchased_after: str | None = None, purchased_before: str | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Shipment]:
        """Every entry of `list_shipments`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_shipments(limit=limit, status=status, tracking_status=tracking_status, tracking_number=tracking_number, order_id=order_id, reference=reference, carrier=carrier, carrier_account=carrier_account, batch_id=batch_id, location_id=location_id, created_after=created_after, created_before=created_before, purchased_after=purchased_after, purchased_before=purchased_before, cursor=cursor, headers=headers))

    def create_shipment(self, body: models.ShipmentInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Shipment]:
        """Create a shipment."""
        return self._call("POST", "/shipments", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_shipment(self, shipment_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Shipment]:
        """Get a shipment."""
        return self._call("GET", f"/shipments/{segment(shipment_id)}", headers=headers)

    def update_shipment(self, shipment_id: str, body: models.ShipmentPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Shipment]:
        """Update a shipment."""
        return self._call("PATCH", f"/shipments/{segment(shipment_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_shipment(self, shipment_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a shipment."""
        return self._call("DELETE", f"/shipments/{segment(shipment_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def list_shipment_documents(self, shipment_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.ListShipmentDocumentsAnswer]:
        """List a shipment's documents."""
        return self._call("GET", f"/shipments/{segment(shipment_id)}/documents", headers=headers)

    def hand_over_shipment(self, shipment_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Shipment]:
        """Record that the carrier has a shipment."""
        return self._call("POST", f"/shipments/{segment(shipment_id)}/hand_over", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def create_shipment_labels(self, shipment_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Shipment]:
        """Request a shipment's label."""
        return self._call("POST", f"/shipments/{segment(shipment_id)}/labels", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def create_shipment_packing_slip(self, shipment_id: str, body: models.ShipmentPaperInput | None = None, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CreateShipmentPackingSlipAnswer]:
        """Create a shipment's packing slip."""
        return self._call("POST", f"/shipments/{segment(shipment_id)}/packing_slip", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def create_shipment_papers(self, shipment_id: str, body: models.ShipmentPaperInput | None = None, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CreateShipmentPapersAnswer]:
        """Create a file with a shipment's papers."""
        return self._call("POST", f"/shipments/{segment(shipment_id)}/papers", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def purchase_shipment(self, shipment_id: str, body: models.PurchaseInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Shipment]:
        """Purchase a shipment."""
        return self._call("POST", f"/shipments/{segment(shipment_id)}/purchase", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def rate_shipment(self, shipment_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Shipment]:
        """Rate a shipment."""
        return self._call("POST", f"/shipments/{segment(shipment_id)}/rates", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def get_shipment_rule_evaluation(self, shipment_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.ShippingRuleEvaluation]:
        """Get what the shipping rules decided for a shipment."""
        return self._call("GET", f"/shipments/{segment(shipment_id)}/rule_evaluation", headers=headers)

    def list_shipment_scans(self, shipment_id: str, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ScanPage]:
        """List a shipment's scans."""
        return self._call("GET", f"/shipments/{segment(shipment_id)}/scans", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_shipment_scans(self, shipment_id: str, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Scan]:
        """Every entry of `list_shipment_scans`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_shipment_scans(shipment_id, limit=limit, cursor=cursor, headers=headers))

    def create_shipment_scan(self, shipment_id: str, body: models.ScanInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ScanAnswer]:
        """Scan a code to pack it."""
        return self._call("POST", f"/shipments/{segment(shipment_id)}/scans", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_shipment_scan(self, shipment_id: str, scan_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.ScanAnswer]:
        """Get a scan."""
        return self._call("GET", f"/shipments/{segment(shipment_id)}/scans/{segment(scan_id)}", headers=headers)

    def delete_shipment_scan(self, shipment_id: str, scan_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Undo a scan."""
        return self._call("DELETE", f"/shipments/{segment(shipment_id)}/scans/{segment(scan_id)}", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def create_shipment_short(self, shipment_id: str, body: models.ShortInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Short]:
        """Report a short pick."""
        return self._call("POST", f"/shipments/{segment(shipment_id)}/shorts", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_shipment_tracking(self, shipment_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Tracking]:
        """Track a shipment."""
        return self._call("GET", f"/shipments/{segment(shipment_id)}/tracking", headers=headers)

    def void_shipment(self, shipment_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Shipment]:
        """Void a shipment."""
        return self._call("POST", f"/shipments/{segment(shipment_id)}/void", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def list_shipping_rules(self, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ShippingRulePage]:
        """List shipping rules."""
        return self._call("GET", "/shipping_rules", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_shipping_rules(self, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.ShippingRule]:
        """Every entry of `list_shipping_rules`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_shipping_rules(limit=limit, cursor=cursor, headers=headers))

    def create_shipping_rule(self, body: models.ShippingRuleInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ShippingRule]:
        """Create a shipping rule."""
        return self._call("POST", "/shipping_rules", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def evaluate_shipping_rules(self, body: models.ShippingRuleEvaluationInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ShippingRuleEvaluations]:
        """Evaluate the shipping rules."""
        return self._call("POST", "/shipping_rules/evaluate", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def reorder_shipping_rules(self, body: models.ShippingRuleOrderInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ShippingRuleOrder]:
        """Reorder the shipping rules."""
        return self._call("PUT", "/shipping_rules/order", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_shipping_rule(self, shipping_rule_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.ShippingRule]:
        """Get a shipping rule."""
        return self._call("GET", f"/shipping_rules/{segment(shipping_rule_id)}", headers=headers)

    def update_shipping_rule(self, shipping_rule_id: str, body: models.ShippingRulePatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.ShippingRule]:
        """Update a shipping rule."""
        return self._call("PATCH", f"/shipping_rules/{segment(shipping_rule_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_shipping_rule(self, shipping_rule_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a shipping rule."""
        return self._call("DELETE", f"/shipping_rules/{segment(shipping_rule_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def get_sign_in_methods(self, *, headers: Mapping[str, str] | None = None) -> Reply[models.SignInMethods]:
        """Get the ways to sign in."""
        return self._call("GET", "/sign_in_methods", headers=headers)

    def get_summary(self, *, headers: Mapping[str, str] | None = None) -> Reply[models.Summary]:
        """Get what needs attention."""
        return self._call("GET", "/summary", headers=headers)

    def list_users(self, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.UserPage]:
        """List users."""
        return self._call("GET", "/users", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_users(self, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.User]:
        """Every entry of `list_users`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_users(limit=limit, cursor=cursor, headers=headers))

    def create_user(self, body: models.UserInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.UserCreated]:
        """Invite a user."""
        return self._call("POST", "/users", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_user(self, user_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.User]:
        """Get a user."""
        return self._call("GET", f"/users/{segment(user_id)}", headers=headers)

    def update_user(self, user_id: str, body: models.UserPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.User]:
        """Update a user."""
        return self._call("PATCH", f"/users/{segment(user_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_user(self, user_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a user."""
        return self._call("DELETE", f"/users/{segment(user_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def disable_user(self, user_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.User]:
        """Disable a user."""
        return self._call("POST", f"/users/{segment(user_id)}/disable", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def enable_user(self, user_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.User]:
        """Enable a user."""
        return self._call("POST", f"/users/{segment(user_id)}/enable", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def create_user_link(self, user_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.SignInLink]:
        """Make a sign-in link for a user."""
        return self._call("POST", f"/users/{segment(user_id)}/link", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def sign_out_user(self, user_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.User]:
        """Sign a user out everywhere."""
        return self._call("POST", f"/users/{segment(user_id)}/sign_out", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def list_waves(self, *, limit: int | None = None, cursor: str | None = None, status: Literal["queued", "running", "cancelling", "cancelled", "completed"] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.WavePage]:
        """List waves."""
        return self._call("GET", "/waves", headers=headers, query={"limit": limit, "cursor": cursor, "status": status})

    def iterate_waves(self, *, limit: int | None = None, status: Literal["queued", "running", "cancelling", "cancelled", "completed"] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.Wave]:
        """Every entry of `list_waves`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_waves(limit=limit, status=status, cursor=cursor, headers=headers))

    def create_wave(self, body: models.WaveInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Wave]:
        """Start a wave."""
        return self._call("POST", "/waves", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_wave(self, wave_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.Wave]:
        """Get a wave."""
        return self._call("GET", f"/waves/{segment(wave_id)}", headers=headers)

    def cancel_wave(self, wave_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Wave]:
        """Cancel a wave."""
        return self._call("POST", f"/waves/{segment(wave_id)}/cancel", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def list_wave_orders(self, wave_id: str, *, limit: int | None = None, cursor: str | None = None, result: Literal["pending", "done", "exception", "cancelled"] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.WaveOrderPage]:
        """List a wave's orders."""
        return self._call("GET", f"/waves/{segment(wave_id)}/orders", headers=headers, query={"limit": limit, "cursor": cursor, "result": result})

    def iterate_wave_orders(self, wave_id: str, *, limit: int | None = None, result: Literal["pending", "done", "exception", "cancelled"] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.WaveOrder]:
        """Every entry of `list_wave_orders`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_wave_orders(wave_id, limit=limit, result=result, cursor=cursor, headers=headers))

    def create_wave_pick_lists(self, wave_id: str, body: models.PickListsInput | None = None, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.CreateWavePickListsAnswer]:
        """Create a wave's pick lists."""
        return self._call("POST", f"/waves/{segment(wave_id)}/pick_lists", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def retry_wave(self, wave_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.Wave]:
        """Process a wave's exceptions again."""
        return self._call("POST", f"/waves/{segment(wave_id)}/retry", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def list_webhook_endpoints(self, *, limit: int | None = None, cursor: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.WebhookEndpointPage]:
        """List webhook endpoints."""
        return self._call("GET", "/webhook_endpoints", headers=headers, query={"limit": limit, "cursor": cursor})

    def iterate_webhook_endpoints(self, *, limit: int | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.WebhookEndpoint]:
        """Every entry of `list_webhook_endpoints`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_webhook_endpoints(limit=limit, cursor=cursor, headers=headers))

    def create_webhook_endpoint(self, body: models.WebhookEndpointInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.WebhookEndpointWithSecret]:
        """Create a webhook endpoint."""
        return self._call("POST", "/webhook_endpoints", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def get_webhook_endpoint(self, webhook_endpoint_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.WebhookEndpoint]:
        """Get a webhook endpoint."""
        return self._call("GET", f"/webhook_endpoints/{segment(webhook_endpoint_id)}", headers=headers)

    def update_webhook_endpoint(self, webhook_endpoint_id: str, body: models.WebhookEndpointPatch, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.WebhookEndpoint]:
        """Update a webhook endpoint."""
        return self._call("PATCH", f"/webhook_endpoints/{segment(webhook_endpoint_id)}", headers=headers, body=body, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def delete_webhook_endpoint(self, webhook_endpoint_id: str, *, if_match: str | None = None, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[None]:
        """Delete a webhook endpoint."""
        return self._call("DELETE", f"/webhook_endpoints/{segment(webhook_endpoint_id)}", headers=headers, if_match=if_match, takes_key=True, idempotency_key=idempotency_key)

    def list_webhook_deliveries(self, webhook_endpoint_id: str, *, limit: int | None = None, cursor: str | None = None, status: Literal["pending", "succeeded", "retrying", "failed"] | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.WebhookDeliveryPage]:
        """List webhook deliveries."""
        return self._call("GET", f"/webhook_endpoints/{segment(webhook_endpoint_id)}/deliveries", headers=headers, query={"limit": limit, "cursor": cursor, "status": status})

    def iterate_webhook_deliveries(self, webhook_endpoint_id: str, *, limit: int | None = None, status: Literal["pending", "succeeded", "retrying", "failed"] | None = None, headers: Mapping[str, str] | None = None) -> Iterator[models.WebhookDelivery]:
        """Every entry of `list_webhook_deliveries`: pages are read as they are needed, with `limit` entries each."""
        return self._entries("data", lambda cursor: self.list_webhook_deliveries(webhook_endpoint_id, limit=limit, status=status, cursor=cursor, headers=headers))

    def get_webhook_delivery(self, webhook_endpoint_id: str, webhook_delivery_id: str, *, headers: Mapping[str, str] | None = None) -> Reply[models.WebhookDelivery]:
        """Get a webhook delivery."""
        return self._call("GET", f"/webhook_endpoints/{segment(webhook_endpoint_id)}/deliveries/{segment(webhook_delivery_id)}", headers=headers)

    def replay_webhook_delivery(self, webhook_endpoint_id: str, webhook_delivery_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.WebhookDelivery]:
        """Replay a webhook delivery."""
        return self._call("POST", f"/webhook_endpoints/{segment(webhook_endpoint_id)}/deliveries/{segment(webhook_delivery_id)}/replay", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def replay_webhook_endpoint(self, webhook_endpoint_id: str, body: models.WebhookReplayInput, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.WebhookReplay]:
        """Replay events to a webhook endpoint."""
        return self._call("POST", f"/webhook_endpoints/{segment(webhook_endpoint_id)}/replay", headers=headers, body=body, takes_key=True, idempotency_key=idempotency_key)

    def rotate_webhook_secret(self, webhook_endpoint_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.WebhookEndpointWithSecret]:
        """Replace a webhook endpoint's secret."""
        return self._call("POST", f"/webhook_endpoints/{segment(webhook_endpoint_id)}/rotate_secret", headers=headers, takes_key=True, idempotency_key=idempotency_key)

    def test_webhook_endpoint(self, webhook_endpoint_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Reply[models.WebhookDelivery]:
        """Test a webhook endpoint."""
        return self._call("POST", f"/webhook_endpoints/{segment(webhook_endpoint_id)}/test", headers=headers, takes_key=True, idempotency_key=idempotency_key)
