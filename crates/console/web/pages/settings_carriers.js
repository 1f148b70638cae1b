// Carriers, and the accounts that pay.
import { html, useState } from "../app/html.js";
import { patch, post } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, plural } from "../app/format.js";
import { can } from "../app/session.js";
import { Badge, Button, Panel } from "../components/basics.js";
import { Crud } from "../components/crud.js";
import { useAll } from "../components/places.js";
import { Table } from "../components/table.js";

const OBJECT = {
  from: (/** @type {any} */ value) => (value && Object.keys(value).length ? JSON.stringify(value, null, 2) : ""),
  to: (/** @type {any} */ text) => {
    if (!String(text).trim()) return null;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  },
};

export function Carriers() {
  const carriers = useAll("/carriers", "carriers:read");
  const [shown, setShown] = useState("");
  return html`<${Crud} of=${{
    path: "/carrier_accounts",
    kind: "carrier_account",
    scope: "carriers",
    noun: "account",
    title: "Carrier accounts",
    sub: "With which carriers you ship, and who pays",
    empty: "An account says with which credentials labels are bought. In the test world the sandbox carrier is ready.",
    warn: "Labels that were bought stay. Nothing can be bought or voided with the account any more.",
    columns: [
      { name: "Account", place: "a1", wrap: true, cell: (/** @type {any} */ row) => html`<bdi>${row.name}</bdi><span class="sub mono">${row.handle ?? ""}</span>` },
      { name: "Carrier", place: "a3", cell: (/** @type {any} */ row) => row.carrier.name ?? row.carrier.handle },
      { name: "Credentials", at: "p2", cell: (/** @type {any} */ row) => (row.has_credentials ? "kept, encrypted" : html`<span class="soft">none</span>`) },
      { name: "State", place: "a4", cell: (/** @type {any} */ row) => html`<${Badge} state=${row.disabled ? "disabled" : "active"} />` },
    ],
    more: (/** @type {any} */ row, /** @type {() => void} */ reload) => can("carriers:write") && html`<${Test} row=${row} /><${Switch} row=${row} reload=${reload} />`,
    fields: [
      { name: "carrier.handle", label: "Carrier", type: "select", createOnly: true, options: [["", "Choose"], ...carriers.map(({ handle, name }) => [handle, name])] },
      { name: "name", label: "Name", required: true },
      { name: "handle", label: "Handle", mono: true, hint: "By which rules and programs name it." },
      { name: "description", label: "Description" },
      { name: "configuration", label: "Configuration", type: "area", mono: true, hint: "As JSON; the guide says what each carrier takes.", ...OBJECT },
      { name: "credentials", label: "Credentials", type: "area", mono: true, hint: "As JSON. They are kept encrypted and never shown again; leave it empty to keep those that are there.", from: () => "", to: OBJECT.to },
    ],
  }} />
  <${Panel} title="Carriers" note="That this server can speak to"><${Table} label="Carriers" rows=${carriers} columns=${[
    { name: "Carrier", place: "a1", cell: (/** @type {any} */ row) => row.name },
    { name: "Handle", place: "a2", class: "mono", cell: (/** @type {any} */ row) => row.handle },
    { name: "What it is", place: "a3", wrap: true, cell: (/** @type {any} */ row) => row.description },
    { name: html`<span class="unseen">Services</span>`, end: true, place: "a5", cell: (/** @type {any} */ row) => html`<${Button} compact onClick=${() => setShown(shown === row.id ? "" : row.id)}>Services<//>` },
  ]} />${shown && html`<${Services} id=${shown} key=${shown} />`}<//>`;
}

/** @param {{ id: string }} props */
function Services({ id }) {
  const services = useAll(`/carriers/${id}/services`, "carriers:read");
  return html`<ul class="list">${services.map((service) => html`<li key=${service.id}><div><b>${service.name}</b> <code class="tiny">${service.handle}</code><span class="sub">${service.description}</span></div></li>`)}</ul>`;
}

/** What a test found out, if the account is not connected. @type {Record<string, string>} */
const UNCONNECTED = { refused: "Not connected: the carrier refused.", unreachable: "Not connected: the carrier can’t be reached.", unclear: "Nothing is known of the connection: the carrier’s answer can’t be read." };

/** Asks the carrier for a price, which costs nothing. @param {{ row: any }} props */
function Test({ row }) {
  const { run, isBusy } = useAction(
    async (key) => {
      const { data } = await post(`/carrier_accounts/${row.id}/test`, undefined, { key });
      if (data.outcome !== "connected") throw new Error(`${UNCONNECTED[data.outcome] ?? data.outcome} ${data.message ?? ""}`.trim());
      return data;
    },
    { done: ({ rate_count: rates, duration_ms: ms }) => `Connected: ${plural(rates, "price")} for a parcel of 1 kg, in ${count(ms)} ms.` },
  );
  return html`<${Button} compact busy=${isBusy} onClick=${() => run()}>Test<//>`;
}

/** @param {{ row: any, reload: () => void }} props */
function Switch({ row, reload }) {
  const { run, isBusy } = useAction(() => patch(`/carrier_accounts/${row.id}`, { disabled: !row.disabled }).then(reload), { done: row.disabled ? "The account is in use again." : "The account is switched off." });
  return html`<${Button} compact busy=${isBusy} onClick=${() => run()}>${row.disabled ? "Switch on" : "Switch off"}<//>`;
}
