// One batch: live progress while it is bought, failures grouped by cause with their repair, labels, manifests.
import { html, useState } from "../app/html.js";
import { get, post, remove, withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, money, plural } from "../app/format.js";
import { useList, useResource } from "../app/resource.js";
import { go, href, usePlace } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, Facts, Identifier, Loaded, Notice, PageHead, Panel, Tabs, Time } from "../components/basics.js";
import { person, town } from "../components/address.js";
import { Causes } from "../components/causes.js";
import { confirm } from "../components/dialog.js";
import { Documents, PrintDialog } from "../components/documents.js";
import { Menu } from "../components/menu.js";
import { Progress } from "../components/progress.js";
import { ListPanel } from "../components/table.js";
import { Timeline } from "../components/timeline.js";
import { partsOf } from "./batches.js";
import { stateOf } from "./shipments.js";

/** @param {{ parts: string[] }} props */
export function Batch({ parts: [id] }) {
  const batch = useResource(`/batches/${id}`, (event) => event.data?.object?.id === id || event.type.startsWith("batch."));
  return html`<${Loaded} of=${batch}>${(/** @type {any} */ data) => html`<${Detail} batch=${data} reload=${batch.reload} />`}<//>`;
}

/** What buying will cost, as far as the shipments say: from the rates that they have. @param {string} id */
async function expected(id) {
  const { data } = await get(withQuery(`/batches/${id}/shipments`, { limit: 100 }));
  const open = data.data.filter((/** @type {any} */ shipment) => ["draft", "rated", "purchase_failed"].includes(shipment.status));
  /** @type {Map<string, number>} */
  const sums = new Map();
  let unknown = data.next_cursor ? 1 : 0;
  for (const shipment of open) {
    const wanted = shipment.carrier?.service_code;
    const rates = (shipment.rates ?? []).filter((/** @type {any} */ rate) => !wanted || rate.carrier_service.handle === wanted);
    const rate = rates.sort((/** @type {any} */ one, /** @type {any} */ other) => one.rate - other.rate)[0];
    if (rate) sums.set(rate.currency_code, (sums.get(rate.currency_code) ?? 0) + rate.rate);
    else unknown += 1;
  }
  const known = [...sums].map(([code, amount]) => money(amount, code)).join(" and ");
  return { open: open.length, text: known ? (unknown ? `about ${known}, and what the others cost` : `about ${known}`) : "what the carriers ask" };
}

