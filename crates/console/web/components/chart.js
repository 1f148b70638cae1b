// Charts: SVG of one hue; words say what the picture says. Labels are HTML, so that they do not shrink.
import { html } from "../app/html.js";
import { count, day, money, plural } from "../app/format.js";

/** A round number at or above the largest value, of which every quarter is whole. @param {number} value */
function ceiling(value) {
  const quarter = Math.max(1, value / 4);
  const power = 10 ** Math.floor(Math.log10(quarter));
  return 4 * ([1, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= quarter) ?? Math.ceil(quarter));
}

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short" });

/** @param {{ days: { date: string, value: number }[] }} props */
export function DayChart({ days }) {
  const top = ceiling(Math.max(...days.map((one) => one.value), 0));
  const width = days.length * 10;
  const highest = days.reduce((best, one) => (one.value > best.value ? one : best), days[0] ?? { date: "", value: 0 });
  const last = days.at(-1);
  return html`<div class="chart">
    <div class="y" aria-hidden="true">${[4, 3, 2, 1, 0].map((part) => html`<span key=${part}>${count((top * part) / 4)}</span>`)}</div>
    <svg class="plot" viewBox=${`0 0 ${width} 100`} preserveAspectRatio="none" role="img" aria-label=${days.length ? `Bought per day: highest ${count(highest.value)} on ${day(highest.date)}, today ${count(last?.value)} so far.` : "No days yet."}>
      ${[0, 25, 50, 75, 100].map((y) => html`<line key=${y} x1="0" x2=${width} y1=${y} y2=${y} />`)}
      ${days.map((one, place) => html`<rect key=${one.date} class=${place === days.length - 1 ? "f-1" : "f-2"} x=${place * 10 + 1.6} width="6.8" y=${(100 - (100 * one.value) / top).toFixed(1)} height=${((100 * one.value) / top).toFixed(1)}><title>${day(one.date)}: ${count(one.value)}</title></rect>`)}
    </svg>
    <div class="x" aria-hidden="true">${days.map((one) => {
      const date = new Date(`${one.date.slice(0, 10)}T12:00:00`);
      return html`<span key=${one.date}>${weekday.format(date)}<br />${date.getDate()}</span>`;
    })}</div>
  </div>`;
}

/** @typedef {{ currency_code: string | null, net: number, shipments_count: number, voided_count: number }} CostTotal */
/** @typedef {CostTotal & { carrier: { handle: string, name: string } | null, service: { handle: string, name: string } | null }} CostGroup */
/** @typedef {{ totals: CostTotal[], groups: CostGroup[] }} CostReport */
/** @typedef {{ name: string, net: number }} Part */
/** @typedef {{ handle: string, name: string, net: number, shipments: number, voided: number, parts: Part[] }} CarrierCost */

/** Services that have a colour of their own; the last colour is for all others together. */
const OWN_COLOURS = 3;

/** Adds the groups of one currency up by carrier, the dearest carrier and the dearest service first. @param {CostGroup[]} groups @returns {CarrierCost[]} */
function byCarrier(groups) {
  /** @type {Map<string, CarrierCost>} */
  const carriers = new Map();
  for (const group of groups) {
    const { handle, name } = group.carrier ?? { handle: "", name: "Other" };
    /** @type {CarrierCost} */
    const carrier = carriers.get(handle) ?? { handle, name, net: 0, shipments: 0, voided: 0, parts: [] };
    carrier.net += group.net;
    carrier.shipments += group.shipments_count;
    carrier.voided += group.voided_count;
    if (group.net > 0) carrier.parts.push({ name: group.service?.name ?? "Other", net: group.net });
    carriers.set(handle, carrier);
  }
  for (const carrier of carriers.values()) {
    carrier.parts.sort((one, other) => other.net - one.net);
    const rest = carrier.parts.splice(carrier.parts.length > OWN_COLOURS + 1 ? OWN_COLOURS : OWN_COLOURS + 1);
    if (rest.length > 0) carrier.parts.push({ name: plural(rest.length, "other service"), net: rest.reduce((sum, part) => sum + part.net, 0) });
  }
  return [...carriers.values()].sort((one, other) => other.net - one.net);
}

/** What one carrier cost: a bar, and the same in words. @param {{ carrier: CarrierCost, top: number, currency: string }} props */
function CarrierBar({ carrier, top, currency }) {
  let x = 0;
  const widths = carrier.parts.map((part) => {
    const place = { x, width: (100 * part.net) / top };
    x += place.width;
    return place;
  });
  return html`<li>
    <span class="who">${carrier.name} <span class="sub soft tiny">${plural(carrier.shipments, "shipment")}${carrier.voided > 0 ? `, ${count(carrier.voided)} voided` : ""}</span></span>
    ${carrier.parts.length > 0 && html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=${`${carrier.name}: ${money(carrier.net, currency)}`}>
      ${carrier.parts.map((part, place) => html`<rect key=${place} class=${`f-${place + 1}`} x=${widths[place].x.toFixed(2)} width=${widths[place].width.toFixed(2)} height="10"><title>${part.name}: ${money(part.net, currency)}</title></rect>`)}
    </svg>`}
    <b class="end">${money(carrier.net, currency)}</b>
    ${carrier.parts.length > 0 && html`<span class="legend">${carrier.parts.map((part, place) => html`<span key=${place}><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect class=${`f-${place + 1}`} width="10" height="10" rx="2" /></svg>${part.name}${carrier.parts.length > 1 ? ` ${money(part.net, currency)}` : ""}</span>`)}</span>`}
  </li>`;
}

/**
 * What carriers charged less what they gave back, in a list for each currency: amounts of two currencies have no common scale.
 * @param {{ report: CostReport }} props a report that is grouped by service
 */
export function CostChart({ report }) {
  const currencies = report.totals.flatMap(({ currency_code: code, net }) => (code ? [{ code, net }] : []));
  const unknown = report.totals.find((total) => !total.currency_code)?.shipments_count ?? 0;
  if (currencies.length === 0 && unknown === 0) return html`<p class="soft small">No label was bought on these days. What carriers charge appears here with the first one.</p>`;
  return html`<div class="costs">
    ${currencies.map(({ code, net }) => {
      const carriers = byCarrier(report.groups.filter((group) => group.currency_code === code));
      const top = Math.max(1, ...carriers.map((carrier) => carrier.net));
      return html`<section key=${code} data-currency=${code}>
        ${currencies.length > 1 && html`<h3>${code} <span class="soft">${money(net, code)}</span></h3>`}
        <ul class="cost">${carriers.map((carrier) => html`<${CarrierBar} key=${carrier.handle} carrier=${carrier} top=${top} currency=${code} />`)}</ul>
      </section>`;
    })}
    ${unknown > 0 && html`<p class="soft tiny">${unknown === 1 ? "1 shipment is" : `${count(unknown)} shipments are`} not in the sums: the carrier stated no price.</p>`}
  </div>`;
}
