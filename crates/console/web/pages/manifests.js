// Manifests: what a carrier's driver takes along.
import { html, useState } from "../app/html.js";
import { post, withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, day, plural } from "../app/format.js";
import { useList, useResource } from "../app/resource.js";
import { href, usePlace } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, Facts, Identifier, Loaded, Notice, PageHead, Panel, ProblemNotice, Time } from "../components/basics.js";
import { Address, person, town } from "../components/address.js";
import { Dialog } from "../components/dialog.js";
import { Documents } from "../components/documents.js";
import { Field } from "../components/form.js";
import { useAll, useLocationName, useLocations } from "../components/places.js";
import { ListPanel } from "../components/table.js";
import { stateOf } from "./shipments.js";

const VIEWS = [["", "All"], ["creating", "Being made"], ["created", "Made"], ["failed", "Failed"]];

/** @param {{ parts: (string | undefined)[] }} props */
export function Manifests({ parts: [id] }) {
  return id ? html`<${Detail} id=${id} />` : html`<${List} />`;
}

function List() {
  const { query } = usePlace();
  const placeName = useLocationName();
  const [isMaking, setMaking] = useState(false);
  const status = query.get("status") ?? "";
  const list = useList(withQuery("/manifests", { status, cursor: query.get("cursor"), limit: 50 }), { kind: "manifest" });
  const make = can("manifests:write") && html`<${Button} primary icon="plus" onClick=${() => setMaking(true)}>Close out the day<//>`;
  return html`
    <${PageHead} title="Manifests" sub="What is handed over to carriers">${make}<//>
    <nav class="tabs page-tabs" aria-label="States">${VIEWS.map(([key, name]) => html`<a key=${key} href=${href(`/manifests${key ? `?status=${key}` : ""}`)} aria-current=${key === status ? "page" : undefined}>${name}</a>`)}</nav>
    <${ListPanel} list=${list} label="Manifests" noun="manifest" open=${(/** @type {any} */ row) => `/manifests/${row.id}`} empty=${html`<${Empty} title="No manifests yet" actions=${make}>Close out a location when its parcels are ready: each carrier account gets one manifest.<//>`} columns=${[
      { name: "Carrier", place: "a1", cell: (/** @type {any} */ row) => html`<a class="plain" href=${href(`/manifests/${row.id}`)}>${row.carrier.name}</a><span class="sub">${row.carrier_account.name}</span>` },
      { name: "State", place: "a4", cell: (/** @type {any} */ row) => html`<${Badge} state=${row.status} />` },
      { name: "From", place: "a3", wrap: true, cell: (/** @type {any} */ row) => html`<bdi>${placeName(row.location) || "–"}</bdi>` },
      { name: "Parcels", end: true, place: "a2", cell: (/** @type {any} */ row) => count(row.packages_count) },
      { name: "Ship date", at: "p2", cell: (/** @type {any} */ row) => day(row.ship_date) },
      { name: "Made", place: "a5", cell: (/** @type {any} */ row) => html`<${Time} at=${row.created_at} />` },
    ]} />
    ${isMaking && html`<${Make} onClose=${() => setMaking(false)} onDone=${() => { setMaking(false); list.reload(); }} />`}`;
}

/** @param {{ onClose: () => void, onDone: () => void }} props */
function Make({ onClose, onDone }) {
  const locations = useLocations();
  const accounts = useAll("/carrier_accounts", "carriers:read");
  const [location, setLocation] = useState("");
  const [account, setAccount] = useState("");
  const chosen = location || locations[0]?.id;
  const { run, isBusy, problem } = useAction((key) => post("/manifests", { location: chosen, ...(account ? { carrier_account: account } : {}) }, { key }), { shows: true, done: (answer) => `${plural(answer.data.data.length, "manifest")} on the way.` });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await run()) onDone();
  };
  return html`<${Dialog} title="Close out the day" onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="manifest-form" busy=${isBusy}>Make the manifests<//>`}>
    <form id="manifest-form" class="stack loose" onSubmit=${submit}><p class="soft">Everything that was bought for today and is not on a manifest yet is closed out. It costs nothing, and can’t be undone: a label on a manifest can’t be voided with every carrier.</p>
      <${Field} label="Location" type="select" value=${chosen} onChange=${setLocation} options=${locations.map(({ id, name }) => [id, name])} />
      ${accounts.length > 1 && html`<${Field} label="Account" type="select" value=${account} onChange=${setAccount} options=${[["", "All accounts"], ...accounts.map(({ id, name }) => [id, name])]} />`}
      <${ProblemNotice} error=${problem} /></form>
  <//>`;
}

/** @param {{ id: string }} props */
function Detail({ id }) {
  const manifest = useResource(`/manifests/${id}`, (event) => event.data?.object?.id === id);
  const retry = useAction((key) => post(`/manifests/${id}/retry`, undefined, { key }).then(manifest.reload), { done: "The carrier is asked again." });
  return html`<${Loaded} of=${manifest}>${(/** @type {any} */ data) => html`
    <${PageHead} title=${`${data.carrier.name}, ${day(data.ship_date)}`} crumbs=${[["Manifests", "/manifests"]]} badge=${html`<${Badge} big state=${data.status} />`} sub=${`${plural(data.packages_count, "parcel")} of ${plural(data.shipments_count, "shipment")}`}>${data.status === "failed" && can("manifests:write") && html`<${Button} primary busy=${retry.isBusy} onClick=${() => retry.run()}>Ask the carrier again<//>`}<//>
    <div class="columns"><div>
      ${data.messages.length > 0 && html`<${Notice} tone=${data.status === "failed" ? "bad" : "warn"} icon="warn" title="What the carrier says">${data.messages.join(" ")}<//>`}
      <${Panel} title="Papers"><${Documents} documents=${data.documents} /><//>
      <${Panel} title="Shipments" note=${plural(data.shipments_count, "shipment")}><${Members} ids=${data.shipments} /><//>
    </div><div>
      <${Panel} title="From"><div class="body small"><${Address} record=${data.origin} /></div><//>
      <${Panel} title="Details"><div class="body"><${Facts} rows=${[["Account", data.carrier_account.name], ["Reference", data.carrier_reference], ["Ship date", day(data.ship_date)], ["Made", html`<${Time} at=${data.created_at} />`], ["Id", html`<${Identifier} id=${data.id} />`]]} /></div><//>
    </div></div>`}<//>`;
}

/** How many shipments are shown at first, and with each press. Each is read by itself. */
const STEP = 20;

/** @param {{ ids: string[] }} props */
function Members({ ids }) {
  const [most, setMost] = useState(STEP);
  return html`<ul class="list">${ids.slice(0, most).map((id) => html`<${Member} id=${id} key=${id} />`)}</ul>${ids.length > most && html`<footer>${count(most)} of ${count(ids.length)}<span class="spring"></span><${Button} compact onClick=${() => setMost(most + STEP)}>Show more<//></footer>`}`;
}

/** @param {{ id: string }} props */
function Member({ id }) {
  const { data } = useResource(`/shipments/${id}`);
  return html`<li><div><a href=${href(`/shipments/${id}`)}><b><bdi>${data?.name ?? `…${id.slice(-8)}`}</bdi></b></a> <bdi class="soft">${[person(data?.addresses.destination), town(data?.addresses.destination)].filter(Boolean).join(", ")}</bdi><span class="sub mono">${data?.tracking_number ?? ""}</span></div>${data && html`<${Badge} state=${stateOf(data)} />`}</li>`;
}
