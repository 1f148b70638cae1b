// Documents: labels and papers, to see, download and print. Links to files work for a while; they are read anew with the
// page.
import { html, useState } from "../app/html.js";
import { post } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, words } from "../app/format.js";
import { can } from "../app/session.js";
import { Button, Time } from "./basics.js";
import { Dialog } from "./dialog.js";
import { Field } from "./form.js";
import { Icon } from "./icon.js";
import { useAll } from "./places.js";

/** The address of a file on this server, whatever name the server goes by elsewhere. @param {{ file_url: string }} document */
export function fileAddress({ file_url: address }) {
  const url = new URL(address, location.origin);
  return url.pathname.startsWith("/files/") ? url.pathname + url.search : url.href;
}

/** @param {number} bytes */
const size = (bytes) => (bytes < 10_000 ? `${count(bytes)} bytes` : `${count(Math.round(bytes / 1000))} kB`);

/** @param {{ documents: any[] }} props */
export function Documents({ documents }) {
  const [printing, setPrinting] = useState(/** @type {any} */ (null));
  if (documents.length === 0) return html`<div class="body"><p class="soft small">None yet.</p></div>`;
  return html`<ul class="list">${documents.map((document) => html`<li key=${document.id}><div><a href=${fileAddress(document)} target="_blank" rel="noopener"><bdi>${document.file_name}</bdi></a><span class="sub">${words(document.type)}, ${size(document.file_size)}, <${Time} at=${document.created_at} /></span></div>
      <a class="btn ghost compact square" href=${fileAddress(document)} download=${document.file_name} aria-label=${`Download ${document.file_name}`}><${Icon} name="download" class="icon s" /></a>
      ${can("print_jobs:write") && html`<${Button} ghost compact icon="print" label=${`Print ${document.file_name}`} onClick=${() => setPrinting(document)} />`}</li>`)}</ul>
    ${printing && html`<${PrintDialog} documents=${[printing]} onClose=${() => setPrinting(null)} />`}`;
}

/** @param {{ documents: any[], onClose: () => void }} props */
export function PrintDialog({ documents, onClose }) {
  const printers = useAll("/printers", "printers:read");
  const [printer, setPrinter] = useState("");
  const [copies, setCopies] = useState("1");
  const { run, isBusy } = useAction((key) => post("/print_jobs", { document_ids: documents.map(({ id }) => id), copies: Number(copies), printer_id: printer || null }, { key }), { done: "It is in the printer’s queue." });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await run()) onClose();
  };
  return html`<${Dialog} title=${documents.length === 1 ? `Print ${documents[0].file_name}` : `Print ${count(documents.length)} files`} onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="print-form" busy=${isBusy}>Print<//>`}>
    <form id="print-form" class="grid-2" onSubmit=${submit}>
      <${Field} label="Printer" type="select" value=${printer} onChange=${setPrinter} options=${[["", "The default for this kind"], ...printers.map((one) => [one.id, one.name])]} />
      <${Field} label="Copies" type="number" min=${1} max=${99} value=${copies} onChange=${setCopies} />
    </form>
  <//>`;
}
