// One item: its levels by location, adjusting with a reason, and its history.
import { html, useState } from "../app/html.js";
import { post, remove, withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, dimensions, mass, money } from "../app/format.js";
import { useResource } from "../app/resource.js";
import { go } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, Facts, Identifier, Loaded, PageHead, Panel, ProblemNotice, TagList, Time } from "../components/basics.js";
import { confirm, Dialog } from "../components/dialog.js";
import { EditDialog, NUMBER } from "../components/edit_dialog.js";
import { Field } from "../components/form.js";
import { ITEM_FIELDS } from "../components/item_fields.js";
import { Menu } from "../components/menu.js";
import { useLocationName, useLocations } from "../components/places.js";
import { Table } from "../components/table.js";
import { Timeline } from "../components/timeline.js";

/** @param {{ parts: string[] }} props */
export function StockItem({ parts: [id] }) {
  const item = useResource(`/inventory_items/${id}`, (event) => event.data?.object?.id === id);
  const levels = useResource(`/inventory_items/${id}/levels?limit=100`, (event) => event.type.startsWith("inventory_level.") || event.type.startsWith("inventory."));
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const [shown, setShown] = useState("");
  const placeName = useLocationName();
  const locations = useLocations();
  const rows = levels.data?.data ?? [];
  const history = shown || rows[0]?.location.id || "";
  const drop = (/** @type {any} */ data) => confirm({ title: `Delete ${data.name}`, body: "Its levels and their history go, too. Orders that name it keep their lines.", verb: "Delete the item", danger: true, act: () => remove(`/inventory_items/${id}`).then(() => go("/stock")) });
  const close = () => setDialog(null);
  const done = () => {
    close();
    item.reload();
    levels.reload();
  };
  const unstocked = locations.filter((location) => !rows.some((/** @type {any} */ level) => level.location.id === location.id));
  return html`<${Loaded} of=${item}>${(/** @type {any} */ data) => html`
    <${PageHead} title=${data.name} crumbs=${[["Stock", "/stock"]]} badge=${rows.some((/** @type {any} */ level) => level.low_stock) && html`<${Badge} big state="low" />`} sub=${html`<span class="mono">${data.sku}</span>`}>
      ${can("inventory:write") && html`<${Button} icon="edit" onClick=${() => setDialog("edit")}>Edit<//>${unstocked.length > 0 && html`<${Button} primary icon="plus" onClick=${() => setDialog("level")}>Stock at a location<//>`}<${Menu} label="More actions" entries=${[{ name: "Delete the item", icon: "trash", danger: true, act: () => drop(data) }]} />`}
    <//>
    <div class="columns"><div>
      <${Panel} title="Levels" note=${rows.length ? `${count(rows.reduce((/** @type {number} */ sum, /** @type {any} */ level) => sum + level.available, 0))} available in all` : null}>
        <${Loaded} of=${levels} rows=${2}>${() => (rows.length === 0 ? html`<${Empty} title="In stock nowhere" actions=${can("inventory:write") && html`<${Button} primary onClick=${() => setDialog("level")}>Stock at a location<//>`}>Say how many lie at which location.<//>` : html`<${Table} label="Levels" rows=${rows} id=${(/** @type {any} */ level) => level.location.id} columns=${[
          { name: "Location", place: "a1", wrap: true, cell: (/** @type {any} */ level) => html`<bdi>${placeName(level.location.id)}</bdi>` },
          { name: "Bin", place: "a3", class: "mono", cell: (/** @type {any} */ level) => level.bin ?? "–" },
          { name: "On hand", end: true, at: "p2", cell: (/** @type {any} */ level) => count(level.on_hand) },
          { name: "Allocated", end: true, at: "p2", cell: (/** @type {any} */ level) => count(level.allocated) },
          { name: "Available", end: true, place: "a2", cell: (/** @type {any} */ level) => html`<b>${count(level.available)}</b>` },
          { name: "Reorder at", end: true, at: "p3", cell: (/** @type {any} */ level) => count(level.reorder_point) },
          { name: "State", place: "a4", cell: (/** @type {any} */ level) => (level.low_stock ? html`<${Badge} state="low" />` : html`<span class="soft">enough</span>`) },
          { name: html`<span class="unseen">Actions</span>`, end: true, place: "a5", cell: (/** @type {any} */ level) => html`<span class="actions">${can("inventory:write") && html`<${Button} compact onClick=${() => setDialog({ adjust: level })}>Adjust<//><${Button} compact ghost icon="edit" label=${`Edit the level at ${placeName(level.location.id)}`} onClick=${() => setDialog({ edit: level })} />`}${rows.length > 1 && html`<${Button} compact ghost onClick=${() => setShown(level.location.id)}>History<//>`}</span>` },
        ]} />`)}<//>
      <//>
      ${history && html`<${History} item=${id} location=${history} name=${placeName(history)} />`}
      <${Timeline} id=${id} />
    </div><div>
      <${Panel} title="Item"><div class="body"><${Facts} rows=${[["SKU", html`<span class="mono">${data.sku}</span>`], ["Barcodes", html`<span class="mono">${(data.barcodes ?? []).join(", ") || "–"}</span>`], ["Mass", mass(data.mass)], ["Size", dimensions(data.dimensions)], ["Worth", money(data.unit_value, data.currency_code)], ["Tariff code", data.hs_code], ["Made in", data.origin_country_code], ["Tags", html`<${TagList} codes=${data.tags} />`], ["Changed", html`<${Time} at=${data.updated_at} />`], ["Id", html`<${Identifier} id=${data.id} />`]]} /></div><//>
    </div></div>
    ${dialog === "edit" && html`<${EditDialog} title=${`Edit ${data.name}`} path=${`/inventory_items/${id}`} base=${data} etag=${item.etag} fields=${ITEM_FIELDS} onClose=${close} onDone=${done} />`}
    ${dialog === "level" && html`<${LevelDialog} item=${id} locations=${unstocked} onClose=${close} onDone=${done} />`}
    ${dialog?.edit && html`<${EditDialog} title=${`Level at ${placeName(dialog.edit.location.id)}`} path=${`/inventory_items/${id}/levels/${dialog.edit.location.id}`} base=${dialog.edit} fields=${[{ name: "bin", label: "Bin", mono: true }, { name: "reorder_point", label: "Reorder at", type: "number", ...NUMBER }]} onClose=${close} onDone=${done} />`}
    ${dialog?.adjust && html`<${AdjustDialog} item=${data} level=${dialog.adjust} place=${placeName(dialog.adjust.location.id)} onClose=${close} onDone=${done} />`}`}<//>`;
}

/** @param {{ item: string, locations: any[], onClose: () => void, onDone: () => void }} props */
function LevelDialog({ item, locations, onClose, onDone }) {
  const [location, setLocation] = useState(locations[0]?.id ?? "");
  return html`<${EditDialog} title="Stock at a location" method="PUT" path=${`/inventory_items/${item}/levels/${location}`} verb="Save" note=${html`<${Field} label="Location" type="select" value=${location} onChange=${setLocation} options=${locations.map(({ id, name }) => [id, name])} />`} fields=${[{ name: "on_hand", label: "On hand", type: "number", required: true, initial: "0", ...NUMBER }, { name: "bin", label: "Bin", mono: true, placeholder: "A-03-2" }, { name: "reorder_point", label: "Reorder at", type: "number", ...NUMBER }]} onClose=${onClose} onDone=${onDone} />`;
}

/** @param {{ item: any, level: any, place: string, onClose: () => void, onDone: () => void }} props */
function AdjustDialog({ item, level, place, onClose, onDone }) {
  const [found, setFound] = useState(String(level.on_hand));
  const [reason, setReason] = useState("");
  const delta = Number(found) - level.on_hand;
  const { run, isBusy, problem } = useAction((key) => post(`/inventory_items/${item.id}/levels/${level.location.id}/adjust`, { delta, reason, expected_on_hand: level.on_hand }, { key }), { done: "The level is adjusted.", shows: true });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await run()) onDone();
  };
  return html`<${Dialog} title=${`Adjust ${item.name}`} onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="adjust-form" busy=${isBusy} why=${delta === 0 ? "The number is the same" : undefined}>${delta > 0 ? `Add ${count(delta)}` : delta < 0 ? `Take ${count(-delta)} away` : "Adjust"}<//>`}>
    <form id="adjust-form" class="stack loose" onSubmit=${submit}>
      <p class="soft"><bdi>${place}</bdi>${level.bin && html`, bin <code>${level.bin}</code>`}. ${count(level.on_hand)} on hand, ${count(level.allocated)} of them allocated.</p>
      <${Field} label="Counted" name="delta" type="number" min=${0} required autofocus value=${found} onChange=${setFound} problem=${problem} hint=${delta === 0 ? "How many are there now." : `A difference of ${delta > 0 ? "+" : "−"}${count(Math.abs(delta))}.`} />
      <${Field} label="Reason" name="reason" required value=${reason} onChange=${setReason} problem=${problem} placeholder="Counted, broken, delivered" hint="It stays in the history of the level." />
      <${ProblemNotice} error=${problem} />
    </form>
  <//>`;
}

