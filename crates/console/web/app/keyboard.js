// Keys: `/` searches, `?` shows the map, `g o` goes to the orders. Single keys do nothing while a field has the focus, and
// can be switched off.
import { useEffect, useRef } from "preact/hooks";
import { go } from "./router.js";
import { createStore } from "./store.js";

const KEY = "dockside.keys";
/** How long after `g` the next key counts, in milliseconds. */
const CHORD_MS = 1500;

export const PLACES = /** @type {[string, string, string][]} */ ([
  ["t", "/", "today"],
  ["o", "/orders", "orders"],
  ["w", "/waves", "waves"],
  ["b", "/batches", "batches"],
  ["s", "/shipments", "shipments"],
  ["m", "/manifests", "manifests"],
  ["p", "/pack", "pack station"],
  ["r", "/review", "needs review"],
  ["i", "/stock", "stock"],
]);

function kept() {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

export const keysOn = createStore(kept());
export const helpOpen = createStore(false);

/** @param {boolean} on */
export function switchKeys(on) {
  keysOn.set(on);
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // The choice holds for this page.
  }
}

/** @param {EventTarget | null} target */
const isTyping = (target) => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) && !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type));

let chordUntil = 0;

/** Listens to the keys that work on every page. */
export function listen() {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !keysOn.get()) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "/") {
      const search = document.getElementById("search");
      if (search) {
        event.preventDefault();
        search.focus();
      }
    } else if (event.key === "?") {
      event.preventDefault();
      helpOpen.set(true);
    } else if (event.key === "g") {
      chordUntil = Date.now() + CHORD_MS;
    } else if (Date.now() < chordUntil) {
      chordUntil = 0;
      const place = PLACES.find(([key]) => key === event.key);
      if (place) {
        event.preventDefault();
        go(place[1]);
      }
    }
  });
}

/**
 * Keys of one page: a table from key to action.
 * @param {Record<string, (event: KeyboardEvent) => void>} table
 */
export function useKeys(table) {
  const latest = useRef(table);
  latest.current = table;
  useEffect(() => {
    const act = (/** @type {KeyboardEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      // A function key is never part of a text; other keys are.
      const isPlain = !/^F\d+$/.test(event.key);
      if (isPlain && (isTyping(event.target) || !keysOn.get() || Date.now() < chordUntil)) return;
      // `Enter` belongs to the link or button that has the focus. After a link was followed, the page's content as a whole has it.
      if (event.key === "Enter" && document.activeElement !== document.body && document.activeElement?.id !== "main") return;
      const found = latest.current[event.key];
      if (found) {
        event.preventDefault();
        found(event);
      }
    };
    addEventListener("keydown", act);
    return () => removeEventListener("keydown", act);
  }, []);
}
