// Where an order should be sent from: proposals with their reasons, and a drawing of distances. Not a map: bearings are
// true, rings are on a square-root scale.
import { html, useState } from "../app/html.js";
import { post } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, plural } from "../app/format.js";
import { Button, Panel, Tag } from "./basics.js";
import { Icon } from "./icon.js";
import { useItems, useLocations } from "./places.js";

/** @param {{ order: any, onApplied: () => Promise<any> }} props */
export function Plan({ order, onApplied }) {
  const [plan, setPlan] = useState(/** @type {any} */ (null));
  const ask = useAction(async () => setPlan((await post(`/allocations/orders/${order.id}/plan`)).data));
  const apply = useAction(() => post(`/allocations/orders/${order.id}/plan?apply=true`).then(async (answer) => { await onApplied(); setPlan(null); return answer; }), { done: "The order is allocated." });
  const needs = ["unallocated", "partially_allocated"].includes(order.fulfilment.status);
  if (!needs) return null;
  if (!plan) return html`<${Panel} title="Plan" note="Which location should send what" actions=${html`<${Button} compact busy=${ask.isBusy} onClick=${() => ask.run()}>Show the plan<//>`} />`;
  const [best, ...others] = plan.proposals;
  return html`<${Panel} title="Plan" note=${best ? null : "No location can send anything."} actions=${html`${plan.search.complete && best && html`<${Tag} tone="good" icon="check">Proven best<//>`}<${Button} compact busy=${ask.isBusy} onClick=${() => ask.run()}>Plan again<//>${best && html`<${Button} compact primary busy=${apply.isBusy} onClick=${() => apply.run()}>Allocate so<//>`}`}>
    <div class="body plan"><div class="stack loose">
      ${best && html`<${Reasons} proposal=${best} />`}
      ${(others.length > 0 || plan.rejected.length > 0) && html`<div><h3>Not chosen</h3><ul class="reasons">${others.slice(0, 3).map((/** @type {any} */ other, /** @type {number} */ place) => html`<li class="no" key=${place}><${Icon} name="x" /><span><${Senders} proposal=${other} />: ${other.reasons.join(" ")}</span></li>`)}${plan.rejected.slice(0, 5).map((/** @type {any} */ one, /** @type {number} */ place) => html`<li class="no" key=${`r${place}`}><${Icon} name="x" /><span><${Senders} proposal=${{ allocations: [one] }} />: ${one.reason ?? one.message}</span></li>`)}</ul></div>`}
      ${plan.unallocated.length > 0 && html`<p class="warn-text small">${plural(plan.unallocated.reduce((/** @type {number} */ sum, /** @type {any} */ item) => sum + item.quantity, 0), "unit")} in stock nowhere.</p>`}
      <p class="hint">${plan.search.note}</p>
    </div>${best && html`<${Distances} order=${order} chosen=${best} others=${others} />`}</div>
  <//>`;
}

/** @param {{ proposal: any }} props */
function Senders({ proposal }) {
  const locations = useLocations();
  return html`<b>${proposal.allocations.map((/** @type {any} */ one) => locations.find((place) => place.id === (one.location?.id ?? one.location_id))?.name ?? "location").join(" and ")}</b>`;
}

/** @param {{ proposal: any }} props */
function Reasons({ proposal }) {
  const locations = useLocations();
  const items = useItems(proposal.allocations.flatMap((/** @type {any} */ one) => one.items.map((/** @type {any} */ item) => item.id)));
  return html`<ul class="reasons">
    ${proposal.allocations.map((/** @type {any} */ one) => html`<li key=${one.location.id}><${Icon} name="check" /><span><b>${locations.find((place) => place.id === one.location.id)?.name ?? "Location"}</b> sends ${one.items.map((/** @type {any} */ item) => `${count(item.quantity)} × ${items.get(item.id)?.name ?? "item"}`).join(", ")}.</span></li>`)}
    ${proposal.reasons.map((/** @type {string} */ reason) => html`<li key=${reason}><${Icon} name="check" /><span>${reason}</span></li>`)}
  </ul>`;
}

const RADIANS = Math.PI / 180;
const EARTH_KM = 6371;

/** @param {any} from @param {any} to */
function bearing(from, to) {
  const [a, b] = [from.latitude * RADIANS, to.latitude * RADIANS];
  const turn = (to.longitude - from.longitude) * RADIANS;
  const angle = Math.atan2(Math.sin(turn) * Math.cos(b), Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(turn));
  const half = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(turn / 2) ** 2;
  return { angle, km: 2 * EARTH_KM * Math.asin(Math.sqrt(half)) };
}

/** @param {{ order: any, chosen: any, others: any[] }} props */
function Distances({ order, chosen, others }) {
  const locations = useLocations();
  const goal = order.destination?.coordinates;
  const senders = new Set(chosen.allocations.map((/** @type {any} */ one) => one.location.id));
  const named = new Set([...senders, ...others.flatMap((other) => other.allocations.map((/** @type {any} */ one) => one.location.id))]);
  const places = locations.filter((place) => named.has(place.id) && place.coordinates);
  if (!goal || places.length === 0) return null;
  const found = places.map((place) => ({ ...place, ...bearing(goal, place.coordinates) }));
  const farthest = Math.max(50, ...found.map((place) => place.km));
  const radius = (/** @type {number} */ km) => 92 * Math.sqrt(km / farthest);
  // Rings so far from each other that their labels do not touch.
  const rings = [50, 100, 300, 600, 1500, 5000, 15_000].filter((km) => km <= farthest * 1.1).reduceRight((/** @type {number[]} */ kept, km) => (kept.length === 0 || radius(kept[0]) - radius(km) > 40 ? [km, ...kept] : kept), []);
  const said = found.map((place) => `${place.name} ${Math.round(place.km)} km${senders.has(place.id) ? ", chosen" : ""}`).join("; ");
  return html`<figure><svg class="distance" viewBox="0 0 340 240" role="img" aria-label=${`Distances from the destination: ${said}.`}>
    ${rings.map((km) => html`<circle key=${km} class="ring" cx="170" cy="118" r=${radius(km).toFixed(1)} /><text x=${(170 + radius(km)).toFixed(1)} y="114" text-anchor="middle">${km} km</text>`)}
    ${found.map((place) => {
      const [x, y] = [170 + radius(place.km) * Math.sin(place.angle), 118 - radius(place.km) * Math.cos(place.angle)];
      const isOn = senders.has(place.id);
      return html`<path class=${isOn ? "way" : "other"} d=${`M170 118L${x.toFixed(1)} ${y.toFixed(1)}`} /><circle class=${`place ${isOn ? "on" : ""}`} cx=${x.toFixed(1)} cy=${y.toFixed(1)} r=${isOn ? 7 : 4.5} /><text class=${isOn ? "name" : ""} x=${x.toFixed(1)} y=${(y + 20).toFixed(1)} text-anchor="middle">${place.name}, ${count(Math.round(place.km))} km</text>`;
    })}
    <circle class="goal" cx="170" cy="118" r="6.5" /><text class="name" x="170" y="104" text-anchor="middle">${order.destination.address.city}</text>
  </svg></figure>`;
}
