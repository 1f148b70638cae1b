// The list of orders: saved views, filters in the address, and several orders into a wave.
import { html, useState } from "../app/html.js";
import { post, withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, money, plural } from "../app/format.js";
import { useList } from "../app/resource.js";
import { href, usePlace } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, PageHead, Tag, Time } from "../components/basics.js";
import { ExportButton } from "../components/export_button.js";
import { Filters, filterValues } from "../components/filters.js";
import { town } from "../components/address.js";
import { SampleData } from "../components/sample_data.js";
import { ListPanel } from "../components/table.js";
import { toast } from "../components/toast.js";
import { useLocations } from "../components/places.js";
import { WaveDialog } from "../components/wave_dialog.js";
import { HoldDialog } from "../components/hold_dialog.js";

const STATUSES = /** @type {[string, string][]} */ ([["unallocated", "Unallocated"], ["partially_allocated", "Partly allocated"], ["allocated", "Allocated"], ["partially_shipped", "Partly shipped"], ["shipped", "Shipped"], ["partially_delivered", "Partly delivered"], ["delivered", "Delivered"]]);

/** Saved views: what each adds to the list. */
const VIEWS = /** @type {[string, string, Record<string, any>][]} */ ([
  ["open", "Open", { status: "committed" }],
  ["allocate", "To allocate", { status: "committed", fulfilment_status: "unallocated" }],
  ["ready", "Ready to ship", { status: "committed", fulfilment_status: "allocated" }],
  ["late", "Late", { status: "committed", ship_by_before: "now" }],
  ["hold", "On hold", { on_hold: "true" }],
  ["exceptions", "Exceptions", { has_exception: "true" }],
  ["drafts", "Drafts", { status: "draft" }],
  ["all", "All", {}],
]);

/** The value of an order: what its lines cost. @param {any} order */
export function valueOf(order) {
  const priced = (order.lines ?? []).filter((/** @type {any} */ line) => line.unit_price !== null && line.unit_price !== undefined);
  if (priced.length === 0 || !order.currency_code) return "–";
  return money(priced.reduce((/** @type {number} */ sum, /** @type {any} */ line) => sum + line.unit_price * line.quantity, 0), order.currency_code);
}

/** @param {any} order */
export const unitsOf = (order) => ((order.lines?.length ? order.lines : order.items) ?? []).reduce((/** @type {number} */ sum, /** @type {any} */ line) => sum + line.quantity, 0);

/** @param {any} order */
export const isLate = (order) => order.ship_by && order.status === "committed" && new Date(order.ship_by).getTime() < Date.now() && !/^(shipped|delivered|partially_delivered)$/.test(order.fulfilment?.status);

/** What matters most about an order. @param {{ order: any }} props */
export function OrderBadges({ order }) {
  const main = order.status === "committed" ? order.fulfilment?.status : order.status;
  return html`<${Badge} state=${main ?? "draft"} />${order.hold && html` <${Badge} state="on_hold" />`}${order.exceptions?.some((/** @type {any} */ one) => !one.resolved_at) && html` <${Tag} tone="bad" icon="warn">Exception<//>`}`;
}

