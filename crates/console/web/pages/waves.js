// The list of waves: many orders processed at once.
import { html, useState } from "../app/html.js";
import { withQuery } from "../app/api.js";
import { count } from "../app/format.js";
import { useList } from "../app/resource.js";
import { href, usePlace } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, PageHead, Time } from "../components/basics.js";
import { Bar } from "../components/progress.js";
import { ListPanel } from "../components/table.js";
import { WaveDialog } from "../components/wave_dialog.js";

const VIEWS = [["", "All"], ["queued", "Queued"], ["running", "Running"], ["completed", "Completed"], ["cancelled", "Cancelled"]];

/** @param {any} wave */
export const wavePartsOf = (wave) => [
  { name: "Done", value: wave.done_count, fill: "f-good" },
  { name: "Exceptions", value: wave.exceptions_count, fill: "f-bad" },
  { name: "Cancelled", value: wave.cancelled_count, fill: "f-idle" },
  { name: "Pending", value: wave.pending_count, fill: "f-rest" },
];

export function Waves() {
  const { query } = usePlace();
  const [isStarting, setStarting] = useState(false);
  const status = query.get("status") ?? "";
  const list = useList(withQuery("/waves", { status, cursor: query.get("cursor"), limit: 50 }), { kind: "wave" });
  const columns = [
    { name: "Wave", place: "a1", wrap: true, cell: (/** @type {any} */ wave) => html`<a class="plain" href=${href(`/waves/${wave.id}`)}><bdi>${wave.name ?? `Wave …${wave.id.slice(-8)}`}</bdi></a>` },
    { name: "State", place: "a4", cell: (/** @type {any} */ wave) => html`<${Badge} state=${wave.status} />` },
    { name: "Progress", place: "a3", wrap: true, cell: (/** @type {any} */ wave) => html`<${Bar} thin parts=${wavePartsOf(wave)} total=${wave.orders_count} />` },
    { name: "Orders", end: true, place: "a2", cell: (/** @type {any} */ wave) => count(wave.orders_count) },
    { name: "Exceptions", end: true, at: /** @type {"p2"} */ ("p2"), cell: (/** @type {any} */ wave) => (wave.exceptions_count > 0 ? html`<span class="bad-text">${count(wave.exceptions_count)}</span>` : "0") },
    { name: "Shipments", end: true, at: /** @type {"p2"} */ ("p2"), cell: (/** @type {any} */ wave) => count(wave.shipments_count) },
    { name: "Steps", at: /** @type {"p3"} */ ("p3"), cell: (/** @type {any} */ wave) => (wave.steps ?? []).join(", ") },
    { name: "Started", place: "a5", cell: (/** @type {any} */ wave) => html`<${Time} at=${wave.started_at ?? wave.created_at} />` },
  ];
  const start = can("waves:write") && html`<${Button} primary icon="waves" onClick=${() => setStarting(true)}>Start a wave<//>`;
  return html`
    <${PageHead} title="Waves" sub="Many orders, from stock to labels, in one go">${start}<//>
    <nav class="tabs page-tabs" aria-label="States">${VIEWS.map(([key, name]) => html`<a key=${key} href=${href(`/waves${key ? `?status=${key}` : ""}`)} aria-current=${key === status ? "page" : undefined}>${name}</a>`)}</nav>
    <${ListPanel} list=${list} columns=${columns} label="Waves" noun="wave" open=${(/** @type {any} */ wave) => `/waves/${wave.id}`} empty=${html`<${Empty} title=${status ? "No wave is in this state" : "No waves yet"} actions=${start}>A wave allocates open orders, packs them by the rules, puts the shipments into batches and, if you ask for it, buys the labels.<//>`} />
    ${isStarting && html`<${WaveDialog} orders=${[]} filter=${{}} onClose=${() => setStarting(false)} />`}`;
}
