// The list of shipments, with filters, and several of them into a batch.
import { html } from "../app/html.js";
import { post, withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { money, plural } from "../app/format.js";
import { useList } from "../app/resource.js";
import { go, href, usePlace } from "../app/router.js";
import { can } from "../app/session.js";
import { badgeOf } from "../app/states.js";
import { Badge, Button, Empty, PageHead, Time } from "../components/basics.js";
import { person, town } from "../components/address.js";
import { ExportButton } from "../components/export_button.js";
import { Filters, filterValues } from "../components/filters.js";
import { useLocations } from "../components/places.js";
import { ListPanel } from "../components/table.js";

const VIEWS = /** @type {[string, string, Record<string, string>][]} */ ([
  ["all", "All", {}],
  ["draft", "To buy", { status: "draft" }],
  ["rated", "Rated", { status: "rated" }],
  ["purchasing", "Purchasing", { status: "purchasing" }],
  ["purchased", "Purchased", { status: "purchased" }],
  ["failed", "Not bought", { status: "purchase_failed" }],
  ["moving", "In transit", { tracking_status: "in_transit" }],
  ["voided", "Voided", { status: "voided" }],
]);

/** The state that matters: how far the parcel is once it is bought. @param {any} shipment */
export const stateOf = (shipment) => (shipment.status === "purchased" && !["unknown", "pre_transit"].includes(shipment.tracking_status) ? shipment.tracking_status : shipment.status);

const options = (/** @type {string[]} */ states) => /** @type {[string, string][]} */ (states.map((state) => [state, badgeOf(state).word]));

export function Shipments() {
  const { query } = usePlace();
  const locations = useLocations();
  const view = query.get("view") ?? "all";
  const filters = [
    { name: "tracking_number", label: "Tracking number" },
    { name: "reference", label: "Order’s reference" },
    { name: "status", label: "Status", options: options(["draft", "rated", "purchasing", "purchased", "purchase_failed", "voided"]) },
    { name: "tracking_status", label: "Tracking", options: options(["unknown", "pre_transit", "in_transit", "out_for_delivery", "available_for_pickup", "delivered", "return_to_sender", "failure"]) },
    { name: "carrier", label: "Carrier" },
    { name: "location_id", label: "From", options: /** @type {[string, string][]} */ (locations.map(({ id, name }) => [id, name])) },
    { name: "created_after", label: "Made after", type: "date" },
    { name: "created_before", label: "Made before", type: "date" },
    { name: "purchased_after", label: "Bought after", type: "date" },
    { name: "purchased_before", label: "Bought before", type: "date" },
  ];
  const values = { ...VIEWS.find(([key]) => key === view)?.[2], ...filterValues(filters, query) };
  const list = useList(withQuery("/shipments", { ...values, cursor: query.get("cursor"), limit: 50 }), { kind: "shipment" });
  const batch = useAction((key, /** @type {any[]} */ chosen) => post("/batches", { shipments: chosen.map(({ id }) => id) }, { key }));
  const columns = [
    { name: "Shipment", place: "a1", cell: (/** @type {any} */ row) => html`<a class="plain" href=${href(`/shipments/${row.id}`)}><bdi>${row.name ?? row.tracking_number ?? `…${row.id.slice(-8)}`}</bdi></a>${row.tracking_number && row.name && html`<span class="sub mono">${row.tracking_number}</span>`}` },
    { name: "State", place: "a4", cell: (/** @type {any} */ row) => html`<${Badge} state=${stateOf(row)} />` },
    { name: "To", place: "a3", wrap: true, cell: (/** @type {any} */ row) => html`<bdi>${person(row.addresses.destination) || "–"}</bdi><span class="sub"><bdi>${town(row.addresses.destination)}</bdi></span>` },
    { name: "From", at: /** @type {"p3"} */ ("p3"), cell: (/** @type {any} */ row) => html`<bdi>${row.addresses.origin?.display_name ?? row.addresses.origin?.address?.city ?? "–"}</bdi>` },
    { name: "Service", at: /** @type {"p2"} */ ("p2"), cell: (/** @type {any} */ row) => (row.service ? html`${row.service.carrier.name}<span class="sub">${row.service.carrier_service.name}</span>` : html`<span class="soft">${row.carrier?.service_code ?? "not chosen"}</span>`) },
    { name: "Parcels", end: true, at: /** @type {"p3"} */ ("p3"), cell: (/** @type {any} */ row) => row.packages.length },
    { name: "Made", place: "a5", cell: (/** @type {any} */ row) => html`<${Time} at=${row.created_at} />` },
    { name: "Cost", end: true, place: "a2", cell: (/** @type {any} */ row) => (row.cost ? money(row.cost.amount, row.cost.currency_code) : "–") },
  ];
  const empty = Object.keys(values).length > 0
    ? html`<${Empty} title="No shipment matches" actions=${html`<${Button} href=${href("/shipments")}>Show all shipments<//>`}>Change the filters, or look at all of them.<//>`
    : html`<${Empty} title="No shipments yet" actions=${html`<${Button} primary href=${href("/orders?view=ready")}>Orders that are ready<//>`}>Shipments are made of allocated orders, by a wave or on the order’s page.<//>`;
  const start = async (/** @type {any[]} */ chosen) => {
    const answer = await batch.run(chosen);
    if (answer?.data) go(`/batches/${answer.data.id}`);
  };
  return html`
    <${PageHead} title="Shipments" sub="Parcels that leave, left, or come back"><${ExportButton} type="shipments" parameters=${values} /><//>
    <nav class="tabs" aria-label="Saved views">${VIEWS.map(([key, name]) => html`<a key=${key} href=${href(`/shipments${key === "all" ? "" : `?view=${key}`}`)} aria-current=${key === view ? "page" : undefined}>${name}</a>`)}</nav>
    <${Filters} filters=${filters} />
    <${ListPanel} list=${list} columns=${columns} label="Shipments" noun="shipment" empty=${empty} open=${(/** @type {any} */ row) => `/shipments/${row.id}`} name=${(/** @type {any} */ row) => row.name ?? row.id}
      select=${can("batches:write")} bulk=${(/** @type {any[]} */ chosen) => html`<b>${plural(chosen.length, "shipment")}</b><span class="sep"></span><${Button} primary compact busy=${batch.isBusy} onClick=${() => start(chosen)}>Put into a batch<//>`} />`;
}
