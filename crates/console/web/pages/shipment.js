// One shipment: rates to compare and buy, the label, documents, tracking, and why this service.
import { html, useState } from "../app/html.js";
import { get, post } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, dimensions, mass, money, plural } from "../app/format.js";
import { useResource } from "../app/resource.js";
import { go, href } from "../app/router.js";
import { can } from "../app/session.js";
import { CAUSES } from "../app/states.js";
import { Badge, Button, Facts, Identifier, Loaded, Notice, PageHead, Panel, Tag, Time } from "../components/basics.js";
import { Address, town } from "../components/address.js";
import { confirm } from "../components/dialog.js";
import { Documents, fileAddress, PrintDialog } from "../components/documents.js";
import { Icon } from "../components/icon.js";
import { Menu } from "../components/menu.js";
import { useItems } from "../components/places.js";
import { Rates } from "../components/rates.js";
import { ShipmentEdit } from "../components/shipment_edit.js";
import { Table } from "../components/table.js";
import { Timeline } from "../components/timeline.js";
import { stateOf } from "./shipments.js";

/** @param {{ parts: string[] }} props */
export function Shipment({ parts: [id] }) {
  const shipment = useResource(`/shipments/${id}`, (event) => event.data?.object?.id === id || event.data?.object?.shipment_id === id);
  return html`<${Loaded} of=${shipment}>${(/** @type {any} */ data) => html`<${Detail} shipment=${data} etag=${shipment.etag} reload=${shipment.reload} />`}<//>`;
}

