// One order: its lines, its plan with reasons, allocations and shipments, timeline, hold and notes.
import { html, useState } from "../app/html.js";
import { post } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, money, plural, sums, words } from "../app/format.js";
import { of, useResource } from "../app/resource.js";
import { href } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Facts, Identifier, Loaded, Notice, PageHead, Panel, TagList, Time } from "../components/basics.js";
import { Address } from "../components/address.js";
import { confirm } from "../components/dialog.js";
import { HoldDialog } from "../components/hold_dialog.js";
import { Menu } from "../components/menu.js";
import { NoteDialog, ResolveDialog } from "../components/order_dialogs.js";
import { OrderEdit } from "../components/order_edit.js";
import { useItems, useLocationName } from "../components/places.js";
import { Plan } from "../components/plan.js";
import { Share } from "../components/progress.js";
import { Table } from "../components/table.js";
import { Timeline } from "../components/timeline.js";
import { isLate, OrderBadges, valueOf } from "./orders.js";

/** @param {{ parts: string[] }} props */
export function Order({ parts: [id] }) {
  const order = useResource(`/orders/${id}`, (event) => event.data?.object?.id === id || event.data?.object?.order?.id === id);
  const allocations = useResource(can("allocations:read") ? `/allocations/orders/${id}` : null, of("allocation", "order", "shipment"));
  const shipments = useResource(can("shipments:read") ? `/shipments?order_id=${id}&limit=50` : null, (event) => event.type.startsWith("shipment.") && (event.data?.object?.order_id === id || event.data?.object?.order_id === undefined));
  return html`<${Loaded} of=${order}>${(/** @type {any} */ data) => html`<${Detail} order=${data} etag=${order.etag} reload=${order.reload} allocations=${allocations} shipments=${shipments} />`}<//>`;
}

