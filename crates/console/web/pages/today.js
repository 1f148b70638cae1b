// What needs attention today: counts that lead to their lists, shipments per day and what they cost, and what happens now.
import { html, useEffect, useState } from "../app/html.js";
import { get, Problem } from "../app/api.js";
import { count, money, plural, today } from "../app/format.js";
import { useRefresh, useResource } from "../app/resource.js";
import { href } from "../app/router.js";
import { can } from "../app/session.js";
import { useStore } from "../app/store.js";
import { onEvent } from "../app/stream.js";
import { world } from "../app/world.js";
import { Button, Empty, PageHead, Panel, Time } from "../components/basics.js";
import { CostChart, DayChart } from "../components/chart.js";
import { Icon } from "../components/icon.js";
import { Bar } from "../components/progress.js";
import { SampleData } from "../components/sample_data.js";
import { actor, pathOf, said } from "../components/timeline.js";

/** The tiles: name of the count, words, icon, tone, and where it leads. */
const TILES = /** @type {[string, string, string, string, string][]} */ ([
  ["late_orders", "Late", "clock", "bad", "/orders?view=late"],
  ["held_orders", "On hold", "pause", "warn", "/orders?view=hold"],
  ["orders_with_exceptions", "Exceptions", "x", "bad", "/orders?view=exceptions"],
  ["purchases_to_review", "Needs review", "review", "review", "/review"],
  ["failing_webhook_endpoints", "Failing webhooks", "developers", "bad", "/developers/webhooks"],
  ["low_items", "Low stock", "stock", "warn", "/stock?low_stock=true"],
]);
/** Where the server stops counting. */
const COUNT_MAX = 10_000;

