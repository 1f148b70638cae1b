// Filters as chips: field, then value; press to change, × to remove. They live in the address.
import { html, useState } from "../app/html.js";
import { setQuery, usePlace } from "../app/router.js";
import { useKeys } from "../app/keyboard.js";
import { Button } from "./basics.js";
import { Dialog } from "./dialog.js";
import { Field } from "./form.js";
import { Icon } from "./icon.js";

/** @typedef {{ name: string, label: string, type?: string, options?: [string, string][], hint?: string }} Filter */

/** @param {{ filters: Filter[] }} props */
export function Filters({ filters }) {
  const { query } = usePlace();
  const [editing, setEditing] = useState(/** @type {Filter | null} */ (null));
  const set = filters.filter(({ name }) => query.get(name));
  useKeys({ f: () => setEditing(filters[0]) });
  const shown = (/** @type {Filter} */ filter) => {
    const value = query.get(filter.name) ?? "";
    return filter.options?.find(([key]) => key === value)?.[1] ?? (filter.type === "date" ? value.slice(0, 10) : value);
  };
  const clear = () => setQuery(Object.fromEntries([...filters.map(({ name }) => [name, null]), ["cursor", null]]));
  return html`<div class="row apart filters">
    <div class="chips" role="group" aria-label="Filters">
      ${set.map((filter) => html`<span class="chip" key=${filter.name}><button type="button" onClick=${() => setEditing(filter)}><span class="soft">${filter.label}</span> <bdi>${shown(filter)}</bdi></button><button type="button" aria-label=${`Remove the filter on ${filter.label.toLowerCase()}`} onClick=${() => setQuery({ [filter.name]: null, cursor: null })}><${Icon} name="x" class="icon s" /></button></span>`)}
      <span class="chip add"><button type="button" onClick=${() => setEditing(filters[0])}><${Icon} name="plus" class="icon s" />Filter</button></span>
      ${set.length > 1 && html`<${Button} ghost compact onClick=${clear}>Clear<//>`}
    </div>
    ${editing && html`<${Editor} filters=${filters} first=${editing} query=${query} onClose=${() => setEditing(null)} />`}
  </div>`;
}

/** @param {{ filters: Filter[], first: Filter, query: URLSearchParams, onClose: () => void }} props */
function Editor({ filters, first, query, onClose }) {
  const [name, setName] = useState(first.name);
  const filter = filters.find((one) => one.name === name) ?? first;
  const [value, setValue] = useState(query.get(first.name) ?? "");
  const choose = (/** @type {string} */ next) => {
    setName(next);
    setValue(query.get(next) ?? "");
  };
  const apply = (/** @type {Event} */ event) => {
    event.preventDefault();
    const isDay = filter.type === "date" && value.length === 10;
    setQuery({ [name]: isDay ? new Date(`${value}T00:00:00`).toISOString() : value.trim(), cursor: null });
    onClose();
  };
  const day = filter.type === "date" ? value.slice(0, 10) : value;
  return html`<${Dialog} title="Filter" onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="filter-form">Show<//>`}>
    <form id="filter-form" class="stack loose" onSubmit=${apply}>
      <${Field} label="Field" type="select" value=${name} onChange=${choose} options=${filters.map((one) => [one.name, one.label])} />
      ${filter.options ? html`<${Field} key=${name} label="Value" type="select" value=${value} onChange=${setValue} options=${[["", "Any"], ...filter.options]} hint=${filter.hint} />` : html`<${Field} key=${name} label="Value" type=${filter.type ?? "text"} value=${day} onChange=${setValue} hint=${filter.hint} />`}
    </form>
  <//>`;
}

/** The values of the filters in the address. @param {Filter[]} filters @param {URLSearchParams} query */
export const filterValues = (filters, query) => Object.fromEntries(filters.map(({ name }) => [name, query.get(name)]).filter(([, value]) => value));