/** @param {{ item: string, location: string, name: string }} props */
function History({ item, location, name }) {
  const history = useResource(withQuery(`/inventory_items/${item}/levels/${location}/history`, { limit: 100 }), (event) => event.type.startsWith("inventory"));
  const rows = history.data?.data ?? [];
  return html`<${Panel} title="History" note=${html`<bdi>${name}</bdi>`}>
    ${rows.length === 0 ? html`<div class="body"><p class="soft small">No changes are kept.</p></div>` : html`
      ${rows.length > 2 && html`<div class="body"><${Curve} changes=${[...rows].sort((one, other) => one.created_at.localeCompare(other.created_at))} /></div>`}
      <${Table} dense label="Changes" rows=${rows.slice(0, 20)} columns=${[
        { name: "When", place: "a5", cell: (/** @type {any} */ change) => html`<${Time} at=${change.created_at} />` },
        { name: "Change", end: true, place: "a2", cell: (/** @type {any} */ change) => html`<b class=${change.delta < 0 ? "bad-text" : ""}>${change.delta > 0 ? "+" : "−"}${count(Math.abs(change.delta))}</b>` },
        { name: "On hand then", end: true, at: "p2", cell: (/** @type {any} */ change) => count(change.on_hand) },
        { name: "Reason", place: "a1", wrap: true, cell: (/** @type {any} */ change) => html`<bdi>${change.reason}</bdi>` },
      ]} />`}
  <//>`;
}

/** On hand over time, as steps. @param {{ changes: any[] }} props */
function Curve({ changes }) {
  const most = Math.max(1, ...changes.map((change) => change.on_hand));
  const start = new Date(changes[0].created_at).getTime();
  const span = Math.max(1, new Date(changes.at(-1).created_at).getTime() - start);
  const points = changes.map((change, place) => [span > 60_000 ? (100 * (new Date(change.created_at).getTime() - start)) / span : (100 * place) / (changes.length - 1), 100 - (100 * change.on_hand) / most]);
  const line = points.map(([x, y], place) => (place === 0 ? `M${x.toFixed(1)} ${y.toFixed(1)}` : `H${x.toFixed(1)}V${y.toFixed(1)}`)).join("");
  return html`<svg class="history" viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label=${`On hand: ${count(changes[0].on_hand)} at first, ${count(changes.at(-1).on_hand)} at last, ${count(most)} at most.`}><path class="area" d=${`${line}V100H0Z`} /><path d=${line} /></svg>`;
}

