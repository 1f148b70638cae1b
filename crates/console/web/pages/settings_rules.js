// Shipping rules: in their order, moved by drag or by keys, and tested against an order.
import { html, useState } from "../app/html.js";
import { get, patch, post, put, remove, withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { plural } from "../app/format.js";
import { useResource } from "../app/resource.js";
import { href } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, Loaded, Panel, ProblemNotice } from "../components/basics.js";
import { confirm } from "../components/dialog.js";
import { Field } from "../components/form.js";
import { Icon } from "../components/icon.js";
import { useAll } from "../components/places.js";
import { RuleDialog } from "../components/rule_dialog.js";
import { actionText, conditionTexts } from "../components/rule_words.js";
import { Explained } from "./shipment.js";

/** Returns how to name a carrier account, which rules know by its id or its handle. */
function useAccountName() {
  const accounts = useAll("/carrier_accounts", "carriers:read");
  return (/** @type {string} */ key) => accounts.find((one) => one.id === key || one.handle === key)?.name ?? key;
}

export function Rules() {
  const accountName = useAccountName();
  const rules = useResource("/shipping_rules?limit=100", (event) => event.type.startsWith("shipping_rule."));
  const [editing, setEditing] = useState(/** @type {any} */ (null));
  const [dragged, setDragged] = useState("");
  const canWrite = can("shipping_rules:write");
  const rows = rules.data?.data ?? [];
  const order = useAction((_key, /** @type {string[]} */ ids) => put("/shipping_rules/order", { ids }).then(rules.reload), { done: "The order of the rules is changed." });
  const move = (/** @type {string} */ id, /** @type {number} */ to) => {
    const ids = rows.map((/** @type {any} */ rule) => rule.id).filter((/** @type {string} */ one) => one !== id);
    ids.splice(Math.max(0, Math.min(ids.length, to)), 0, id);
    rules.set({ ...rules.data, data: ids.map((/** @type {string} */ one) => rows.find((/** @type {any} */ rule) => rule.id === one)) });
    order.run(ids).then((result) => (result === undefined ? rules.reload() : undefined));
  };
  const toggle = useAction((_key, /** @type {any} */ rule) => patch(`/shipping_rules/${rule.id}`, { is_active: rule.is_active === false }).then(rules.reload));
  const edit = useAction(async (_key, /** @type {any} */ rule) => {
    const { data, etag } = await get(`/shipping_rules/${rule.id}`);
    setEditing({ base: data, etag });
  });
  const drop = (/** @type {any} */ rule) => confirm({ title: `Delete the rule ${rule.name}`, body: "Shipments that it decided about stay as they are.", verb: "Delete the rule", danger: true, act: () => remove(`/shipping_rules/${rule.id}`).then(rules.reload) });
  const make = canWrite && html`<${Button} primary icon="plus" onClick=${() => setEditing({})}>New rule<//>`;
  return html`
    <div class="page-head"><div><h1>Shipping rules</h1><p>From top to bottom; the first rule that matches decides each thing</p></div><div class="row"><${Button} href=${href("/settings/packages")}>Package types<//>${make}</div></div>
    <${Panel} title="Rules" note=${rows.length ? plural(rows.length, "rule") : null}><${Loaded} of=${rules}>${() => (rows.length === 0 ? html`<${Empty} title="No rules yet" actions=${make}>A rule chooses the service, options, the package or the printer by what a shipment is and where it goes.<//>` : html`<ol class="list top">${rows.map((/** @type {any} */ rule, /** @type {number} */ place) => html`<li key=${rule.id} class=${dragged === rule.id ? "dragged" : ""} draggable=${canWrite ? "true" : undefined}
      onDragStart=${() => setDragged(rule.id)} onDragEnd=${() => setDragged("")} onDragOver=${(/** @type {Event} */ event) => dragged && event.preventDefault()} onDrop=${(/** @type {Event} */ event) => { event.preventDefault(); if (dragged && dragged !== rule.id) move(dragged, place); setDragged(""); }}>
      <span class="count grab">${place + 1}</span><div><b><bdi>${rule.name}</bdi></b>${rule.is_active === false && html` <${Badge} state="disabled" />`}<span class="sub">If ${conditionTexts(rule.conditions).join(", and ") || "anything is shipped"}</span><span class="sub"><${Icon} name="right" class="icon s" /> ${actionText(rule.action, accountName)}</span></div>
      ${canWrite && html`<span class="actions"><${Button} compact ghost icon="up" label=${`Move ${rule.name} up`} why=${place === 0 ? "It is the first" : undefined} onClick=${() => move(rule.id, place - 1)} /><${Button} compact ghost icon="down" label=${`Move ${rule.name} down`} why=${place === rows.length - 1 ? "It is the last" : undefined} onClick=${() => move(rule.id, place + 1)} /><${Button} compact onClick=${() => toggle.run(rule)}>${rule.is_active === false ? "Switch on" : "Switch off"}<//><${Button} compact ghost icon="edit" label=${`Edit ${rule.name}`} onClick=${() => edit.run(rule)} /><${Button} compact ghost icon="trash" label=${`Delete ${rule.name}`} onClick=${() => drop(rule)} /></span>`}
    </li>`)}</ol>`)}<//><//>
    <${Test} />
    ${editing && html`<${RuleDialog} rule=${editing.base} etag=${editing.etag} onClose=${() => setEditing(null)} onDone=${() => { setEditing(null); rules.reload(); }} />`}`;
}

function Test() {
  const accountName = useAccountName();
  const [reference, setReference] = useState("");
  const [result, setResult] = useState(/** @type {any} */ (null));
  const { run, isBusy, problem } = useAction(async () => {
    const id = /^ord_/.test(reference) ? reference : (await get(withQuery("/orders", { reference, limit: 1 }))).data.data[0]?.id;
    if (!id) throw new Error(`No order has the reference ${reference}.`);
    setResult((await post("/shipping_rules/evaluate", { order_id: id })).data);
    return true;
  }, { shows: true });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    setResult(null);
    if (reference.trim()) run();
  };
  return html`<${Panel} title="Test against an order" note="Nothing is changed"><div class="body stack loose">
    <form class="row" onSubmit=${submit}><div class="spring"><${Field} label="Order’s reference" value=${reference} onChange=${setReference} placeholder="10482" /></div><${Button} type="submit" busy=${isBusy}>Test<//></form>
    <${ProblemNotice} error=${problem} />
    ${result && result.data.map((/** @type {any} */ evaluation, /** @type {number} */ place) => html`<div key=${place} class="stack"><h3>${result.data.length > 1 ? `Part ${place + 1}: ` : ""}${actionText(evaluation.decision, accountName) || "No rule decides anything"}</h3><${Explained} evaluation=${evaluation} /></div>`)}
  </div><//>`;
}