/** Reads the summary and what its days cost, now and after changes. */
function useSummary() {
  const [summary, setSummary] = useState(/** @type {any} */ (null));
  const [costs, setCosts] = useState(/** @type {any} */ (null));
  const read = async () => {
    try {
      const { data } = await get("/summary");
      setSummary(data);
      const days = data.bought_per_day;
      // Null without the right to read shipments.
      if (days?.length) setCosts((await get(`/reports/costs?from=${days[0].date}&to=${days.at(-1).date}&group_by=service`)).data);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  };
  useEffect(() => {
    read();
  }, []);
  useRefreshSlowly(read);
  return { summary, costs };
}

/** Writes what carriers charged, less what they gave back, in each currency. @param {any} costs */
function spent(costs) {
  const sums = costs.totals.filter((/** @type {any} */ total) => total.currency_code);
  return sums.map((/** @type {any} */ total) => money(total.net, total.currency_code)).join(" and ") || "nothing spent";
}

/** Reads at most every ten seconds, however many events come. @param {() => void} read */
function useRefreshSlowly(read) {
  const [due, setDue] = useState(0);
  useRefresh(() => setDue((old) => old + 1), () => true);
  useEffect(() => {
    if (due === 0) return undefined;
    const timer = setTimeout(read, 10_000);
    return () => clearTimeout(timer);
  }, [Math.ceil(due / 10)]);
}

export function Today() {
  const { summary, costs } = useSummary();
  const current = useStore(world);
  const tiles = TILES.filter(([name]) => summary && summary.counts[name] !== null);
  const days = summary?.bought_per_day;
  return html`
    <${PageHead} title="Today" sub=${today()}>
      ${can("packing:write") && html`<${Button} icon="pack" href=${href("/pack")}>Pack station<//>`}
      ${can("waves:write") && html`<${Button} primary href=${href("/orders")}>Start a wave<//>`}
    <//>
    <h2 class="unseen">Needs attention</h2>
    ${tiles.length > 0 && html`<div class="tiles">${tiles.map(([name, words, icon, tone, to]) => {
      const value = summary.counts[name];
      const isCalm = value === 0;
      return html`<a key=${name} class=${`tile ${isCalm ? "calm" : tone}`} href=${href(to)}><span class="name"><${Icon} name=${isCalm ? "check" : icon} class="" />${words}</span><span class="figure">${count(value)}${value === COUNT_MAX ? "+" : ""}</span><span class="note">${isCalm ? "nothing to do" : "open the list"}</span></a>`;
    })}</div>`}
    <div class="columns"><div>
      <${FirstSteps} world=${current} />
      ${days && html`<${Panel} title="Bought per day" note=${`${plural(days.reduce((/** @type {number} */ sum, /** @type {any} */ day) => sum + day.count, 0), "shipment")} in ${plural(days.length, "day")}, ${summary.time_zone}`}><div class="body"><${DayChart} days=${days.map((/** @type {any} */ day) => ({ date: day.date, value: day.count }))} /></div><//>`}
      ${days && costs && html`<${Panel} title="Cost by carrier" note=${`${spent(costs)} in ${plural(days.length, "day")}`}><div class="body"><${CostChart} report=${costs} /></div><//>`}
      <${Open} />
    </div><div><${Feed} /></div></div>`;
}

/** What is under way: waves and batches that are not finished. */
function Open() {
  const waves = useResource(can("waves:read") ? "/waves?limit=5" : null, (event) => event.type.startsWith("wave."));
  const batches = useResource(can("batches:read") ? "/batches?limit=5" : null, (event) => event.type.startsWith("batch."));
  const rows = [
    ...(waves.data?.data ?? []).map((/** @type {any} */ wave) => ({ id: wave.id, to: `/waves/${wave.id}`, name: wave.name ?? "Wave", kind: "Wave", done: wave.done_count, all: wave.orders_count, bad: wave.exceptions_count, at: wave.created_at })),
    ...(batches.data?.data ?? []).map((/** @type {any} */ batch) => ({ id: batch.id, to: `/batches/${batch.id}`, name: batch.name ?? "Batch", kind: "Batch", done: batch.purchased_count, all: batch.shipments_count, bad: batch.error_count, at: batch.created_at })),
  ].sort((one, other) => other.at.localeCompare(one.at)).slice(0, 6);
  if (rows.length === 0) return null;
  return html`<${Panel} title="Latest waves and batches"><ul class="list">${rows.map((row) => html`<li key=${row.id}><div><a href=${href(row.to)}><b><bdi>${row.name}</bdi></b></a> <span class="soft tiny">${row.kind}</span><${Bar} thin parts=${[{ name: "done", value: row.done, fill: "f-good" }, { name: "failed", value: row.bad, fill: "f-bad" }]} total=${row.all} /><span class="sub">${count(row.done)} of ${count(row.all)}${row.bad > 0 ? `, ${count(row.bad)} failed` : ""}</span></div><span class="soft tiny"><${Time} at=${row.at} /></span></li>`)}</ul><//>`;
}

/** The first minutes: what to set up. @param {{ world: string }} props */
function FirstSteps({ world: current }) {
  const locations = useResource(can("locations:read") ? "/locations?limit=1" : null);
  if (!locations.data || locations.data.data.length > 0) return null;
  return html`<${Panel}><${Empty} title="Welcome" actions=${html`${can("locations:write") && html`<${Button} primary href=${href("/settings/locations")}>Make the first location<//>`}<${SampleData} onDone=${locations.reload} /><a class="btn ghost" href="/docs/guide/first-steps" target="_blank" rel="noopener">First steps</a>`}>${current === "test" ? "This is the test world: nothing costs money. Load a small shop to look around in, or make a location, then items and orders." : "Make the place that parcels leave from, then items and orders. To look around first, switch to the test world."}<//><//>`;
}

/** What an event is about, and who did it. @param {{ event: any }} props */
function Subject({ event }) {
  const object = event.data?.object;
  const name = object?.reference ?? object?.name ?? object?.sku ?? object?.tracking_number;
  const path = pathOf(object);
  const who = actor(event);
  if (!name && !path && !who) return null;
  return html`<span class="sub">${path ? html`<a href=${href(path)}><bdi>${name ?? "Open"}</bdi></a>` : html`<bdi>${name ?? ""}</bdi>`} ${who}</span>`;
}

/** What happens now. */
function Feed() {
  const past = useResource(can("events:read") ? "/events?limit=20" : null);
  const [live, setLive] = useState(/** @type {any[]} */ ([]));
  useEffect(() => onEvent((event) => setLive((old) => [event, ...old].slice(0, 30))), []);
  if (!can("events:read")) return null;
  const known = new Set(live.map((event) => event.id));
  const rows = [...live, ...[...(past.data?.data ?? [])].sort((one, other) => other.sequence - one.sequence).filter((event) => !known.has(event.id))].slice(0, 14);
  return html`<${Panel} title="Happening now" actions=${html`<a class="small" href=${href("/developers/events")}>All events</a>`}>${rows.length === 0 ? html`<div class="body"><p class="soft small">Nothing yet.</p></div>` : html`<ul class="list top">${rows.map((event) => html`<li key=${event.id} class=${known.has(event.id) ? "new" : ""}><div>${said(event)}<${Subject} event=${event} /></div><span class="soft tiny nowrap"><${Time} at=${event.created_at} /></span></li>`)}</ul>`}<//>`;
}
