// Tables of things of one kind. On a phone each row becomes a card: `place` says where a cell goes there (`a1` name,
// `a2` amount, `a3` who or what, `a4` state, `a5` when); cells without a place stay on the desk.
import { html, useState } from "../app/html.js";
import { useKeys } from "../app/keyboard.js";
import { go, setQuery } from "../app/router.js";
import { count, plural } from "../app/format.js";
import { Button, ProblemNotice, Skeleton } from "./basics.js";
import { Icon } from "./icon.js";

/**
 * @typedef {{ name: any, cell: (row: any) => any, place?: string, end?: boolean, at?: "p2" | "p3", wrap?: boolean, class?: string }} Column
 * `at`: the column goes away on a narrower screen, `p3` before `p2`.
 */

/** @param {Column} column @param {boolean} isHead */
const classesOf = (column, isHead) => [column.end && "end", column.at, !isHead && column.place, !column.wrap && !isHead && "nowrap", !isHead && column.class].filter(Boolean).join(" ");

/**
 * @param {{ columns: Column[], rows: any[], label: string, id?: (row: any) => string, selected?: Set<string>, onSelect?: (ids: Set<string>) => void, changed?: Set<string>, cursor?: string, sticky?: boolean, name?: (row: any) => string, dense?: boolean }} props
 */
export function Table({ columns, rows, label, id = (row) => row.id, selected, onSelect, changed, cursor, sticky = false, name = id, dense = false }) {
  const [first, ...rest] = columns;
  const toggle = (/** @type {string} */ key) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    onSelect?.(next);
  };
  const isAll = rows.length > 0 && rows.every((row) => selected?.has(id(row)));
  return html`<table role="table" class=${`table cards ${sticky ? "sticky" : ""} ${dense ? "dense" : ""} ${selected ? "" : "no-tick"}`} aria-label=${label}>
    <thead role="rowgroup"><tr role="row">
      ${selected && html`<th role="columnheader" scope="col" class="tick"><label class="check"><input type="checkbox" aria-label="Select all on this page" checked=${isAll} onChange=${() => onSelect?.(new Set(isAll ? [] : rows.map(id)))} /></label></th>`}
      ${columns.map((column, place) => html`<th role="columnheader" scope="col" key=${place} class=${classesOf(column, true)}>${column.name}</th>`)}
    </tr></thead>
    <tbody role="rowgroup">
      ${rows.map((row) => {
        const key = id(row);
        return html`<tr role="row" key=${key} id=${`row-${key}`} class=${`${changed?.has(key) ? "flash" : ""} ${cursor === key ? "at" : ""}`} aria-selected=${selected ? String(selected.has(key)) : undefined}>
          ${selected && html`<td role="cell" class="tick"><label class="check"><input type="checkbox" checked=${selected.has(key)} onChange=${() => toggle(key)} aria-label=${`Select ${name(row)}`} /></label></td>`}
          <th role="rowheader" scope="row" class=${classesOf(first, false)}>${first.cell(row)}</th>
          ${rest.map((column, place) => html`<td role="cell" key=${place} class=${classesOf(column, false)}>${column.cell(row)}</td>`)}
        </tr>`;
      })}
    </tbody>
  </table>`;
}

/**
 * A page of a list with its states, selection, keys and pager. `j` and `k` move, `Enter` opens, `x` ticks.
 * @param {{ list: any, columns: Column[], label: string, open?: (row: any) => string, empty: any, noun: string, select?: boolean, bulk?: (rows: any[], clear: () => void) => any, name?: (row: any) => string, id?: (row: any) => string }} props
 */
export function ListPanel({ list, columns, label, open, empty, noun, select = false, bulk, name, id = (row) => row.id }) {
  const [selected, setSelected] = useState(/** @type {Set<string>} */ (new Set()));
  const [cursor, setCursor] = useState("");
  const rows = list.rows ?? [];
  const move = (/** @type {number} */ by) => {
    const place = rows.findIndex((/** @type {any} */ row) => id(row) === cursor);
    const next = rows[place < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, place + by))];
    if (!next) return;
    setCursor(id(next));
    document.getElementById(`row-${id(next)}`)?.scrollIntoView({ block: "nearest" });
  };
  const at = rows.find((/** @type {any} */ row) => id(row) === cursor);
  const clear = () => setSelected(new Set());
  const tick = () => {
    if (!select || !at) return;
    const next = new Set(selected);
    if (!next.delete(cursor)) next.add(cursor);
    setSelected(next);
  };
  const page = (/** @type {string | null | undefined} */ to) => {
    if (!to) return;
    clear();
    setQuery({ cursor: to });
    scrollTo(0, 0);
  };
  useKeys({ j: () => move(1), k: () => move(-1), x: tick, Enter: () => at && open && go(open(at)), Escape: clear, "[": () => page(list.previous), "]": () => page(list.next) });
  if (list.data === undefined) {
    return html`<section class="panel" aria-label=${label}>${list.error ? html`<div class="pad"><${ProblemNotice} error=${list.error} retry=${list.reload} /></div>` : html`<${Skeleton} rows=${8} />`}</section>`;
  }
  const chosen = rows.filter((/** @type {any} */ row) => selected.has(id(row)));
  return html`
    ${list.error && html`<div class="above"><${ProblemNotice} error=${list.error} retry=${list.reload} /></div>`}
    ${list.fresh > 0 && html`<button class="fresh" type="button" onClick=${() => list.reload()}><${Icon} name="up" class="icon s" />${plural(list.fresh, `new ${noun}`)}</button>`}
    <section class="panel" aria-label=${label}>
      ${rows.length === 0 ? empty : html`<${Table} columns=${columns} rows=${rows} label=${label} id=${id} name=${name} sticky selected=${select ? selected : undefined} onSelect=${setSelected} changed=${list.changed} cursor=${cursor} />`}
      ${(rows.length > 0 || list.previous) && html`<nav class="pager" aria-label=${`More ${noun}s`}><span>${count(rows.length)} shown</span><span class="spring"></span>
        ${(list.previous || list.next) && html`<${Button} compact icon="left" why=${list.previous ? undefined : "This is the first page"} onClick=${() => page(list.previous)}>Before<//>
        <${Button} compact why=${list.next ? undefined : "This is the last page"} onClick=${() => page(list.next)}>After<${Icon} name="right" class="icon s" /><//>`}</nav>`}
    </section>
    ${bulk && chosen.length > 0 && html`<div class="bulk" role="region" aria-label=${`Selected ${noun}s`}>${bulk(chosen, clear)}<button class="btn ghost compact" type="button" onClick=${clear}>Clear <kbd>Esc</kbd></button></div>`}`;
}
