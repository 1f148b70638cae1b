// Addresses: which page the address names, and how the page changes it. Links stay plain links, so that a new tab,
// copying an address and going back work as everywhere.
import { createStore, useStore } from "./store.js";

export const BASE = "/console";

function read() {
  const path = location.pathname.slice(BASE.length).replace(/\/+$/, "") || "/";
  return { path, query: new URLSearchParams(location.search) };
}

const place = createStore(read());

/** The current path below `/console`, and the query. */
export const usePlace = () => useStore(place);
export const currentPlace = () => place.get();

/**
 * Goes to a path below `/console`.
 * @param {string} path
 * @param {{ replace?: boolean }} [options]
 */
export function go(path, { replace = false } = {}) {
  const address = BASE + (path === "/" ? "" : path);
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  place.set(read());
  if (!replace) {
    scrollTo(0, 0);
    // A screen reader reads the new page from its heading on.
    requestAnimationFrame(() => document.getElementById("main")?.focus({ preventScroll: true }));
  }
}

/**
 * Changes parameters of the address. `null`, an empty text and an empty list remove one.
 * @param {Record<string, string | null | undefined>} changes
 */
export function setQuery(changes) {
  const { path, query } = read();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  go(text ? `${path}?${text}` : path, { replace: true });
}

/** @param {string} path */
export const href = (path) => BASE + (path === "/" ? "" : path);

/**
 * Returns a path of the console that a sign-in may go on to. Anything else, such as an address of another site, is
 * ignored.
 * @param {string | null} wanted
 */
export function safeNext(wanted) {
  if (!wanted || !/^\/[a-z]/.test(wanted) || wanted.includes("\\") || wanted.startsWith("/sign-in")) return "/";
  return wanted;
}

addEventListener("popstate", () => place.set(read()));
addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
  if (link.origin !== location.origin || !link.pathname.startsWith(BASE) || link.pathname.startsWith(`${BASE}/assets/`)) return;
  if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
  event.preventDefault();
  go(link.pathname.slice(BASE.length) + link.search || "/");
});
