// One wave: live progress, exceptions with their repair, its batches and its pick list.
import { html, useState } from "../app/html.js";
import { post, withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, plural, words } from "../app/format.js";
import { useList, useResource } from "../app/resource.js";
import { href, usePlace } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, Facts, Identifier, Loaded, Notice, PageHead, Panel, Tabs, Time } from "../components/basics.js";
import { confirm } from "../components/dialog.js";
import { Documents } from "../components/documents.js";
import { Icon } from "../components/icon.js";
import { Bar, Progress } from "../components/progress.js";
import { ListPanel } from "../components/table.js";
import { partsOf } from "./batches.js";
import { wavePartsOf } from "./waves.js";

/** What to do about each cause that keeps an order from going on. */
const REPAIRS = /** @type {Record<string, string>} */ ({
  insufficient_stock: "Receive or count stock, then try again.",
  on_hold: "Release the orders, then try again.",
  order_on_hold: "Release the orders, then try again.",
  no_package_type: "Make a package type that is large enough, then try again.",
  rates_unavailable: "Check mass, dimensions and destination, then try again.",
});

/** @param {{ parts: string[] }} props */
export function Wave({ parts: [id] }) {
  const wave = useResource(`/waves/${id}`, (event) => event.data?.object?.id === id || event.type.startsWith("wave."));
  return html`<${Loaded} of=${wave}>${(/** @type {any} */ data) => html`<${Detail} wave=${data} reload=${wave.reload} />`}<//>`;
}