/** @param {{ batch: any, reload: () => Promise<void> }} props */
function Detail({ batch, reload }) {
  const { query } = usePlace();
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const left = batch.shipments_count - batch.purchased_count;
  const isBuying = batch.status === "purchasing";
  const tab = query.get("tab") ?? (batch.error_count > 0 ? "failures" : "shipments");
  const name = batch.name ?? `Batch …${batch.id.slice(-8)}`;
  const labels = useResource(batch.purchased_count > 0 ? `/batches/${batch.id}/labels` : null, (event) => event.data?.object?.id === batch.id);
  const ask = useAction(async () => {
    const cost = await expected(batch.id);
    confirm({
      title: `Buy ${plural(left, "label")}`,
      body: "Every shipment is bought at the service that its rule or the batch chose. What is bought stays bought; a label can be voided afterwards.",
      sum: [["Shipments", count(left)], ["Cost", cost.text]],
      verb: `Buy ${plural(left, "label")}`,
      act: (key) => post(`/batches/${batch.id}/purchase`, undefined, { key }).then(reload),
    });
  });
  const make = useAction((key) => post(`/batches/${batch.id}/labels`, {}, { key }).then((answer) => { labels.reload(); return answer; }), { done: "The labels are being put into one file." });
  const slips = useAction((key) => post(`/batches/${batch.id}/packing_slips`, {}, { key }).then((answer) => { setDialog({ papers: answer.data.data }); return answer; }));
  const picks = useAction((key) => post(`/batches/${batch.id}/pick_lists`, {}, { key }).then((answer) => { setDialog({ papers: answer.data.data }); return answer; }));
  const manifest = useAction((key) => post(`/batches/${batch.id}/manifests`, undefined, { key }));
  const askManifest = async () => {
    const answer = await manifest.run();
    if (answer?.data) go(`/batches/${batch.id}?tab=manifests`);
  };
  const drop = () => confirm({ title: `Delete ${name}`, body: "The shipments stay; they are only taken out of the batch.", verb: "Delete the batch", danger: true, act: () => remove(`/batches/${batch.id}`).then(() => go("/batches")) });
  const files = labels.data?.data ?? [];
  return html`
    <${PageHead} title=${name} crumbs=${[["Batches", "/batches"]]} badge=${html`<${Badge} big state=${batch.status} />`} sub=${`${plural(batch.shipments_count, "shipment")}, ${plural(batch.packages_count, "parcel")}${batch.service ? ` · ${batch.service.carrier_service.name}` : ""}`}>
      ${files.length > 0 && can("print_jobs:write") && html`<${Button} icon="print" onClick=${() => setDialog({ print: files })}>Print the labels<//>`}
      ${batch.purchased_count > 0 && files.length === 0 && !isBuying && can("batches:write") && html`<${Button} icon="download" busy=${make.isBusy} onClick=${() => make.run()}>Labels in one file<//>`}
      ${left > 0 && can("batches:purchase") && html`<${Button} primary=${!isBuying} busy=${ask.isBusy} why=${isBuying ? "It is being bought" : batch.shipments_count === 0 ? "The batch is empty" : undefined} onClick=${() => ask.run()}>Buy ${plural(left, "label")}<//>`}
      ${batch.purchased_count > 0 && can("manifests:write") && html`<${Button} primary=${left === 0} busy=${manifest.isBusy} why=${isBuying ? "A manifest can be made when nothing is left to buy" : undefined} onClick=${askManifest}>Make the manifest<//>`}
      <${Menu} label="More actions" entries=${[can("batches:write") && files.length > 0 && !isBuying && { name: "Make the label file again", icon: "download", act: () => make.run() }, can("batches:write") && { name: "Packing slips", icon: "manifests", act: () => slips.run() }, can("batches:write") && { name: "Pick lists", icon: "stock", act: () => picks.run() }, can("batches:write") && batch.status === "open" && { name: "Delete the batch", icon: "trash", danger: true, act: drop }]} />
    <//>
    <${Panel} title=${isBuying ? "Buying labels" : "Labels"} note=${batch.labels_pending_count > 0 ? `${plural(batch.labels_pending_count, "label")} on the way` : null}>
      <div class="body"><${Progress} parts=${partsOf(batch)} total=${batch.shipments_count} />${isBuying && html`<p class="hint above-top" role="status">You may leave this page: buying goes on. What is bought stays bought.</p>`}</div>
    <//>
    <${Tabs} label="Parts of the batch" current=${tab} path=${(/** @type {string} */ key) => href(`/batches/${batch.id}?tab=${key}`)} tabs=${[["failures", "Failures", batch.error_count || undefined], ["shipments", "Shipments", count(batch.shipments_count)], ["labels", "Labels"], ...(can("manifests:read") ? [["manifests", "Manifests"]] : []), ["events", "Events"]]} />
    <div class="columns"><div>
      ${tab === "failures" && (batch.errors.length === 0 ? html`<${Panel}><${Empty} title="Nothing failed">${batch.status === "open" ? "The batch is not bought yet." : "Everything that was asked for is bought."}<//><//>` : html`<${Causes} batch=${batch} reload=${reload} />`)}
      ${tab === "shipments" && html`<${Members} batch=${batch} />`}
      ${tab === "labels" && html`<${Panel} title="Label files"><${Documents} documents=${files} />${files.length === 0 && html`<div class="body">${batch.purchased_count > 0 ? html`<${Button} busy=${make.isBusy} onClick=${() => make.run()}>Put ${plural(batch.purchased_count, "label")} into one file<//>` : null}</div>`}<//>`}
      ${tab === "manifests" && html`<${BatchManifests} id=${batch.id} />`}
      ${tab === "events" && html`<${Timeline} id=${batch.id} title="Events" />`}
    </div><div>
      <${Panel} title="Batch"><div class="body"><${Facts} rows=${[["Service", batch.service?.carrier_service?.name ?? "by shipment"], ["Account", batch.service?.carrier_account?.name], ["Label format", batch.options?.label_format?.toUpperCase()], ["Made", html`<${Time} at=${batch.created_at} />`], ["Changed", html`<${Time} at=${batch.updated_at} />`], ["Id", html`<${Identifier} id=${batch.id} />`]]} /></div><//>
    </div></div>
    ${dialog?.print && html`<${PrintDialog} documents=${dialog.print} onClose=${() => setDialog(null)} />`}
    ${dialog?.papers && html`<${PrintDialog} documents=${dialog.papers} onClose=${() => setDialog(null)} />`}`;
}

/** @param {{ batch: any }} props */
function Members({ batch }) {
  const { query } = usePlace();
  const list = useList(withQuery(`/batches/${batch.id}/shipments`, { cursor: query.get("cursor"), limit: 50 }), { kind: "shipment" });
  return html`<${ListPanel} list=${list} label="Shipments" noun="shipment" open=${(/** @type {any} */ row) => `/shipments/${row.id}`} empty=${html`<${Empty} title="The batch is empty" actions=${html`<${Button} primary href=${href("/shipments?view=draft")}>Choose shipments<//>`}>Tick shipments in their list and put them into a batch.<//>`} columns=${[
    { name: "Shipment", place: "a1", cell: (/** @type {any} */ row) => html`<a class="plain" href=${href(`/shipments/${row.id}`)}><bdi>${row.name ?? `…${row.id.slice(-8)}`}</bdi></a><span class="sub mono">${row.tracking_number ?? ""}</span>` },
    { name: "State", place: "a4", cell: (/** @type {any} */ row) => html`<${Badge} state=${stateOf(row)} />` },
    { name: "To", place: "a3", wrap: true, cell: (/** @type {any} */ row) => html`<bdi>${person(row.addresses?.destination) || "–"}</bdi><span class="sub"><bdi>${town(row.addresses?.destination)}</bdi></span>` },
    { name: "Service", at: "p2", cell: (/** @type {any} */ row) => row.service?.carrier_service.name ?? row.carrier?.service_code ?? "–" },
    { name: "Cost", end: true, place: "a2", cell: (/** @type {any} */ row) => (row.cost ? money(row.cost.amount, row.cost.currency_code) : "–") },
  ]} />`;
}

/** @param {{ id: string }} props */
function BatchManifests({ id }) {
  const list = useResource(`/batches/${id}/manifests`, (event) => event.type.startsWith("manifest."));
  return html`<${Loaded} of=${list}>${(/** @type {any} */ { data }) => (data.length === 0 ? html`<${Panel}><${Empty} title="No manifest yet">A manifest is what the carrier’s driver signs. Make it when the parcels are ready.<//><//>` : data.map((/** @type {any} */ manifest) => html`<${Panel} key=${manifest.id} title=${html`<a href=${href(`/manifests/${manifest.id}`)}>${manifest.carrier.name}</a>`} note=${plural(manifest.packages_count, "parcel")} actions=${html`<${Badge} state=${manifest.status} />`}>${manifest.messages.length > 0 && html`<div class="pad"><${Notice} tone="bad" icon="warn" title="The carrier refuses it">${manifest.messages.join(" ")}<//></div>`}<${Documents} documents=${manifest.documents} /><//>`))}<//>`;
}
