// Editing a resource: a form from a table of fields. Only what was changed is sent, with the tag of the version that was
// shown. If it was changed meanwhile, the form shows what changed and offers to save on top of it.
import { html, useState } from "../app/html.js";
import { get, patch, post, Problem, put } from "../app/api.js";
import { useAction } from "../app/action.js";
import { Button, Notice, ProblemNotice } from "./basics.js";
import { Dialog } from "./dialog.js";
import { Field, messageFor, read, write } from "./form.js";

/**
 * @typedef {{ name: string, label: any, type?: string, hint?: any, need?: string, required?: boolean, options?: [string, string][], placeholder?: string, suffix?: string, step?: string, whole?: boolean, mono?: boolean,
 *   from?: (value: any, object: any) => any, to?: (value: any, draft: any) => any, when?: (draft: any) => boolean, autocomplete?: string, initial?: any, createOnly?: boolean }} FormField
 * `from` makes the text that is shown of the value, `to` the value of the text.
 */

/** Texts of lists: one word after the other, separated by commas. */
export const LIST = { from: (/** @type {any} */ value) => (value ?? []).join(", "), to: (/** @type {any} */ text) => String(text ?? "").split(",").map((part) => part.trim()).filter(Boolean) };
export const NUMBER = { from: (/** @type {any} */ value) => value ?? "", to: (/** @type {any} */ text) => (text === "" || text === null || text === undefined ? null : Number(text)) };

/** @param {FormField} field @param {any} object */
const shown = (field, object) => {
  const value = read(object, field.name);
  return field.from ? field.from(value, object) : (value ?? field.initial ?? (field.type === "check" ? false : ""));
};

/** @param {FormField} field @param {any} text @param {any} draft */
function valueOf(field, text, draft) {
  if (field.to) return field.to(text, draft);
  if (field.type === "check") return !!text;
  return text === "" ? null : text;
}

/** Removes what is empty everywhere below. @param {any} value @returns {any} */
export function compact(value) {
  if (Array.isArray(value) || value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, compact(inner)]).filter(([, inner]) => inner !== null && inner !== undefined && !(typeof inner === "object" && !Array.isArray(inner) && Object.keys(inner).length === 0));
  return Object.fromEntries(entries);
}

/**
 * @param {{ title: string, path: string, base?: any, etag?: string | null, fields: FormField[], method?: "POST" | "PATCH" | "PUT", verb?: string, onClose: () => void, onDone: (answer: any) => void, note?: any, extra?: any, shape?: (body: any) => any }} props
 * `base`: the resource that is edited; without it one is made. `extra`: fields that are sent with a new one.
 */
export function EditDialog({ title, path, base: shownBase, etag: shownTag, fields, method = shownBase ? "PATCH" : "POST", verb, onClose, onDone, note, extra = {}, shape = (body) => body }) {
  // The version that the form began with: the page behind it may read a newer one meanwhile.
  const [{ base, etag }] = useState({ base: shownBase, etag: shownTag });
  const [draft, setDraft] = useState(() => Object.fromEntries(fields.map((field) => [field.name, shown(field, base ?? {})])));
  const [conflict, setConflict] = useState(/** @type {any} */ (null));
  const visible = fields.filter((field) => (!field.when || field.when(draft)) && !(base && field.createOnly));
  const bodyOf = () => {
    let body = { ...extra };
    for (const field of visible) {
      const isChanged = !base || method === "PUT" || JSON.stringify(draft[field.name]) !== JSON.stringify(shown(field, base));
      if (isChanged) body = write(body, field.name, valueOf(field, draft[field.name], draft));
    }
    return shape(base && method === "PATCH" ? body : { ...extra, ...compact(body) });
  };
  const { run, isBusy, problem, clear } = useAction(
    async (key, /** @type {string | null | undefined} */ tag) => {
      const body = bodyOf();
      if (method === "POST") return post(path, body, { key });
      if (method === "PUT") return put(path, body);
      try {
        return await patch(path, body, { etag: tag });
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 412) throw error;
        const fresh = await get(path);
        setConflict({ data: fresh.data, etag: fresh.etag });
        return undefined;
      }
    },
    { shows: true },
  );
  const save = async (/** @type {string | null | undefined} */ tag) => {
    const answer = await run(tag);
    if (answer && answer !== true) onDone(answer.data);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    setConflict(null);
    save(etag);
  };
  const set = (/** @type {string} */ name, /** @type {any} */ value) => {
    setDraft((old) => ({ ...old, [name]: value }));
    if (problem) clear();
  };
  const isPlaced = problem instanceof Problem && problem.issues.length > 0 && problem.issues.every((issue) => visible.some((field) => messageFor(problem, field.name) === issue.message));
  return html`<${Dialog} wide title=${title} onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="edit-form" busy=${isBusy}>${verb ?? (base ? "Save" : "Create")}<//>`}>
    <form id="edit-form" class="stack loose" onSubmit=${submit}>
      ${note}
      ${conflict && html`<${Conflict} fields=${visible} base=${base} draft=${draft} fresh=${conflict.data} onMine=${() => { const tag = conflict.etag; setConflict(null); save(tag); }} onTheirs=${() => onDone(conflict.data)} />`}
      <div class="form-grid">${visible.map((field) => html`<div class=${field.whole || field.type === "check" || field.type === "area" ? "whole" : ""} key=${field.name}><${Field} ...${field} value=${draft[field.name]} onChange=${(/** @type {any} */ value) => set(field.name, value)} problem=${problem} /></div>`)}</div>
      ${problem && !isPlaced && html`<${ProblemNotice} error=${problem} />`}
    </form>
  <//>`;
}

/** @param {{ fields: FormField[], base: any, draft: any, fresh: any, onMine: () => void, onTheirs: () => void }} props */
function Conflict({ fields, base, draft, fresh, onMine, onTheirs }) {
  const changed = fields.filter((field) => JSON.stringify(shown(field, base)) !== JSON.stringify(shown(field, fresh)));
  return html`<${Notice} tone="warn" icon="warn" role="alert" title="It was changed while you edited it" actions=${html`<${Button} compact primary onClick=${onMine}>Save mine on top<//><${Button} compact onClick=${onTheirs}>Take theirs<//>`}>
    ${changed.length === 0 ? "The other change is in fields that this form does not show." : html`<ul class="issues">${changed.map((field) => html`<li><b>${field.label}</b>: was “${String(shown(field, base))}”, is now “${String(shown(field, fresh))}”${JSON.stringify(draft[field.name]) !== JSON.stringify(shown(field, base)) ? html`; you wrote “${String(draft[field.name])}”` : ""}.</li>`)}</ul>`}
  <//>`;
}