/** @param {{ order: any, etag: string | null, reload: () => Promise<void>, allocations: any, shipments: any }} props */
function Detail({ order, etag, reload, allocations, shipments }) {
  const [dialog, setDialog] = useState("");
  const open = allocations.data?.data.filter((/** @type {any} */ one) => !one.shipment_id && !one.completed_at) ?? [];
  const openUnits = open.flatMap((/** @type {any} */ one) => one.items).reduce((/** @type {number} */ sum, /** @type {any} */ item) => sum + item.quantity, 0);
  const everything = () => Promise.all([reload(), allocations.reload(), shipments.reload()]);
  const plan = useAction(() => post(`/allocations/orders/${order.id}/plan?apply=true`).then((answer) => everything().then(() => answer)), { done: "The order is allocated." });
  const ship = useAction((key) => post(`/orders/${order.id}/shipments`, {}, { key }).then((answer) => everything().then(() => answer)), { done: (answer) => `${plural(answer.data.data.length, "shipment")} made.` });
  const release = useAction(() => post(`/orders/${order.id}/release`).then(reload), { done: "The order is released." });
  const commit = useAction(() => post(`/orders/${order.id}/commit`).then(reload), { done: "The order is committed." });
  const isOpen = order.status === "committed";
  const cancel = () => confirm({ title: `Cancel order ${order.reference ?? ""}`, body: "Its reservation and its open allocations are given back to the stock. What was shipped stays shipped. A cancelled order can’t be opened again.", verb: "Cancel the order", danger: true, act: (key) => post(`/orders/${order.id}/cancel`, undefined, { key }).then(everything) });
  const exceptions = order.exceptions.filter((/** @type {any} */ one) => !one.resolved_at);
  const needsPlan = isOpen && ["unallocated", "partially_allocated"].includes(order.fulfilment.status);
  return html`
    <${PageHead} title=${order.reference ?? order.id} crumbs=${[["Orders", "/orders"]]} badge=${html`<${OrderBadges} order=${order} />`}
      sub=${html`<bdi>${order.customer?.name ?? order.destination?.contact?.name ?? ""}</bdi>${order.channel && html` · <bdi>${order.channel}</bdi>`}${order.ship_by && html` · <span class=${isLate(order) ? "bad-text" : ""}>ship by <${Time} at=${order.ship_by} /></span>`}`}>
      ${can("orders:write") && isOpen && (order.hold ? html`<${Button} icon="play" busy=${release.isBusy} onClick=${() => release.run()}>Release<//>` : html`<${Button} icon="pause" onClick=${() => setDialog("hold")}>Hold<//>`)}
      ${can("orders:write") && order.status === "draft" && html`<${Button} primary busy=${commit.isBusy} onClick=${() => commit.run()}>Commit the order<//>`}
      ${can("allocations:write") && needsPlan && !order.hold && html`<${Button} primary=${openUnits === 0} busy=${plan.isBusy} onClick=${() => plan.run()}>Allocate<//>`}
      ${can("shipments:write") && openUnits > 0 && html`<${Button} primary busy=${ship.isBusy} onClick=${() => ship.run()}>Ship ${plural(openUnits, "unit")}<//>`}
      <${Menu} label="More actions" entries=${[can("orders:write") && { name: "Edit", icon: "edit", act: () => setDialog("edit") }, can("orders:write") && { name: "Add a note", icon: "plus", act: () => setDialog("note") }, can("orders:write") && isOpen && { name: "Cancel the order", icon: "x", danger: true, act: cancel }]} />
    <//>
    <div class="columns">
      <div>
        ${order.hold && html`<${Notice} tone="warn" icon="pause" title=${html`On hold: <bdi>${order.hold.reason}</bdi>`}>It is not planned, and its shipments are not bought.${order.hold.until && html` The hold ends by itself: <${Time} at=${order.hold.until} />.`}<//>`}
        ${exceptions.map((/** @type {any} */ one) => html`<${Notice} key=${one.id} tone="bad" icon="warn" title=${html`${words(one.code)} <code class="tiny">${one.code}</code>`} actions=${html`${can("orders:write") && html`<${Button} compact onClick=${() => setDialog(`resolve ${one.id}`)}>Resolve<//>`}${one.shipment_id && html`<${Button} compact ghost href=${href(`/shipments/${one.shipment_id}`)}>Open the shipment<//>`}`}>${one.message}<//>`)}
        <${Lines} order=${order} allocations=${allocations.data?.data ?? []} />
        ${isOpen && can("allocations:write") && !order.hold && html`<${Plan} order=${order} onApplied=${everything} />`}
        <${Ways} allocations=${allocations.data?.data ?? []} shipments=${shipments.data?.data ?? []} />
        <${Timeline} id=${order.id} />
      </div>
      <div>
        <${Panel} title="Customer"><div class="body"><${Facts} rows=${[["Name", html`<bdi>${order.customer?.name ?? "–"}</bdi>`], order.customer?.company && ["Company", html`<bdi>${order.customer.company}</bdi>`], ["E-mail", html`<bdi>${order.customer?.email_address ?? "–"}</bdi>`], ["Telephone", order.customer?.phone_number ?? order.destination?.contact?.phone_number]]} /></div><//>
        <${Panel} title="Destination" actions=${can("orders:write") && isOpen && html`<${Button} ghost compact icon="edit" label="Edit the destination" onClick=${() => setDialog("edit")} />`}><div class="body small"><${Address} record=${order.destination} /></div><//>
        <${Panel} title="Details"><div class="body"><${Facts} rows=${[["Placed", html`<${Time} at=${order.placed_at ?? order.created_at} />`], ["Asked for", order.requested_service && html`“<bdi>${order.requested_service}</bdi>”`], order.source?.external_number && ["Source", html`<bdi>${order.source.external_number}</bdi>`], ["Tags", html`<${TagList} codes=${order.tags} />`], ["Id", html`<${Identifier} id=${order.id} />`]]} /></div><//>
        <${Panel} title="Notes" actions=${can("orders:write") && html`<${Button} ghost compact icon="plus" onClick=${() => setDialog("note")}>Add<//>`}><div class="body">${order.notes.length ? html`<ul class="stack small">${order.notes.map((/** @type {any} */ note) => html`<li key=${note.id}><bdi>${note.text}</bdi><br /><span class="soft tiny"><${Time} at=${note.created_at} />${note.is_for_customer ? ", for the customer" : ""}</span></li>`)}</ul>` : html`<p class="soft small">None yet.</p>`}</div><//>
        <${Cost} shipments=${shipments.data?.data ?? []} />
      </div>
    </div>
    ${dialog === "hold" && html`<${HoldDialog} orders=${[order]} onClose=${() => setDialog("")} onDone=${() => { setDialog(""); reload(); }} />`}
    ${dialog === "note" && html`<${NoteDialog} order=${order} onClose=${() => setDialog("")} onDone=${() => { setDialog(""); reload(); }} />`}
    ${dialog === "edit" && html`<${OrderEdit} order=${order} etag=${etag} onClose=${() => setDialog("")} onDone=${() => { setDialog(""); reload(); }} />`}
    ${dialog.startsWith("resolve ") && html`<${ResolveDialog} order=${order} exception=${order.exceptions.find((/** @type {any} */ one) => one.id === dialog.slice(8))} onClose=${() => setDialog("")} onDone=${() => { setDialog(""); reload(); }} />`}`;
}

/** @param {{ order: any, allocations: any[] }} props */
function Lines({ order, allocations }) {
  const lines = order.lines?.length ? order.lines : (order.items ?? []).map((/** @type {any} */ item) => ({ id: item.id, item_id: item.id, quantity: item.quantity }));
  const items = useItems(lines.map((/** @type {any} */ line) => line.item_id).filter(Boolean));
  const allocated = (/** @type {string} */ item) => allocations.flatMap((one) => one.items).filter((one) => one.id === item).reduce((sum, one) => sum + one.quantity, 0);
  const units = lines.reduce((/** @type {number} */ sum, /** @type {any} */ line) => sum + line.quantity, 0);
  return html`<${Panel} title="Lines" note=${`${plural(lines.length, "line")}, ${plural(units, "unit")}`} footer=${html`<span class="spring"></span><span>Goods</span><b class="nowrap">${valueOf(order)}</b>`}>
    <${Table} label="Lines" rows=${lines} columns=${[
      { name: "Item", place: "a1", wrap: true, cell: (/** @type {any} */ line) => html`${line.item_id ? html`<a class="plain" href=${href(`/stock/${line.item_id}`)}><bdi>${line.name ?? items.get(line.item_id)?.name ?? line.item_id}</bdi></a>` : html`<bdi>${line.name ?? line.sku}</bdi>`}<span class="sub mono">${line.sku ?? items.get(line.item_id)?.sku ?? ""}</span>` },
      { name: "Ordered", end: true, at: "p2", cell: (/** @type {any} */ line) => count(line.quantity) },
      { name: "Allocated", place: "a4", cell: (/** @type {any} */ line) => (line.item_id ? html`<${Share} done=${Math.min(line.quantity, allocated(line.item_id))} of=${line.quantity} what="allocated" />` : html`<${Badge} state="unknown" kind="line" />`) },
      { name: "Each", end: true, at: "p2", cell: (/** @type {any} */ line) => money(line.unit_price, order.currency_code) },
      { name: "Total", end: true, place: "a2", cell: (/** @type {any} */ line) => html`<b>${line.unit_price === null || line.unit_price === undefined ? "–" : money(line.unit_price * line.quantity, order.currency_code)}</b>` },
    ]} />
  <//>`;
}