/** @param {{ shipment: any, etag: string | null, reload: () => Promise<void> }} props */
function Detail({ shipment, etag, reload }) {
  const [dialog, setDialog] = useState("");
  const [papers, setPapers] = useState(/** @type {any[]} */ ([]));
  const isBought = shipment.status === "purchased";
  const canChange = ["draft", "rated", "purchase_failed"].includes(shipment.status);
  const name = shipment.name ?? shipment.tracking_number ?? `Shipment …${shipment.id.slice(-8)}`;
  const cost = shipment.cost && money(shipment.cost.amount, shipment.cost.currency_code);
  const labels = shipment.documents.filter((/** @type {any} */ one) => one.type === "label" || one.type === "return_label");
  const askVoid = () => confirm({ title: `Void ${name}`, body: "The carrier is asked to take the label back. A parcel with a voided label must not be handed over.", sum: [["Comes back if the carrier agrees", cost]], verb: `Void, ${cost} back`, danger: true, act: (key) => post(`/shipments/${shipment.id}/void`, undefined, { key }).then(reload) });
  const slip = useAction((key) => post(`/shipments/${shipment.id}/packing_slip`, {}, { key }).then((answer) => { setPapers(answer.data.data ?? [answer.data]); return answer; }), { done: "The packing slip is below, under documents." });
  const handOver = useAction((key) => post(`/shipments/${shipment.id}/hand_over`, undefined, { key }).then(reload), { done: "Handed over." });
  const back = useAction((key) => post("/shipments", returnOf(shipment), { key }));
  const makeReturn = async () => {
    const answer = await back.run();
    if (answer?.data) go(`/shipments/${answer.data.id}`);
  };
  const documents = [...shipment.documents, ...papers.filter((one) => !shipment.documents.some((/** @type {any} */ known) => known.id === one.id))];
  return html`
    <${PageHead} title=${name} crumbs=${[["Shipments", "/shipments"]]} badge=${html`<${Badge} big state=${stateOf(shipment)} />`}
      sub=${html`<bdi>${shipment.addresses.origin?.display_name ?? town(shipment.addresses.origin) ?? ""}</bdi> to <bdi>${town(shipment.addresses.destination)} ${shipment.addresses.destination.address.post_code ?? ""}</bdi>${shipment.order_id && html` · for its <a href=${href(`/orders/${shipment.order_id}`)}>order</a>`}`}>
      ${isBought && can("shipments:purchase") && cost && html`<${Button} onClick=${askVoid}>Void, ${cost} back<//>`}
      ${isBought && can("shipments:write") && html`<${Button} icon="undo" busy=${back.isBusy} onClick=${makeReturn}>Make a return<//>`}
      ${can("packing:write") && !shipment.packed_at && shipment.order_id && shipment.status !== "voided" && html`<${Button} icon="pack" href=${href(`/pack/${shipment.id}`)}>Pack<//>`}
      ${labels.length > 0 && can("print_jobs:write") && html`<${Button} primary icon="print" onClick=${() => setDialog("print")}>Print the label<//>`}
      <${Menu} label="More actions" entries=${[canChange && can("shipments:write") && { name: "Edit the destination", icon: "edit", act: () => setDialog("edit") }, can("shipments:write") && { name: "Make a packing slip", icon: "manifests", act: () => slip.run() }, isBought && !shipment.handed_over_at && can("packing:write") && { name: "Mark as handed over", icon: "truck", act: () => handOver.run() }]} />
    <//>
    <div class="columns"><div>
      ${shipment.errors.map((/** @type {any} */ error, /** @type {number} */ place) => html`<${Trouble} key=${place} error=${error} shipment=${shipment} onEdit=${canChange && can("shipments:write") ? () => setDialog("edit") : null} />`)}
      ${shipment.label_pending && html`<${Notice} icon="clock" title="The label is on its way">It is bought. The carrier sends the label later; this page shows it when it is there.<//>`}
      ${canChange && html`<${Rates} shipment=${shipment} reload=${reload} name=${name} />`}
      ${isBought && html`<${Tracking} id=${shipment.id} number=${shipment.tracking_number} state=${shipment.tracking_status} />`}
      <${Packages} shipment=${shipment} />
      ${can("shipping_rules:read") && html`<${Why} id=${shipment.id} />`}
      <${Timeline} id=${shipment.id} />
    </div><div>
      ${labels.length > 0 && html`<${Label} labels=${labels} name=${name} />`}
      <${Panel} title="Documents"><${Documents} documents=${documents} /><//>
      <${Panel} title="To"><div class="body small"><${Address} record=${shipment.addresses.destination} /></div><//>
      <${Panel} title="From"><div class="body small"><${Address} record=${shipment.addresses.origin} /></div><//>
      <${Panel} title="Details"><div class="body"><${Facts} rows=${[["Service", shipment.service && `${shipment.service.carrier.name}, ${shipment.service.carrier_service.name}`], ["Account", shipment.service?.carrier_account.name], ["Cost", cost], ["Tracking", shipment.tracking_number && html`<span class="mono tiny">${shipment.tracking_number}</span>`], ["Made", html`<${Time} at=${shipment.created_at} />`], shipment.packed_at && ["Packed", html`<${Time} at=${shipment.packed_at} />`], shipment.handed_over_at && ["Handed over", html`<${Time} at=${shipment.handed_over_at} />`], ["Id", html`<${Identifier} id=${shipment.id} />`]]} /></div><//>
    </div></div>
    ${dialog === "print" && html`<${PrintDialog} documents=${labels} onClose=${() => setDialog("")} />`}
    ${dialog === "edit" && html`<${ShipmentEdit} shipment=${shipment} etag=${etag} onClose=${() => setDialog("")} onDone=${() => { setDialog(""); reload(); }} />`}`;
}

/** The way back: the same parcel, marked as a return, from the customer to the location. @param {any} shipment */
const returnOf = (shipment) => ({
  name: shipment.name ? `${shipment.name}, return` : null,
  addresses: { destination: shipment.addresses.destination, ...(shipment.addresses.location_configuration_id ? { location_configuration_id: shipment.addresses.location_configuration_id } : { origin: shipment.addresses.origin, return: shipment.addresses.return }) },
  packages: shipment.packages.map((/** @type {any} */ box) => ({ name: box.name, geometry: box.geometry })),
  customs: shipment.customs,
  options: { shipping: { is_return: true } },
});

/** @param {{ error: any, shipment: any, onEdit: (() => void) | null }} props */
function Trouble({ error, shipment, onEdit }) {
  const [title, what, tone, icon] = CAUSES[error.code] ?? [error.message, "", "", "x"];
  const isAddress = /address|post_code/.test(error.code);
  return html`<${Notice} tone=${tone || "bad"} icon=${icon} title=${html`${title} <code class="tiny">${error.code}</code>`} actions=${html`${isAddress && onEdit && html`<${Button} compact onClick=${onEdit}>Correct the address<//>`}${error.code === "outcome_unknown" && html`<${Button} compact href=${href("/review")}>Review the purchase<//>`}${/order_|insufficient_stock/.test(error.code) && shipment.order_id && html`<${Button} compact href=${href(`/orders/${shipment.order_id}`)}>Open the order<//>`}`}>${error.message} ${what}<//>`;
}

/** @param {{ id: string, number: string | null, state: string }} props */
function Tracking({ id, number, state }) {
  const tracking = useResource(`/shipments/${id}/tracking`, (event) => event.data?.object?.id === id || event.type.startsWith("tracking"));
  const events = tracking.data?.events ?? [];
  return html`<${Panel} title="Tracking" note=${number && html`<span class="mono">${number}</span>`} actions=${html`<${Badge} state=${state} />`}>
    <div class="body">${events.length === 0 ? html`<p class="soft small">The carrier has not scanned it yet.</p>` : html`<ol class="timeline">${[...events].reverse().map((event, place) => html`<li key=${place}><span class=${`node ${event.status === "delivered" ? "good" : event.status === "failure" || event.status === "return_to_sender" ? "bad" : "info"}`}><${Icon} name=${event.status === "delivered" ? "check" : "s-move"} class="" /></span><div><bdi>${event.message}</bdi></div><${Time} at=${event.occurred_at} /></li>`)}</ol>`}</div>
  <//>`;
}

/** @param {{ shipment: any }} props */
function Packages({ shipment }) {
  const items = useItems(shipment.packages.flatMap((/** @type {any} */ box) => (box.items ?? []).map((/** @type {any} */ item) => item.id)));
  return shipment.packages.map((/** @type {any} */ box, /** @type {number} */ place) => {
    const facts = [box.name ?? (box.package_type_id ? "Package type" : null), dimensions(box.geometry), box.geometry?.mass && mass(box.geometry.mass)].filter(Boolean).join(", ");
    return html`<${Panel} key=${place} title=${shipment.packages.length > 1 ? `Package ${place + 1} of ${shipment.packages.length}` : "Package"} note=${facts} actions=${box.tracking_number && html`<span class="mono tiny">${box.tracking_number}</span>`}>
      ${box.items?.length ? html`<${Table} dense label="Items" rows=${box.items} columns=${[
        { name: "Item", place: "a1", wrap: true, cell: (/** @type {any} */ item) => html`<a class="plain" href=${href(`/stock/${item.id}`)}><bdi>${items.get(item.id)?.name ?? item.id}</bdi></a>` },
        { name: "SKU", place: "a3", class: "mono", cell: (/** @type {any} */ item) => items.get(item.id)?.sku ?? "" },
        { name: "Units", end: true, place: "a2", cell: (/** @type {any} */ item) => count(item.quantity) },
      ]} />` : null}
    <//>`;
  });
}

/** @param {{ labels: any[], name: string }} props */
function Label({ labels, name }) {
  const picture = labels.find((one) => one.file_type === "image/png" || /png$/.test(one.file_name));
  return html`<${Panel} title="Label" actions=${labels.map((one) => html`<a key=${one.id} class="btn ghost compact" href=${fileAddress(one)} download=${one.file_name}><${Icon} name="download" class="icon s" />${(one.file_name.split(".").pop() ?? "").toUpperCase()}</a>`)}>
    ${picture ? html`<div class="desk"><img class="paper-img" src=${fileAddress(picture)} alt=${`Label of ${name}`} /></div>` : html`<div class="body"><p class="soft small">This format has no picture. Download it, or print it.</p></div>`}
  <//>`;
}

/** @param {{ id: string }} props */
function Why({ id }) {
  const [evaluation, setEvaluation] = useState(/** @type {any} */ (null));
  const ask = useAction(async () => setEvaluation((await get(`/shipments/${id}/rule_evaluation`)).data));
  return html`<${Panel} title="Why this service" note=${evaluation ? plural(evaluation.rules.length, "rule") : "What each shipping rule says of this shipment"} actions=${html`<${Button} compact busy=${ask.isBusy} onClick=${() => ask.run()}>${evaluation ? "Ask again" : "Explain"}<//>`}>
    ${evaluation && html`<div class="body"><${Explained} evaluation=${evaluation} /></div>`}
  <//>`;
}

/** @param {{ evaluation: any }} props */
export const Explained = ({ evaluation }) => html`<ul class="reasons">${evaluation.rules.map((/** @type {any} */ rule) => html`<li key=${rule.rule_id} class=${rule.is_match ? "" : "no"}><${Icon} name=${rule.is_match ? "check" : "x"} /><span>${rule.position}. <b><bdi>${rule.name}</bdi></b>: ${rule.reasons.map((/** @type {any} */ reason) => reason.message).join(" ") || (rule.is_match ? "It has no conditions." : "")} ${rule.sets.length > 0 && html`<${Tag} tone="accent">sets ${rule.sets.join(", ")}<//>`}</span></li>`)}</ul>`;
