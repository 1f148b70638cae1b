// Webhook endpoints: where events are sent, what became of each delivery, and sending again.
import { html, useState } from "../app/html.js";
import { post, remove, withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { plural } from "../app/format.js";
import { useList, useResource } from "../app/resource.js";
import { go, href, usePlace } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Copy, Empty, Facts, Identifier, Loaded, Notice, PageHead, Panel, Tabs, TagList, Time } from "../components/basics.js";
import { confirm } from "../components/dialog.js";
import { EditDialog, LIST } from "../components/edit_dialog.js";
import { Menu } from "../components/menu.js";
import { ListPanel } from "../components/table.js";

/** @type {import("../components/edit_dialog.js").FormField[]} */
const FIELDS = [
  { name: "url", label: "Address", required: true, whole: true, type: "url", placeholder: "https://…" },
  { name: "description", label: "Description", whole: true },
  { name: "event_types", label: "Event types", whole: true, mono: true, hint: "Separated by commas, such as order.created; * is all. Empty: all that the scopes allow.", from: LIST.from, to: (text) => (LIST.to(text).length ? LIST.to(text) : null) },
];

export function Webhooks() {
  const list = useList("/webhook_endpoints?limit=50", { kind: "webhook_endpoint" });
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState(/** @type {any} */ (null));
  const make = can("webhooks:write") && html`<${Button} primary icon="plus" onClick=${() => setMaking(true)}>New endpoint<//>`;
  return html`<div class="stack-5">
    <div class="row apart"><p class="soft">Events reach your program although it was down: each is tried for days.</p>${make}</div>
    ${made && html`<${Secret} endpoint=${made} onClose=${() => setMade(null)} />`}
    <${ListPanel} list=${list} label="Webhook endpoints" noun="endpoint" open=${(/** @type {any} */ row) => `/developers/webhooks/${row.id}`} empty=${html`<${Empty} title="No endpoints yet" actions=${make}>Name an address of your program; events are sent there, signed.<//>`} columns=${[
      { name: "Address", place: "a1", wrap: true, cell: (/** @type {any} */ row) => html`<a class="plain" href=${href(`/developers/webhooks/${row.id}`)}><bdi>${row.url}</bdi></a>${row.description && html`<span class="sub"><bdi>${row.description}</bdi></span>`}` },
      { name: "State", place: "a4", cell: (/** @type {any} */ row) => html`<${Badge} state=${row.disabled ? "disabled" : "active"} />` },
      { name: "Events", place: "a3", wrap: true, cell: (/** @type {any} */ row) => (row.event_types?.length ? (row.event_types.length > 3 ? plural(row.event_types.length, "type") : row.event_types.join(", ")) : "all") },
      { name: "Made", place: "a5", cell: (/** @type {any} */ row) => html`<${Time} at=${row.created_at} />` },
    ]} />
    ${isMaking && html`<${EditDialog} title="New webhook endpoint" path="/webhook_endpoints" fields=${FIELDS} onClose=${() => setMaking(false)} onDone=${(/** @type {any} */ endpoint) => { setMaking(false); setMade(endpoint); list.reload(); }} />`}
  </div>`;
}

/** @param {{ endpoint: any, onClose: () => void }} props */
const Secret = ({ endpoint, onClose }) => html`<${Notice} tone="good" icon="key" title="The signing secret is shown only now" actions=${html`<${Button} compact onClick=${onClose}>I have kept it<//>`}><span class="secret"><code>${endpoint.secret}</code><${Copy} text=${endpoint.secret} label="Copy the secret" /></span><//>`;