/** @param {{ wave: any, reload: () => Promise<void> }} props */
function Detail({ wave, reload }) {
  const { query } = usePlace();
  const [papers, setPapers] = useState(/** @type {any[] | null} */ (null));
  const isOver = ["completed", "cancelled"].includes(wave.status);
  const tab = query.get("tab") ?? (wave.exceptions_count > 0 ? "exceptions" : wave.batch_ids.length > 0 ? "batches" : "orders");
  const name = wave.name ?? `Wave …${wave.id.slice(-8)}`;
  const picks = useAction((key) => post(`/waves/${wave.id}/pick_lists`, {}, { key }).then((answer) => { setPapers(answer.data.data); return answer; }), { done: "The pick list is ready." });
  const retry = useAction((key) => post(`/waves/${wave.id}/retry`, undefined, { key }).then(reload), { done: "The exceptions are tried again." });
  const cancel = () => confirm({ title: `Cancel ${name}`, body: "Orders that are not begun yet are left as they are. What is done stays done; what is bought stays bought.", verb: "Cancel the wave", danger: true, act: (key) => post(`/waves/${wave.id}/cancel`, undefined, { key }).then(reload) });
  return html`
    <${PageHead} title=${name} crumbs=${[["Waves", "/waves"]]} badge=${html`<${Badge} big state=${wave.status} />`} sub=${`${plural(wave.orders_count, "order")} · ${(wave.steps ?? []).join(", ")}`}>
      ${!isOver && wave.status !== "cancelling" && can("waves:write") && html`<${Button} onClick=${cancel}>Cancel the wave<//>`}
      ${wave.shipments_count > 0 && can("waves:write") && html`<${Button} icon="stock" busy=${picks.isBusy} onClick=${() => picks.run()}>Pick list<//>`}
      ${isOver && wave.exceptions_count > 0 && can("waves:write") && html`<${Button} primary busy=${retry.isBusy} onClick=${() => retry.run()}>Try ${plural(wave.exceptions_count, "order")} again<//>`}
      ${wave.batch_ids.length === 1 && html`<${Button} primary=${wave.exceptions_count === 0} href=${href(`/batches/${wave.batch_ids[0]}`)}>Open the batch<//>`}
    <//>
    <${Panel} title=${isOver ? "Result" : "Working"} note=${isOver ? null : "You may leave this page: the wave goes on."}><div class="body"><${Progress} parts=${wavePartsOf(wave)} total=${wave.orders_count} more=${[["Shipments", count(wave.shipments_count)], ["Batches", count(wave.batch_ids.length)]]} /></div><//>
    ${papers && html`<div class="above-top"><${Panel} title="Pick list"><${Documents} documents=${papers} /><//></div>`}
    ${wave.errors.map((/** @type {any} */ error) => html`<div class="above-top" key=${error.batch_id}><${Notice} tone="bad" icon="warn" title=${html`A batch was not bought <code class="tiny">${error.code}</code>`} actions=${html`<${Button} compact href=${href(`/batches/${error.batch_id}`)}>Open the batch<//>`}>${error.message}<//></div>`)}
    <${Tabs} label="Parts of the wave" current=${tab} path=${(/** @type {string} */ key) => href(`/waves/${wave.id}?tab=${key}`)} tabs=${[["exceptions", "Exceptions", wave.exceptions_count || undefined], ["orders", "Orders", count(wave.orders_count)], ["batches", "Batches", wave.batch_ids.length || undefined]]} />
    <div class="columns"><div>
      ${tab === "exceptions" && html`<${Exceptions} wave=${wave} />`}
      ${tab === "orders" && html`<${WaveOrders} wave=${wave} result="" />`}
      ${tab === "batches" && (wave.batch_ids.length === 0 ? html`<${Panel}><${Empty} title="No batches">${isOver ? "The wave made no shipments that go into a batch." : "They appear as the wave goes on."}<//><//>` : wave.batch_ids.map((/** @type {string} */ id) => html`<${BatchCard} key=${id} id=${id} />`))}
    </div><div>
      <${Panel} title="Wave"><div class="body"><${Facts} rows=${[["Steps", (wave.steps ?? []).join(", ")], ["Groups by", (wave.group_by ?? []).map(words).join(", ")], ["Started", html`<${Time} at=${wave.started_at} />`], ["Ended", html`<${Time} at=${wave.ended_at} />`], ["Id", html`<${Identifier} id=${wave.id} />`]]} /></div><//>
    </div></div>`;
}

/** @param {{ wave: any }} props */
function Exceptions({ wave }) {
  if (wave.exceptions_count === 0) return html`<${Panel}><${Empty} title="No exceptions">Every order that was processed went through.<//><//>`;
  return html`
    ${wave.exceptions.map((/** @type {any} */ one) => html`<section class="panel cause" key=${one.code}><header><span class="mark warn"><${Icon} name="warn" /></span><div><h3>${count(one.orders_count)} × ${words(one.code)} <code>${one.code}</code></h3><p>${REPAIRS[one.code] ?? "Open the orders below; each says what is missing. Then try them again."}</p></div></header></section>`)}
    <${WaveOrders} wave=${wave} result="exception" />`;
}

/** @param {{ wave: any, result: string }} props */
function WaveOrders({ wave, result }) {
  const { query } = usePlace();
  const list = useList(withQuery(`/waves/${wave.id}/orders`, { result, cursor: query.get("cursor"), limit: 50 }), { also: ["wave"] });
  return html`<${ListPanel} list=${list} label="Orders of the wave" noun="order" id=${(/** @type {any} */ row) => row.order_id} open=${(/** @type {any} */ row) => `/orders/${row.order_id}`} empty=${html`<${Empty} title="No orders here" />`} columns=${[
    { name: "Order", place: "a1", cell: (/** @type {any} */ row) => html`<a class="plain" href=${href(`/orders/${row.order_id}`)}><bdi>${row.reference ?? `…${row.order_id.slice(-8)}`}</bdi></a>` },
    { name: "Result", place: "a4", cell: (/** @type {any} */ row) => html`<${Badge} state=${row.result} />` },
    { name: "Step", at: "p2", cell: (/** @type {any} */ row) => row.step ?? "–" },
    { name: "What happened", place: "a3", wrap: true, cell: (/** @type {any} */ row) => (row.message ? html`${row.message}<span class="sub"><code>${row.code}</code></span>` : row.shipment_ids.length ? html`${row.shipment_ids.map((/** @type {string} */ id, /** @type {number} */ place) => html`<a key=${id} href=${href(`/shipments/${id}`)}>Shipment ${place + 1}</a> `)}` : html`<span class="soft">–</span>`) },
  ]} />`;
}

/** @param {{ id: string }} props */
function BatchCard({ id }) {
  const batch = useResource(`/batches/${id}`, (event) => event.data?.object?.id === id);
  return html`<${Loaded} of=${batch} rows=${1}>${(/** @type {any} */ data) => html`<${Panel} title=${html`<a class="plain" href=${href(`/batches/${id}`)}><bdi>${data.name ?? "Batch"}</bdi></a>`} note=${plural(data.shipments_count, "shipment")} actions=${html`<${Badge} state=${data.status} /><${Button} compact href=${href(`/batches/${id}`)}>Open<//>`}><div class="body"><${Bar} thin parts=${partsOf(data)} total=${data.shipments_count} /></div><//>`}<//>`;
}
