// Forms: label above, hint below, and the server's problem instead of the hint.
import { html, useState } from "../app/html.js";
import { Problem } from "../app/api.js";
import { Icon } from "./icon.js";

let ids = 0;

/**
 * Returns the server's message for a field. The API names fields by JSON pointers, such as `/address/city`.
 * @param {any} problem
 * @param {string} name A path with dots, such as `address.city`.
 */
export function messageFor(problem, name) {
  if (!(problem instanceof Problem) || !name) return "";
  const wanted = name.replaceAll(".", "/");
  const issue = problem.issues.find(({ field }) => field && (field.replace(/^\//, "") === wanted || field.replace(/^\//, "").startsWith(`${wanted}/`)));
  return issue?.message ?? "";
}

/**
 * @typedef {{ name?: string, label: any, value: any, onChange: (value: any) => void, type?: string, hint?: any, problem?: any, message?: string, need?: string,
 *   required?: boolean, options?: [string, string][], placeholder?: string, suffix?: string, autocomplete?: string, mono?: boolean, min?: number, max?: number, step?: string, autofocus?: boolean, rows?: number }} FieldProps
 * @param {FieldProps} props
 */
export function Field(props) {
  const [id] = useState(() => `field-${++ids}`);
  const { name = "", label, value, onChange, type = "text", hint, problem, need, required, suffix } = props;
  const message = props.message || messageFor(problem, name);
  if (type === "check") {
    return html`<div class="field"><label class="tick-field"><span class="check"><input type="checkbox" checked=${!!value} onChange=${(/** @type {any} */ event) => onChange(event.target.checked)} aria-describedby=${message || hint ? `${id}-note` : undefined} /></span><span>${label}</span></label><${Note} id=${id} message=${message} hint=${hint} /></div>`;
  }
  const common = {
    id,
    name,
    class: `input ${props.mono ? "mono" : ""}`,
    value: value ?? "",
    required,
    autofocus: props.autofocus,
    placeholder: props.placeholder,
    autocomplete: props.autocomplete ?? "off",
    "aria-invalid": message ? "true" : undefined,
    "aria-describedby": message || hint ? `${id}-note` : undefined,
    onInput: (/** @type {any} */ event) => onChange(event.target.value),
  };
  let control;
  if (type === "select") control = html`<select ...${common}>${(props.options ?? []).map(([key, text]) => html`<option key=${key} value=${key} selected=${key === (value ?? "")}>${text}</option>`)}</select>`;
  else if (type === "area") control = html`<textarea ...${common} rows=${props.rows ?? 3}></textarea>`;
  else control = html`<input ...${common} type=${type} min=${props.min} max=${props.max} step=${props.step} spellcheck=${props.mono ? "false" : undefined} />`;
  return html`<div class="field">
    <label for=${id}>${label} ${need && html`<span class="need">${need}</span>`}</label>
    ${suffix ? html`<div class="affix">${control}<span>${suffix}</span></div>` : control}
    <${Note} id=${id} message=${message} hint=${hint} />
  </div>`;
}

/** @param {{ id: string, message?: string, hint?: any }} props */
function Note({ id, message, hint }) {
  if (message) return html`<p class="problem" id=${`${id}-note`}><${Icon} name="warn" /><span>${message}</span></p>`;
  return hint ? html`<p class="hint" id=${`${id}-note`}>${hint}</p>` : null;
}

/**
 * One of several, each with a sentence.
 * @param {{ legend: string, name: string, value: string, onChange: (value: string) => void, options: [string, any, any?][] }} props
 */
export function Choices({ legend, name, value, onChange, options }) {
  return html`<fieldset class="stack"><legend class="unseen">${legend}</legend>
    ${options.map(([key, title, text]) => html`<label class="choice" key=${key}><input type="radio" name=${name} value=${key} checked=${value === key} onChange=${() => onChange(key)} /><div><b>${title}</b>${text && html`<p class="soft small">${text}</p>`}</div></label>`)}
  </fieldset>`;
}

/** Reads a nested value by a path with dots. @param {any} object @param {string} path */
export const read = (object, path) => path.split(".").reduce((inner, step) => inner?.[step], object);

/** Returns a copy with a nested value changed. @param {any} object @param {string} path @param {any} value @returns {any} */
export function write(object, path, value) {
  const [step, ...rest] = path.split(".");
  return { ...object, [step]: rest.length ? write(object?.[step] ?? {}, rest.join("."), value) : value };
}
