// Dialogs: only to confirm money, loss or many things at once, and for short forms that need all attention.
import { html, useEffect, useLayoutEffect, useRef } from "../app/html.js";
import { createStore, useStore } from "../app/store.js";
import { Button, ProblemNotice } from "./basics.js";
import { useAction } from "../app/action.js";

/**
 * A modal dialog. `Esc` closes it.
 * @param {{ title: any, onClose: () => void, children: any, footer?: any, wide?: boolean }} props
 */
export function Dialog({ title, onClose, children, footer, wide = false }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return html`<dialog class=${`dialog ${wide ? "wide" : ""}`} ref=${element} aria-labelledby="dialog-title" onCancel=${(/** @type {Event} */ event) => { event.preventDefault(); onClose(); }}>
    <header><h2 id="dialog-title">${title}</h2></header>
    <div class="body">${children}</div>
    ${footer && html`<footer>${footer}</footer>`}
  </dialog>`;
}

/**
 * @typedef {{ title: string, body?: any, sum?: [string, any][], verb: string, danger?: boolean, act: (key: string) => Promise<any> }} Question
 */

const question = createStore(/** @type {Question | null} */ (null));

/**
 * Asks once before something is paid or lost, and does it. The confirming button names what it does and costs.
 * @param {Question} asked
 */
export const confirm = (asked) => question.set(asked);

export function Confirmation() {
  const asked = useStore(question);
  return asked && html`<${Asking} asked=${asked} key=${asked.title} />`;
}

/** @param {{ asked: Question }} props */
function Asking({ asked }) {
  const close = () => question.set(null);
  const { run, isBusy, problem } = useAction((key) => asked.act(key), { shows: true });
  const go = async () => {
    if ((await run()) !== undefined) close();
  };
  useEffect(() => {
    document.querySelector(".dialog .confirming")?.scrollIntoView({ block: "nearest" });
  }, []);
  return html`<${Dialog} title=${asked.title} onClose=${close} footer=${html`<${Button} onClick=${close}>Back<//><${Button} class="confirming" primary=${!asked.danger} danger=${asked.danger} busy=${isBusy} onClick=${go}>${asked.verb}<//>`}>
    ${asked.body && html`<div>${asked.body}</div>`}
    ${asked.sum && html`<dl class="sum">${asked.sum.map(([name, value], place, { length }) => html`<dt class=${place === length - 1 ? "total" : ""}>${name}</dt><dd class=${place === length - 1 ? "total" : ""}>${value}</dd>`)}</dl>`}
    <${ProblemNotice} error=${problem} />
  <//>`;
}
