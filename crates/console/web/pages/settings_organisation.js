// The organisation: its name, its day, and rules that hold for all orders.
import { html, useState } from "../app/html.js";
import { useResource } from "../app/resource.js";
import { can } from "../app/session.js";
import { Button, Facts, Identifier, Loaded, Panel, Time } from "../components/basics.js";
import { EditDialog } from "../components/edit_dialog.js";

/** @type {import("../components/edit_dialog.js").FormField[]} */
const FIELDS = [
  { name: "name", label: "Name", required: true, whole: true },
  { name: "time_zone", label: "Time zone", placeholder: "Europe/London", hint: "Days on charts and of manifests follow it." },
  { name: "unique_order_references", label: "No two orders have the same reference", type: "check" },
];

export function Organisation() {
  const organisation = useResource("/organisation", (event) => event.type.startsWith("organisation."));
  const [isEditing, setEditing] = useState(false);
  return html`<${Loaded} of=${organisation}>${(/** @type {any} */ data) => html`
    <div class="page-head"><div><h1>Organisation</h1><p>What holds for everything here</p></div>${can("organisation:write") && html`<div class="row"><${Button} primary icon="edit" onClick=${() => setEditing(true)}>Edit<//></div>`}</div>
    <${Panel} title=${html`<bdi>${data.name}</bdi>`}><div class="body"><${Facts} rows=${[["Time zone", data.time_zone ?? "UTC"], ["References", data.unique_order_references ? "each once" : "may repeat"], ["Made", html`<${Time} at=${data.created_at} />`], ["Changed", html`<${Time} at=${data.updated_at} />`], ["Id", html`<${Identifier} id=${data.id} />`]]} /></div><//>
    ${isEditing && html`<${EditDialog} title="Edit the organisation" path="/organisation" base=${data} etag=${organisation.etag} fields=${FIELDS} onClose=${() => setEditing(false)} onDone=${() => { setEditing(false); organisation.reload(); }} />`}`}<//>`;
}
