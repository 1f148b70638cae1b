// Events of a resource, newest first, in words.
import { html } from "../app/html.js";
import { withQuery } from "../app/api.js";
import { words } from "../app/format.js";
import { useResource } from "../app/resource.js";
import { can } from "../app/session.js";
import { Loaded, Panel, Time } from "./basics.js";
import { Icon } from "./icon.js";

const TONES = /** @type {[RegExp, string, string][]} */ ([
  [/(failed|exception|refused)/, "bad", "x"],
  [/(hold|held|short)/, "warn", "warn"],
  [/(purchased|created|delivered|completed|packed|released|resolved)/, "good", "check"],
  [/(purchasing|tracking|moved|updated)/, "info", "s-move"],
  [/(deleted|cancelled|voided)/, "", "x"],
]);

/** What happened, in words: "order.hold.placed" becomes "Order hold placed". @param {{ type: string, previous_attributes?: any }} event */
export function said(event) {
  const changed = Object.keys(event.previous_attributes ?? {}).filter((name) => !name.endsWith("_at"));
  const text = words(event.type.replaceAll(".", " "));
  return changed.length > 0 && changed.length < 5 ? `${text}: ${changed.map((name) => words(name).toLowerCase()).join(", ")}` : text;
}

/** Where the thing is shown that an id begins so. */
const PLACES = /** @type {[prefix: string, path: string][]} */ ([["ord_", "/orders/"], ["shp_", "/shipments/"], ["batch_", "/batches/"], ["wave_", "/waves/"], ["inv_", "/stock/"], ["mfst_", "/manifests/"], ["imp_", "/imports/"]]);

/** The path of the page that shows what an event is about, or nothing. @param {any} object */
export function pathOf(object) {
  for (const id of [object?.id, object?.order_id, object?.shipment_id, object?.item_id, object?.inventory_item_id]) {
    const place = PLACES.find(([prefix]) => typeof id === "string" && id.startsWith(prefix));
    if (place) return place[1] + id;
  }
  return null;
}

/** Who did it. @param {any} event @param {(id: string) => any} [name] */
export function actor(event, name = (id) => html`<code>${id}</code>`) {
  const who = event.actor;
  if (!who) return null;
  if (who.name) return html`by <bdi>${who.name}</bdi>${who.type === "user" ? "" : ` (${words(who.type).toLowerCase()})`}`;
  return who.id ? html`by ${words(who.type).toLowerCase()} ${name(who.id)}` : html`by ${words(who.type).toLowerCase()}`;
}

/** @param {{ event: any }} props */
export function EventRow({ event }) {
  const [, tone, icon] = TONES.find(([pattern]) => pattern.test(event.type)) ?? [null, "", "s-full"];
  return html`<li key=${event.id}><span class=${`node ${tone}`}><${Icon} name=${icon} class="" /></span><div>${said(event)}<span class="sub"><code>${event.type}</code> ${actor(event)}</span></div><${Time} at=${event.created_at} /></li>`;
}

/** The events of one resource. @param {{ id: string, title?: string, extra?: any }} props */
export function Timeline({ id, title = "Timeline", extra }) {
  const events = useResource(can("events:read") ? withQuery("/events", { resource_id: id, limit: 50 }) : null, (event) => event.data?.object?.id === id);
  if (!can("events:read")) return null;
  return html`<${Panel} title=${title} actions=${extra}>
    <${Loaded} of=${events} rows=${3}>${(/** @type {any} */ { data }) => {
      const newest = [...data].sort((one, other) => other.sequence - one.sequence);
      return html`<div class="body">${newest.length ? html`<ol class="timeline">${newest.map((event) => html`<${EventRow} event=${event} key=${event.id} />`)}</ol>` : html`<p class="soft small">No events are kept for it.</p>`}</div>`;
    }}<//>
  <//>`;
}
