// Writing an order by hand: who, where, and what.
import { html, useState } from "../app/html.js";
import { get, post, withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { go } from "../app/router.js";
import { Button, PageHead, Panel, ProblemNotice } from "../components/basics.js";
import { addressFields } from "../components/address_fields.js";
import { compact } from "../components/edit_dialog.js";
import { Field, write } from "../components/form.js";
import { ORDER_FIELDS } from "../components/order_edit.js";

const FIELDS = [...ORDER_FIELDS, ...addressFields("destination.")];

export function OrderNew() {
  const [draft, setDraft] = useState(/** @type {Record<string, any>} */ ({}));
  const [lines, setLines] = useState([{ sku: "", quantity: "1", found: "" }]);
  const { run, isBusy, problem } = useAction(
    (key, /** @type {string} */ status) => {
      let body = /** @type {any} */ ({ status });
      for (const field of FIELDS) body = write(body, field.name, field.to ? field.to(draft[field.name] ?? "", draft) : draft[field.name] || null);
      body.lines = lines.filter((line) => line.sku.trim()).map((line) => ({ sku: line.sku.trim(), quantity: Number(line.quantity) }));
      return post("/orders", compact(body), { key });
    },
    { shows: true },
  );
  const save = async (/** @type {string} */ status) => {
    const answer = await run(status);
    if (answer?.data) go(`/orders/${answer.data.id}`);
  };
  const change = (/** @type {number} */ place, /** @type {any} */ next) => setLines(lines.map((line, other) => (other === place ? { ...line, ...next } : line)));
  const look = async (/** @type {number} */ place) => {
    const sku = lines[place].sku.trim();
    if (!sku) return;
    const { data } = await get(withQuery("/inventory_items", { sku, limit: 1 }));
    change(place, { found: data.data[0]?.name ?? "No item has this SKU. The order waits until one has." });
  };
  return html`
    <${PageHead} title="New order" crumbs=${[["Orders", "/orders"]]}>
      <${Button} busy=${isBusy} onClick=${() => save("draft")}>Keep as a draft<//><${Button} primary busy=${isBusy} onClick=${() => save("committed")}>Commit the order<//>
    <//>
    ${problem && html`<div class="above"><${ProblemNotice} error=${problem} /></div>`}
    <div class="columns"><div>
      <${Panel} title="Lines" footer=${html`<${Button} compact icon="plus" onClick=${() => setLines([...lines, { sku: "", quantity: "1", found: "" }])}>Another line<//>`}>
        <div class="body stack loose">${lines.map((line, place) => html`<div class="grid-2" key=${place} onFocusOut=${() => look(place)}>
          <${Field} label="SKU" name=${`lines.${place}.sku`} mono value=${line.sku} onChange=${(/** @type {string} */ sku) => change(place, { sku })} problem=${problem} hint=${line.found} />
          <${Field} label="Units" name=${`lines.${place}.quantity`} type="number" min=${1} value=${line.quantity} onChange=${(/** @type {string} */ quantity) => change(place, { quantity })} problem=${problem} />
        </div>`)}</div>
      <//>
      <${Panel} title="Destination"><div class="body form-grid">${addressFields("destination.").map((field) => html`<div class=${field.whole ? "whole" : ""} key=${field.name}><${Field} ...${field} required=${false} value=${draft[field.name]} onChange=${(/** @type {any} */ value) => setDraft({ ...draft, [field.name]: value })} problem=${problem} /></div>`)}</div><//>
    </div><div>
      <${Panel} title="Order"><div class="body stack loose">${ORDER_FIELDS.map((field) => html`<${Field} key=${field.name} ...${field} value=${draft[field.name]} onChange=${(/** @type {any} */ value) => setDraft({ ...draft, [field.name]: value })} problem=${problem} />`)}</div><//>
    </div></div>`;
}

