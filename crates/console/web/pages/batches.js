// The list of batches: shipments that are bought together.
import { html, useState } from "../app/html.js";
import { withQuery } from "../app/api.js";
import { count } from "../app/format.js";
import { useList } from "../app/resource.js";
import { go, href, usePlace } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, PageHead, Time } from "../components/basics.js";
import { EditDialog } from "../components/edit_dialog.js";
import { Bar } from "../components/progress.js";
import { ListPanel } from "../components/table.js";

const VIEWS = [["", "All"], ["open", "Open"], ["purchasing", "Purchasing"], ["partially_purchased", "Partly purchased"], ["purchase_failed", "Not bought"], ["purchased", "Purchased"]];

/** The parts of a batch's bar. @param {any} batch */
export const partsOf = (batch) => [
  { name: "Bought", value: batch.purchased_count, fill: "f-good" },
  { name: "Not bought", value: Math.min(batch.error_count, batch.shipments_count - batch.purchased_count), fill: "f-bad" },
  { name: "Remaining", value: Math.max(0, batch.shipments_count - batch.purchased_count - batch.error_count), fill: "f-rest" },
];

export function Batches() {
  const { query } = usePlace();
  const [isMaking, setMaking] = useState(false);
  const status = query.get("status") ?? "";
  const list = useList(withQuery("/batches", { status, cursor: query.get("cursor"), limit: 50 }), { kind: "batch" });
  const columns = [
    { name: "Batch", place: "a1", wrap: true, cell: (/** @type {any} */ batch) => html`<a class="plain" href=${href(`/batches/${batch.id}`)}><bdi>${batch.name ?? `Batch …${batch.id.slice(-8)}`}</bdi></a>` },
    { name: "State", place: "a4", cell: (/** @type {any} */ batch) => html`<${Badge} state=${batch.status} />` },
    { name: "Progress", place: "a3", wrap: true, cell: (/** @type {any} */ batch) => html`<${Bar} thin parts=${partsOf(batch)} total=${batch.shipments_count} />` },
    { name: "Shipments", end: true, place: "a2", cell: (/** @type {any} */ batch) => count(batch.shipments_count) },
    { name: "Bought", end: true, at: /** @type {"p2"} */ ("p2"), cell: (/** @type {any} */ batch) => count(batch.purchased_count) },
    { name: "Failed", end: true, at: /** @type {"p2"} */ ("p2"), cell: (/** @type {any} */ batch) => (batch.error_count > 0 ? html`<span class="bad-text">${count(batch.error_count)}</span>` : "0") },
    { name: "Service", at: /** @type {"p3"} */ ("p3"), cell: (/** @type {any} */ batch) => batch.service?.carrier_service?.name ?? html`<span class="soft">by shipment</span>` },
    { name: "Made", place: "a5", cell: (/** @type {any} */ batch) => html`<${Time} at=${batch.created_at} />` },
  ];
  const empty = html`<${Empty} title=${status ? "No batch is in this state" : "No batches yet"} actions=${html`<${Button} primary href=${href("/orders")}>Start a wave from orders<//>`}>A wave puts shipments into batches, which are bought, printed and handed over together.<//>`;
  return html`
    <${PageHead} title="Batches" sub="Shipments that are bought together">${can("batches:write") && html`<${Button} icon="plus" onClick=${() => setMaking(true)}>New batch<//>`}<//>
    <nav class="tabs page-tabs" aria-label="States">${VIEWS.map(([key, name]) => html`<a key=${key} href=${href(`/batches${key ? `?status=${key}` : ""}`)} aria-current=${key === status ? "page" : undefined}>${name}</a>`)}</nav>
    <${ListPanel} list=${list} columns=${columns} label="Batches" noun="batch" empty=${empty} open=${(/** @type {any} */ batch) => `/batches/${batch.id}`} />
    ${isMaking && html`<${EditDialog} title="New batch" path="/batches" fields=${[{ name: "name", label: "Name", required: true, whole: true, placeholder: "Thursday afternoon" }]} note=${html`<p class="soft">Shipments are added from the list of shipments.</p>`} onClose=${() => setMaking(false)} onDone=${(/** @type {any} */ batch) => go(`/batches/${batch.id}`)} />`}`;
}