export function Orders() {
  const { query } = usePlace();
  const locations = useLocations();
  const view = query.get("view") ?? "open";
  const filters = [
    { name: "reference", label: "Reference" },
    { name: "fulfilment_status", label: "Fulfilment", options: STATUSES },
    { name: "customer", label: "Customer" },
    { name: "email_address", label: "E-mail", type: "email" },
    { name: "channel", label: "Channel" },
    { name: "sku", label: "SKU" },
    { name: "tags", label: "Tag" },
    { name: "location_id", label: "Location", options: /** @type {[string, string][]} */ (locations.map(({ id, name }) => [id, name])) },
    { name: "placed_after", label: "Placed after", type: "date" },
    { name: "placed_before", label: "Placed before", type: "date" },
    { name: "ship_by_before", label: "Ship by before", type: "date" },
  ];
  const preset = VIEWS.find(([key]) => key === view)?.[2] ?? {};
  // The hour is enough: a filter that changes every moment would make a new list each time.
  const [now] = useState(() => new Date().toISOString());
  const values = { ...preset, ...(preset.ship_by_before ? { ship_by_before: now } : {}), ...filterValues(filters, query) };
  const list = useList(withQuery("/orders", { ...values, cursor: query.get("cursor"), limit: 50 }), { kind: "order" });
  const [waving, setWaving] = useState(/** @type {any[] | null} */ (null));
  const [holding, setHolding] = useState(/** @type {any[] | null} */ (null));
  const columns = [
    { name: "Order", place: "a1", cell: (/** @type {any} */ order) => html`<a class="plain" href=${href(`/orders/${order.id}`)}><bdi>${order.reference ?? order.id}</bdi></a>${order.channel && html`<span class="sub"><bdi>${order.channel}</bdi></span>`}` },
    { name: "State", place: "a4", cell: (/** @type {any} */ order) => html`<${OrderBadges} order=${order} />` },
    { name: "Customer", place: "a3", wrap: true, cell: (/** @type {any} */ order) => html`<bdi>${order.customer?.name ?? order.customer?.company ?? order.destination?.contact?.name ?? "–"}</bdi><span class="sub"><bdi>${town(order.destination)}</bdi></span>` },
    { name: "Items", at: /** @type {"p2"} */ ("p2"), cell: (/** @type {any} */ order) => `${plural((order.lines?.length ? order.lines : order.items ?? []).length, "line")}, ${plural(unitsOf(order), "unit")}` },
    { name: "Ship by", place: "a5", cell: (/** @type {any} */ order) => html`${isLate(order) ? html`<span class="bad-text"><${Time} at=${order.ship_by} /></span>` : html`<${Time} at=${order.ship_by} />`}` },
    { name: "Placed", at: /** @type {"p3"} */ ("p3"), class: "soft", cell: (/** @type {any} */ order) => html`<${Time} at=${order.placed_at ?? order.created_at} />` },
    { name: "Value", end: true, place: "a2", cell: valueOf },
  ];
  const isFiltered = filters.some(({ name }) => query.get(name));
  const empty = isFiltered || view !== "open"
    ? html`<${Empty} title="No order matches" actions=${html`<${Button} href=${href("/orders?view=all")}>Show all orders<//>`}>Orders that match will appear here by themselves.<//>`
    : html`<${Empty} title="No open orders" actions=${html`${can("orders:write") && html`<${Button} primary href=${href("/orders/new")}>Write an order<//>`}<${SampleData} onDone=${list.reload} />${can("imports:write") && html`<${Button} href=${href("/imports")}>Import a file<//>`}<a class="btn" href="/docs/guide/orders" target="_blank" rel="noopener">Send orders by the API</a>`}>Orders come from your shop by the API or in a file, or you write one here.<//>`;
  return html`
    <${PageHead} title="Orders" sub="What customers wait for">
      <${ExportButton} type="orders" parameters=${values} />
      ${can("waves:write") && html`<${Button} icon="waves" onClick=${() => setWaving([])}>Start a wave<//>`}
      ${can("orders:write") && html`<${Button} primary icon="plus" href=${href("/orders/new")}>New order<//>`}
    <//>
    <nav class="tabs" aria-label="Saved views">${VIEWS.map(([key, name]) => html`<a key=${key} href=${href(`/orders${key === "open" ? "" : `?view=${key}`}`)} aria-current=${key === view ? "page" : undefined}>${name}</a>`)}</nav>
    <${Filters} filters=${filters} />
    <${ListPanel} list=${list} columns=${columns} label="Orders" noun="order" empty=${empty} name=${(/** @type {any} */ order) => `order ${order.reference ?? order.id}`} open=${(/** @type {any} */ order) => `/orders/${order.id}`}
      select=${can("waves:write") || can("orders:write")}
      bulk=${(/** @type {any[]} */ chosen) => html`<b>${plural(chosen.length, "order")}, ${plural(chosen.reduce((sum, order) => sum + unitsOf(order), 0), "unit")}</b><span class="sep"></span>
        ${can("waves:write") && html`<${Button} primary compact onClick=${() => setWaving(chosen)}>Start a wave<//>`}
        ${can("orders:write") && html`<${Button} compact icon="pause" onClick=${() => setHolding(chosen)}>Hold<//><${Release} orders=${chosen.filter((order) => order.hold)} />`}`} />
    ${waving && html`<${WaveDialog} orders=${waving} filter=${waving.length === 0 ? values : null} onClose=${() => setWaving(null)} />`}
    ${holding && html`<${HoldDialog} orders=${holding} onClose=${() => setHolding(null)} onDone=${() => { setHolding(null); list.reload(); }} />`}`;
}

/** @param {{ orders: any[] }} props */
function Release({ orders }) {
  const { run, isBusy } = useAction(async () => {
    for (const order of orders) await post(`/orders/${order.id}/release`);
    toast(`${plural(orders.length, "order")} released.`);
  });
  return orders.length > 0 && html`<${Button} compact busy=${isBusy} onClick=${() => run()}>Release ${count(orders.length)}<//>`;
}

