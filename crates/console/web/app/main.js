// Starts the console: reads who is signed in, and shows the page that the address names.
import { html, render, useEffect, useState } from "./html.js";
import { find } from "./pages.js";
import { listen } from "./keyboard.js";
import { currentPlace, go, href, usePlace } from "./router.js";
import { load, useMe } from "./session.js";
import { useStore } from "./store.js";
import { connect } from "./stream.js";
import { world } from "./world.js";
import { Button, Empty, ProblemNotice, Skeleton } from "../components/basics.js";
import { Band, Extras, Shell } from "../components/shell.js";
import { SignIn } from "../pages/sign_in.js";

/** @type {Map<string, any>} */
const loaded = new Map();

/** The component of a page, once its module is here. @param {import("./pages.js").PageRow | null} row */
function usePage(row) {
  const [, redraw] = useState(0);
  const [error, setError] = useState(/** @type {any} */ (null));
  useEffect(() => {
    setError(null);
    if (!row || loaded.has(row.name)) return;
    row.load().then((module) => {
      loaded.set(row.name, module[row.name]);
      redraw((old) => old + 1);
    }, setError);
  }, [row]);
  return { Page: row && loaded.get(row.name), error };
}

const Missing = () => html`<section class="panel"><${Empty} level="h1" title="There is no page at this address" actions=${html`<${Button} primary href=${href("/")}>Go to Today<//>`}>The address may be mistyped, or what it named was deleted.<//></section>`;

/** A new version of the server has new files: a page that was open before must be loaded anew. */
const Stale = () => html`<section class="panel"><${Empty} level="h1" title="This page could not be loaded" actions=${html`<${Button} primary onClick=${() => location.reload()}>Load again<//>`}>The server was updated, or can’t be reached.<//></section>`;

function Router() {
  const { path } = usePlace();
  const current = useStore(world);
  const found = find(path);
  const { Page, error } = usePage(found?.row ?? null);
  const key = `${current} ${path}`;
  const content = !found ? html`<${Missing} />` : error ? html`<${Stale} />` : Page ? html`<${Page} key=${key} parts=${found.parts} />` : html`<${Skeleton} />`;
  if (found?.row.bare) return html`<div class="station"><${Band} />${content}<${Extras} /></div>`;
  return html`<${Shell} key=${current}>${content}<//>`;
}

function App() {
  const me = useMe();
  const { path } = usePlace();
  const current = useStore(world);
  const [error, setError] = useState(/** @type {any} */ (null));
  const start = () => {
    setError(null);
    load().then(connect).catch(setError);
  };
  // After a sign-out there is nothing to read until the next sign-in.
  useEffect(() => {
    if (me !== null) start();
  }, [current, me === null]);
  const isSigning = path.startsWith("/sign-in");
  useEffect(() => {
    if (me !== null || isSigning) return;
    const { query } = currentPlace();
    const text = query.toString();
    go(path === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(text ? `${path}?${text}` : path)}`, { replace: true });
  }, [me, isSigning]);
  if (error && !me) return html`<main class="main"><${ProblemNotice} error=${error} retry=${start} /></main>`;
  if (isSigning) return html`<${SignIn} /><${Extras} />`;
  if (!me) return html`<main class="main"><${Skeleton} /></main>`;
  return html`<${Router} />`;
}

listen();
render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById("app")));
