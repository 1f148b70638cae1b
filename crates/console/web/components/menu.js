// A button that opens a list of actions. `Esc` and a press elsewhere close it; arrows move in it.
import { html, useLayoutEffect, useRef, useState } from "../app/html.js";
import { Icon } from "./icon.js";

/**
 * @typedef {{ name: any, icon?: string, act?: () => void, path?: string, danger?: boolean, external?: boolean }} Entry
 * @param {{ label: string, entries: (Entry | false | null | undefined)[], button?: any, classes?: string, up?: boolean, head?: any }} props
 */
export function Menu({ label, entries, button, classes = "btn square", up = false, head }) {
  const [isOpen, setOpen] = useState(false);
  const holder = useRef(/** @type {HTMLElement | null} */ (null));
  const items = /** @type {Entry[]} */ (entries.filter(Boolean));
  // Before a key can follow: an effect that ran later would take the focus to an entry that is closed by then.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    /** @type {HTMLElement | null | undefined} */ (holder.current?.querySelector("[role=menuitem]"))?.focus();
    const outside = (/** @type {Event} */ event) => !holder.current?.contains(/** @type {Node} */ (event.target)) && setOpen(false);
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, [isOpen]);
  if (items.length === 0) return null;
  const close = () => {
    setOpen(false);
    /** @type {HTMLElement | null | undefined} */ (holder.current?.querySelector("[aria-haspopup]"))?.focus();
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const all = /** @type {HTMLElement[]} */ ([...(holder.current?.querySelectorAll("[role=menuitem]") ?? [])]);
    const place = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") all[(place + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all[(place - 1 + all.length) % all.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<span class=${`menu-holder ${up ? "up" : ""}`} ref=${holder} onKeyDown=${isOpen ? keys : undefined}>
    <button class=${classes} type="button" aria-haspopup="menu" aria-expanded=${String(isOpen)} aria-label=${button ? undefined : label} onClick=${() => setOpen(!isOpen)}>${button ?? html`<${Icon} name="dots" />`}</button>
    ${isOpen && html`<div class="menu" role="menu" aria-label=${label}>
      ${head && html`<div class="head" role="presentation">${head}</div>`}
      ${items.map((entry) => entry.path
        ? html`<a role="menuitem" href=${entry.path} target=${entry.external ? "_blank" : undefined} rel=${entry.external ? "noopener" : undefined} onClick=${() => setOpen(false)}>${entry.icon && html`<${Icon} name=${entry.icon} />`}${entry.name}</a>`
        : html`<button role="menuitem" type="button" class=${entry.danger ? "danger" : ""} onClick=${() => { close(); entry.act?.(); }}>${entry.icon && html`<${Icon} name=${entry.icon} />`}${entry.name}</button>`)}
    </div>`}
  </span>`;
}