/** @param {{ allocations: any[], shipments: any[] }} props */
function Ways({ allocations, shipments }) {
  const placeName = useLocationName();
  const items = useItems(allocations.flatMap((one) => one.items.map((/** @type {any} */ item) => item.id)));
  if (allocations.length === 0 && shipments.length === 0) return null;
  const rows = [...allocations.map((one) => ({ ...one, shipment: shipments.find((shipment) => shipment.id === one.shipment_id) })), ...shipments.filter((shipment) => !allocations.some((one) => one.shipment_id === shipment.id)).map((shipment) => ({ id: shipment.id, items: shipment.packages.flatMap((/** @type {any} */ box) => box.items ?? []), shipment }))];
  return html`<${Panel} title="Allocations and shipments">
    <${Table} label="Allocations and shipments" rows=${rows} columns=${[
      { name: "From", place: "a1", wrap: true, cell: (/** @type {any} */ row) => html`<bdi>${row.location ? placeName(row.location.id) : (row.shipment?.addresses.origin?.display_name ?? row.shipment?.addresses.origin?.address?.city ?? "–")}</bdi>` },
      { name: "Units", place: "a3", wrap: true, cell: (/** @type {any} */ row) => row.items.map((/** @type {any} */ item) => `${count(item.quantity)} × ${items.get(item.id)?.name ?? "item"}`).join(", ") },
      { name: "Shipment", place: "a2", cell: (/** @type {any} */ row) => (row.shipment ? html`<a href=${href(`/shipments/${row.shipment.id}`)}><bdi>${row.shipment.name ?? "Shipment"}</bdi></a><span class="sub mono">${row.shipment.tracking_number ?? ""}</span>` : html`<span class="soft">not made yet</span>`) },
      { name: "Carrier", at: "p2", cell: (/** @type {any} */ row) => (row.shipment?.service ? html`${row.shipment.service.carrier.name}<span class="sub">${row.shipment.service.carrier_service.name}</span>` : html`<span class="soft">–</span>`) },
      { name: "State", place: "a4", cell: (/** @type {any} */ row) => html`<${Badge} state=${row.shipment ? (row.shipment.status === "purchased" && row.shipment.tracking_status !== "unknown" ? row.shipment.tracking_status : row.shipment.status) : row.completed_at ? "shipped" : "allocated"} />` },
    ]} />
  <//>`;
}

/** @param {{ shipments: any[] }} props */
function Cost({ shipments }) {
  const bought = shipments.filter((shipment) => shipment.cost);
  if (bought.length === 0) return null;
  return html`<${Panel} title="Cost of shipping"><div class="body"><dl class="sum">${bought.map((shipment) => html`<dt><bdi>${shipment.name ?? "Shipment"}</bdi></dt><dd>${money(shipment.cost.amount, shipment.cost.currency_code)}</dd>`)}<dt class="total">Together</dt><dd class="total">${sums(bought.map((shipment) => shipment.cost))}</dd></dl></div><//>`;
}

