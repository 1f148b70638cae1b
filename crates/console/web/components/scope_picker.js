// Choosing scopes: a row for each resource, with read, write and purchase.
import { html } from "../app/html.js";
import { words } from "../app/format.js";
import { Button } from "./basics.js";

/** @param {{ available: string[], value: string[], onChange: (scopes: string[]) => void }} props */
export function ScopePicker({ available, value, onChange }) {
  const known = available.filter((scope) => scope.includes(":"));
  const resources = [...new Set(known.map((scope) => scope.split(":")[0]))].sort();
  const verbs = ["read", "write", "purchase"];
  const toggle = (/** @type {string} */ scope) => onChange(value.includes(scope) ? value.filter((one) => one !== scope) : [...value, scope]);
  return html`<fieldset class="stack"><legend class="unseen">Scopes</legend>
    <div class="row"><h3>Scopes</h3><span class="spring"></span><${Button} compact ghost onClick=${() => onChange(known.filter((scope) => scope.endsWith(":read")))}>All read<//><${Button} compact ghost onClick=${() => onChange(known)}>All<//><${Button} compact ghost onClick=${() => onChange([])}>None<//></div>
    <table class="table dense scopes"><thead><tr><th scope="col">Resource</th>${verbs.map((verb) => html`<th scope="col" key=${verb}>${words(verb)}</th>`)}</tr></thead>
      <tbody>${resources.map((resource) => html`<tr key=${resource}><th scope="row">${words(resource)}</th>${verbs.map((verb) => html`<td key=${verb}>${known.includes(`${resource}:${verb}`) ? html`<label class="check"><input type="checkbox" aria-label=${`${words(resource)}: ${verb}`} checked=${value.includes(`${resource}:${verb}`)} onChange=${() => toggle(`${resource}:${verb}`)} /></label>` : null}</td>`)}</tr>`)}</tbody></table>
  </fieldset>`;
}