/** @param {{ id: string }} props */
export function Endpoint({ id }) {
  const { query } = usePlace();
  const endpoint = useResource(`/webhook_endpoints/${id}`, (event) => event.data?.object?.id === id);
  const status = query.get("status") ?? "";
  const list = useList(withQuery(`/webhook_endpoints/${id}/deliveries`, { status, cursor: query.get("cursor"), limit: 50 }), { also: ["webhook_delivery"] });
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const again = useAction((key, /** @type {any} */ delivery) => post(`/webhook_endpoints/${id}/deliveries/${delivery.id}/replay`, undefined, { key }).then(list.reload), { done: "It is sent again." });
  const test = useAction((key) => post(`/webhook_endpoints/${id}/test`, undefined, { key }).then(list.reload), { done: "A test event is on its way." });
  const rotate = () => confirm({ title: "Make a new signing secret", body: "The old secret stays valid for a day, so that your program can be changed without losing events.", verb: "Make a new secret", act: (key) => post(`/webhook_endpoints/${id}/rotate_secret`, undefined, { key }).then((answer) => setDialog({ secret: answer.data })) });
  const drop = () => confirm({ title: "Delete the endpoint", body: "Nothing is sent there any more, and its deliveries are forgotten.", verb: "Delete the endpoint", danger: true, act: () => remove(`/webhook_endpoints/${id}`).then(() => go("/developers/webhooks")) });
  const [open, setOpen] = useState("");
  return html`<${Loaded} of=${endpoint}>${(/** @type {any} */ data) => html`
    <${PageHead} title=${data.url} crumbs=${[["Developers", "/developers/webhooks"]]} badge=${html`<${Badge} big state=${data.disabled ? "disabled" : "active"} />`} sub=${html`<bdi>${data.description ?? ""}</bdi>`}>
      ${can("webhooks:write") && html`<${Button} busy=${test.isBusy} onClick=${() => test.run()}>Send a test<//><${Button} icon="edit" onClick=${() => setDialog("edit")}>Edit<//><${Menu} label="More actions" entries=${[{ name: "Send events again since …", icon: "undo", act: () => setDialog("replay") }, { name: "New signing secret", icon: "key", act: rotate }, { name: "Delete the endpoint", icon: "trash", danger: true, act: drop }]} />`}
    <//>
    ${dialog?.secret && html`<div class="above"><${Secret} endpoint=${dialog.secret} onClose=${() => setDialog(null)} /></div>`}
    ${data.disabled_reason && html`<div class="above"><${Notice} tone="bad" icon="warn" title=${data.disabled_reason === "gone" ? "The address said that it is gone" : "Deliveries failed for too long"}>Mend the program, then edit the endpoint and switch it on.<//></div>`}
    <${Tabs} label="Deliveries" current=${status} path=${(/** @type {string} */ key) => href(`/developers/webhooks/${id}${key ? `?status=${key}` : ""}`)} tabs=${[["", "All"], ["pending", "Pending"], ["retrying", "Retrying"], ["failed", "Failed"], ["succeeded", "Succeeded"]]} />
    <div class="columns"><div>
      <${ListPanel} list=${list} label="Deliveries" noun="delivery" empty=${html`<${Empty} title="No deliveries here">They appear as events happen. Send a test to see one.<//>`} columns=${[
        { name: "Event", place: "a1", cell: (/** @type {any} */ row) => html`<code>${row.event_type}</code>` },
        { name: "State", place: "a4", cell: (/** @type {any} */ row) => html`<${Badge} state=${row.status} />` },
        { name: "Tries", place: "a3", cell: (/** @type {any} */ row) => html`<button class="btn ghost compact" type="button" aria-expanded=${String(open === row.id)} onClick=${() => setOpen(open === row.id ? "" : row.id)}>${plural(row.attempts.length, "try", "tries")}</button>${open === row.id && html`<ol class="stack small">${row.attempts.map((/** @type {any} */ one) => html`<li><${Time} at=${one.attempted_at} />: ${one.status_code ?? one.error ?? "no answer"}, ${one.latency_ms} ms</li>`)}</ol>`}` },
        { name: "Next", at: "p2", cell: (/** @type {any} */ row) => html`<${Time} at=${row.next_attempt_at} />` },
        { name: "Made", place: "a5", cell: (/** @type {any} */ row) => html`<${Time} at=${row.created_at} />` },
        { name: html`<span class="unseen">Actions</span>`, end: true, place: "a2", cell: (/** @type {any} */ row) => can("webhooks:write") && html`<${Button} compact onClick=${() => again.run(row)}>Send again<//>` },
      ]} />
    </div><div><${Panel} title="Endpoint"><div class="body"><${Facts} rows=${[["Events", html`<${TagList} codes=${data.event_types?.length ? data.event_types : ["all"]} />`], ["Made", html`<${Time} at=${data.created_at} />`], ["Id", html`<${Identifier} id=${data.id} />`]]} /></div><//></div></div>
    ${dialog === "edit" && html`<${EditDialog} title="Edit the endpoint" path=${`/webhook_endpoints/${id}`} base=${data} etag=${endpoint.etag} fields=${[...FIELDS, { name: "disabled", label: "Switched off", type: "check" }]} onClose=${() => setDialog(null)} onDone=${() => { setDialog(null); endpoint.reload(); }} />`}
    ${dialog === "replay" && html`<${EditDialog} title="Send events again" verb="Send again" path=${`/webhook_endpoints/${id}/replay`} note=${html`<p class="soft">All events after this number of the log are sent again, in their order.</p>`} fields=${[{ name: "after_sequence", label: "After number", type: "number", required: true, from: () => "0", to: Number }]} onClose=${() => setDialog(null)} onDone=${() => { setDialog(null); list.reload(); }} />`}`}<//>`;
}
