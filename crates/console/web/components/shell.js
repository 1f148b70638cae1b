// The frame of every page: navigation, search, world switch, theme, help.
import { html, useEffect, useState } from "../app/html.js";
import { get, withQuery } from "../app/api.js";
import { helpOpen, keysOn, PLACES, switchKeys } from "../app/keyboard.js";
import { useRefresh } from "../app/resource.js";
import { go, href, usePlace } from "../app/router.js";
import { can, canAny, signOut, useMe } from "../app/session.js";
import { useStore } from "../app/store.js";
import { streamRefusal, streamState } from "../app/stream.js";
import { chooseWorld, world } from "../app/world.js";
import { Button } from "./basics.js";
import { Confirmation, Dialog } from "./dialog.js";
import { Icon, Mark } from "./icon.js";
import { Menu } from "./menu.js";
import { toast, Toasts } from "./toast.js";

/** @typedef {[path: string, icon: string, name: string, scopes: string[]]} Entry */

const PAGES = /** @type {[title: string, entries: Entry[]][]} */ ([
  ["", [
    ["/", "today", "Today", []],
    ["/orders", "orders", "Orders", ["orders:read"]],
    ["/waves", "waves", "Waves", ["waves:read"]],
    ["/batches", "batches", "Batches", ["batches:read"]],
    ["/shipments", "shipments", "Shipments", ["shipments:read"]],
    ["/manifests", "manifests", "Manifests", ["manifests:read"]],
    ["/pack", "pack", "Pack station", ["packing:write"]],
    ["/review", "review", "Needs review", ["shipments:read"]],
  ]],
  ["Warehouse", [
    ["/stock", "stock", "Stock", ["inventory:read"]],
    ["/imports", "upload", "Imports", ["imports:read"]],
    ["/settings/locations", "pin", "Locations", ["locations:read"]],
    ["/settings/rules", "setup", "Rules and packages", ["shipping_rules:read", "package_types:read"]],
  ]],
  ["Organisation", [
    ["/settings/carriers", "truck", "Carriers and printers", ["carriers:read", "printers:read"]],
    ["/developers", "developers", "Developers", ["access_tokens:read", "webhooks:read", "events:read"]],
    ["/users", "users", "Users and roles", ["users:read"]],
    ["/settings/organisation", "info", "Organisation", ["organisation:read"]],
  ]],
]);

/** Which entry of the navigation a path belongs to: the longest that begins it. @param {string} path */
function entryOf(path) {
  const groups = [["/settings/locations", "/settings/configurations"], ["/settings/rules", "/settings/packages"], ["/settings/carriers", "/settings/printers"], ["/settings/organisation", "/settings/branding"]];
  const group = groups.find((paths) => paths.some((one) => path.startsWith(one)));
  if (group) return group[0];
  const all = PAGES.flatMap(([, entries]) => entries.map(([one]) => one));
  return all.filter((one) => one === path || (one !== "/" && path.startsWith(`${one}/`))).sort((one, other) => other.length - one.length)[0] ?? "";
}

/** How many purchases wait for a person. */
function useReviewCount() {
  const [count, setCount] = useState(0);
  const read = async () => {
    if (!can("shipments:read")) return;
    try {
      const { data } = await get("/purchase_attempts?state=needs_review&limit=50");
      setCount(data.data.length);
    } catch {
      // The page itself says what is wrong.
    }
  };
  useEffect(() => {
    read();
  }, []);
  useRefresh(read, (event) => event.type.startsWith("purchase_attempt.") || event.type.startsWith("purchase."));
  return count;
}

function Navigation() {
  const me = useMe();
  const { path } = usePlace();
  const current = entryOf(path);
  const review = useReviewCount();
  const person = me?.user.name || me?.user.email_address || me?.user.id || "";
  const initials = person.split(/[\s.@]+/).filter(Boolean).slice(0, 2).map((part) => part[0].toUpperCase()).join("");
  const closeDrawer = () => {
    const side = document.getElementById("side");
    if (side?.matches(":popover-open")) side.hidePopover();
  };
  return html`<nav class="side" id="side" popover="auto" aria-label="Pages">
    <a class="brand" href=${href("/")} onClick=${closeDrawer}><${Mark} /><span>Dockside</span></a>
    ${PAGES.map(([title, entries]) => {
      const allowed = entries.filter(([, , , scopes]) => scopes.length === 0 || canAny(...scopes));
      if (allowed.length === 0) return null;
      return html`${title && html`<h2>${title}</h2>`}<ul>${allowed.map(([to, icon, name]) => html`<li key=${to}><a href=${href(to)} aria-current=${to === current ? "page" : undefined} onClick=${closeDrawer}><${Icon} name=${icon} />${name}${to === "/review" && review > 0 && html`<span class="count review">${review}</span>`}</a></li>`)}</ul>`;
    })}
    <div class="push">
      <${Menu} up label="You" classes="me" button=${html`<span class="face" aria-hidden="true">${initials}</span><span class="small"><b><bdi>${person}</bdi></b><br /><span class="soft tiny"><bdi>${me?.organisation.name}</bdi></span></span>`}
        entries=${[{ name: "Your account", icon: "users", path: href("/account") }, { name: "Documentation", icon: "help", path: "/docs/guide", external: true }, { name: "Sign out", icon: "signout", act: () => signOut().catch((error) => toast(error.message, { tone: "bad" })) }]} />
    </div>
  </nav>`;
}

