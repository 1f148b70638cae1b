// Printers, and the latest print jobs.
import { html } from "../app/html.js";
import { post } from "../app/api.js";
import { useAction } from "../app/action.js";
import { plural } from "../app/format.js";
import { useList } from "../app/resource.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, Panel, TagList, Time } from "../components/basics.js";
import { Crud } from "../components/crud.js";
import { LIST, NUMBER } from "../components/edit_dialog.js";
import { useAll, useLocationName, useLocations } from "../components/places.js";
import { Table } from "../components/table.js";

export function Printers() {
  const locations = useLocations();
  const placeName = useLocationName();
  return html`<${Crud} of=${{
    path: "/printers",
    kind: "printer",
    scope: "printers",
    noun: "printer",
    title: "Printers",
    sub: "Where labels and papers come out",
    empty: "A printer on the network is reached directly; one behind a firewall through the print agent.",
    columns: [
      { name: "Name", place: "a1", wrap: true, cell: (/** @type {any} */ row) => html`<bdi>${row.name}</bdi><span class="sub mono">${row.address}</span>` },
      { name: "Speaks", place: "a3", cell: (/** @type {any} */ row) => `${row.kind === "ipp" ? "IPP" : "Raw socket"}, ${row.formats.map((/** @type {string} */ one) => one.toUpperCase()).join(", ")}` },
      { name: "Reached", at: "p2", cell: (/** @type {any} */ row) => (row.connection === "agent" ? "by the agent" : "directly") },
      { name: "Location", at: "p2", wrap: true, cell: (/** @type {any} */ row) => html`<bdi>${placeName(row.location_id) || "–"}</bdi>` },
      { name: "Default for", at: "p3", wrap: true, cell: (/** @type {any} */ row) => html`<${TagList} codes=${row.is_default_for} />` },
    ],
    fields: [
      { name: "name", label: "Name", required: true, whole: true, placeholder: "Zebra 2, packing bench" },
      { name: "kind", label: "Speaks", type: "select", initial: "raw", options: [["raw", "Raw socket (label printers)"], ["ipp", "IPP (office printers)"]] },
      { name: "connection", label: "Reached", type: "select", initial: "direct", options: [["direct", "Directly from the server"], ["agent", "Through the print agent"]] },
      { name: "address", label: "Address", required: true, mono: true, placeholder: "192.0.2.10:9100" },
      { name: "formats", label: "Formats", hint: "Of zpl, pdf, png, pwg; separated by commas.", ...LIST },
      { name: "dpi", label: "Resolution", type: "number", suffix: "dpi", ...NUMBER },
      { name: "location_id", label: "Location", type: "select", options: [["", "All"], ...locations.map(({ id, name }) => [id, name])] },
      { name: "is_default_for", label: "Default for", whole: true, hint: "Of label, packing_slip, pick_list, manifest; separated by commas.", ...LIST },
    ],
  }} />${can("print_jobs:read") && html`<${Jobs} />`}`;
}

function Jobs() {
  const list = useList("/print_jobs?limit=20", { kind: "print_job" });
  const printers = useAll("/printers", "printers:read");
  const again = useAction((key, /** @type {any} */ job) => post(`/print_jobs/${job.id}/reprint`, undefined, { key }).then(list.reload), { done: "It is printed again." });
  const stop = useAction((key, /** @type {any} */ job) => post(`/print_jobs/${job.id}/cancel`, undefined, { key }).then(list.reload), { done: "It is cancelled." });
  const rows = list.rows ?? [];
  return html`<${Panel} title="Print jobs" note="The latest">
    ${rows.length === 0 ? html`<${Empty} title="Nothing was printed yet" />` : html`<${Table} label="Print jobs" rows=${rows} columns=${[
      { name: "Printer", place: "a1", wrap: true, cell: (/** @type {any} */ job) => html`<bdi>${printers.find((one) => one.id === job.printer_id)?.name ?? "–"}</bdi>` },
      { name: "State", place: "a4", cell: (/** @type {any} */ job) => html`<${Badge} state=${job.status} />` },
      { name: "What", place: "a3", wrap: true, cell: (/** @type {any} */ job) => html`${plural(job.document_ids.length, "document")}${job.message && html`<span class="sub">${job.message}</span>`}` },
      { name: "Tries", end: true, at: "p2", cell: (/** @type {any} */ job) => job.tries },
      { name: "Made", place: "a5", cell: (/** @type {any} */ job) => html`<${Time} at=${job.created_at} />` },
      { name: html`<span class="unseen">Actions</span>`, end: true, place: "a2", cell: (/** @type {any} */ job) => can("print_jobs:write") && (["queued", "sending"].includes(job.status) ? html`<${Button} compact onClick=${() => stop.run(job)}>Cancel<//>` : html`<${Button} compact onClick=${() => again.run(job)}>Print again<//>`) },
    ]} />`}
  <//>`;
}
