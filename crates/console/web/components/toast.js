// Toasts: the result of what the viewer just did. Six seconds, longer if it is an error or can be undone.
import { html } from "../app/html.js";
import { createStore, useStore } from "../app/store.js";
import { Icon } from "./icon.js";

/** @typedef {{ id: number, text: string, tone: string, undo?: () => void }} Toast */

const toasts = createStore(/** @type {Toast[]} */ ([]));
let last = 0;

/** @param {number} id */
const drop = (id) => toasts.set(toasts.get().filter((toast) => toast.id !== id));

/**
 * @param {string} text
 * @param {{ tone?: "good" | "bad", undo?: () => void }} [options]
 */
export function toast(text, { tone = "good", undo } = {}) {
  const id = ++last;
  toasts.set([...toasts.get().slice(-2), { id, text, tone, undo }]);
  setTimeout(() => drop(id), undo || tone === "bad" ? 12_000 : 6000);
}

export function Toasts() {
  const shown = useStore(toasts);
  return html`<div class="toasts corner" role="status">
    ${shown.map(
      ({ id, text, tone, undo }) => html`<div class="toast" key=${id}>
        <${Icon} name=${tone === "bad" ? "stop" : "check"} class=${`icon ${tone}`} />
        <div><bdi>${text}</bdi></div>
        ${undo && html`<button type="button" onClick=${() => { undo(); drop(id); }}>Undo</button>`}
        <button type="button" aria-label="Close" onClick=${() => drop(id)}><${Icon} name="x" class="icon s" /></button>
      </div>`,
    )}
  </div>`;
}