function Search() {
  const { path, query } = usePlace();
  const [text, setText] = useState("");
  useEffect(() => setText(path === "/search" ? (query.get("q") ?? "") : ""), [path, query.get("q")]);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (text.trim()) go(withQuery("/search", { q: text.trim() }));
  };
  return html`<form class="search" role="search" onSubmit=${submit}><label class="unseen" for="search">Search</label><${Icon} name="search" /><input id="search" type="search" autocomplete="off" placeholder="Order, SKU, barcode, tracking number, name, post code" value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)} /><kbd aria-hidden="true">/</kbd></form>`;
}

/** Whether events arrive. While they do not, pages read anew every 30 seconds. */
function Stream() {
  const state = useStore(streamState);
  const refusal = useStore(streamRefusal);
  if (!can("events:read")) return null;
  if (state === "up") return html`<span class="stream" role="status"><span class="pulse"></span><span class="word">Up to date</span></span>`;
  if (refusal) return html`<a class="stream down" href=${href("/developers/events")} title="Pages read anew every 30 s."><span class="pulse"></span><span class="word">Live updates are off</span></a>`;
  return html`<span class="stream down" role="status" title="The connection for live updates is down. Pages read anew every 30 s."><span class="pulse"></span><span class="word">${state === "off" ? "Connecting" : "Not live, reads every 30 s"}</span></span>`;
}

function WorldSwitch() {
  const current = useStore(world);
  const { path } = usePlace();
  const choose = (/** @type {string} */ next) => {
    chooseWorld(next);
    // Identifiers of one world mean nothing in the other: go to the list.
    const list = `/${path.split("/")[1] ?? ""}`;
    if (path !== list && list !== "/settings") go(list);
  };
  return html`<fieldset class="world"><legend class="unseen">World</legend>${[["live", "Live"], ["test", "Test"]].map(([key, name]) => html`<label key=${key}><input type="radio" name="world" value=${key} checked=${current === key} onChange=${() => choose(key)} /><span>${name}</span></label>`)}</fieldset>`;
}

export function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("dockside.theme", root.dataset.theme);
  } catch {
    // The choice holds for this page.
  }
}

function Help() {
  const isOpen = useStore(helpOpen);
  const isOn = useStore(keysOn);
  if (!isOpen) return null;
  const rows = [["/", "search"], ["?", "this map"], ...PLACES.map(([key, , name]) => [`g ${key}`, name]), ["f", "add a filter"], ["j k", "next, previous row"], ["x", "tick the row"], ["Enter", "open the row"], ["[ ]", "before, after"], ["Esc", "close, clear"], ["F2 F4 F10", "pack station: undo, short, leave"]];
  const close = () => helpOpen.set(false);
  return html`<${Dialog} wide title="Keys" onClose=${close} footer=${html`<a class="btn" href="/docs/guide/console" target="_blank" rel="noopener">Read the guide</a><${Button} primary onClick=${close}>Close<//>`}>
    <dl class="keys">${rows.map(([keys, what]) => html`<dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${what}</dd>`)}</dl>
    <label class="tick-field"><span class="check"><input type="checkbox" checked=${isOn} onChange=${(/** @type {any} */ event) => switchKeys(event.target.checked)} /></span><span>Keys of one letter act. Switch them off if you speak to your computer.</span></label>
  <//>`;
}

export const Band = () => html`<aside class="band" aria-label="World"><b>TEST WORLD</b> <span>Sandbox carrier only.<span class="more"> Nothing here costs money or reaches a customer.</span></span></aside>`;

/** What every page has beside its frame. */
export const Extras = () => html`<${Help} /><${Confirmation} /><${Toasts} />`;

/** @param {{ children: any }} props */
export function Shell({ children }) {
  return html`<a class="skip" href="#main">Skip to the content</a><${Band} /><${Navigation} />
    <div class="frame">
      <header class="topbar">
        <button class="btn ghost square only-phone" type="button" popovertarget="side" aria-label="Open the menu"><${Icon} name="menu" /></button>
        <a class="brand only-phone" href=${href("/")}><${Mark} /><span class="unseen">Dockside</span></a>
        <${Search} /><span class="spring"></span>
        <${Button} ghost class="only-phone" icon="search" label="Search" onClick=${() => go("/search")} />
        <${Stream} /><${WorldSwitch} />
        <${Button} ghost class="only-desk" icon="theme" label="Light or dark" onClick=${switchTheme} />
        <${Button} ghost class="only-desk" icon="help" label="Help and keyboard map" onClick=${() => helpOpen.set(true)} />
      </header>
      <main class="main" id="main" tabindex="-1">${children}</main>
    </div>
    <${Extras} />`;
}
