// A list of things of one kind that are made, edited and deleted in place: settings.
import { html, useState } from "../app/html.js";
import { get, remove } from "../app/api.js";
import { useAction } from "../app/action.js";
import { useList } from "../app/resource.js";
import { can } from "../app/session.js";
import { Button, Empty } from "./basics.js";
import { confirm } from "./dialog.js";
import { EditDialog } from "./edit_dialog.js";
import { forget } from "./places.js";
import { ListPanel } from "./table.js";

/**
 * @typedef {{ path: string, kind: string, scope: string, noun: string, title: string, sub: string, columns: import("./table.js").Column[], fields: import("./edit_dialog.js").FormField[] | ((object: any) => import("./edit_dialog.js").FormField[]), empty: any, name?: (row: any) => string, warn?: string, extra?: any, more?: (row: any, reload: () => void) => any, note?: any, shape?: (body: any) => any }} Kind
 * @param {{ of: Kind, head?: any }} props
 */
export function Crud({ of, head }) {
  const list = useList(`${of.path}?limit=100`, { kind: of.kind });
  const [editing, setEditing] = useState(/** @type {any} */ (null));
  const canWrite = can(`${of.scope}:write`);
  const nameOf = of.name ?? ((/** @type {any} */ row) => row.name);
  const edit = useAction(async (_key, /** @type {any} */ row) => {
    // The tag of the version that is shown: the list has none.
    const { data, etag } = await get(`${of.path}/${row.id}`);
    setEditing({ base: data, etag });
  });
  const drop = (/** @type {any} */ row) => confirm({ title: `Delete ${nameOf(row)}`, body: of.warn ?? "What uses it keeps working as far as it can; the server says if something still needs it.", verb: `Delete the ${of.noun}`, danger: true, act: () => remove(`${of.path}/${row.id}`).then(() => { forget(of.path); list.reload(); }) });
  const done = () => {
    setEditing(null);
    forget(of.path);
    list.reload();
  };
  const make = canWrite && html`<${Button} primary icon="plus" onClick=${() => setEditing({})}>New ${of.noun}<//>`;
  const columns = [...of.columns, { name: html`<span class="unseen">Actions</span>`, end: true, place: "a5", cell: (/** @type {any} */ row) => html`<span class="actions">${of.more?.(row, list.reload)}${canWrite && html`<${Button} compact ghost icon="edit" label=${`Edit ${nameOf(row)}`} onClick=${() => edit.run(row)} /><${Button} compact ghost icon="trash" label=${`Delete ${nameOf(row)}`} onClick=${() => drop(row)} />`}</span>` }];
  return html`
    <div class="page-head"><div><h1>${of.title}</h1><p>${of.sub}</p></div><div class="row">${head}${make}</div></div>
    <${ListPanel} list=${list} columns=${columns} label=${of.title} noun=${of.noun} empty=${html`<${Empty} title=${`No ${of.title.toLowerCase()} yet`} actions=${make}>${of.empty}<//>`} />
    ${editing && html`<${EditDialog} title=${editing.base ? `Edit ${nameOf(editing.base)}` : `New ${of.noun}`} path=${editing.base ? `${of.path}/${editing.base.id}` : of.path} base=${editing.base} etag=${editing.etag} fields=${typeof of.fields === "function" ? of.fields(editing.base ?? {}) : of.fields} extra=${editing.base ? {} : of.extra} note=${of.note} shape=${of.shape} onClose=${() => setEditing(null)} onDone=${done} />`}`;
}
