// What the search found, over orders, items, shipments, batches and locations.
import { html } from "../app/html.js";
import { withQuery } from "../app/api.js";
import { words } from "../app/format.js";
import { useResource } from "../app/resource.js";
import { go, href, setQuery, usePlace } from "../app/router.js";
import { Button, Empty, Loaded, PageHead, Panel } from "../components/basics.js";
import { Icon } from "../components/icon.js";

const KINDS = /** @type {Record<string, [name: string, icon: string, path: (id: string) => string]>} */ ({
  order: ["Orders", "orders", (id) => `/orders/${id}`],
  inventory_item: ["Items", "stock", (id) => `/stock/${id}`],
  shipment: ["Shipments", "shipments", (id) => `/shipments/${id}`],
  batch: ["Batches", "batches", (id) => `/batches/${id}`],
  location: ["Locations", "pin", () => "/settings/locations"],
});

export function SearchResults() {
  const { query } = usePlace();
  const text = query.get("q") ?? "";
  const kind = query.get("types") ?? "";
  const found = useResource(text.trim() ? withQuery("/search", { q: text, types: kind, limit: 50, cursor: query.get("cursor") }) : null);
  const submit = (/** @type {any} */ event) => {
    event.preventDefault();
    go(withQuery("/search", { q: new FormData(event.target).get("q") }));
  };
  return html`
    <${PageHead} title=${text ? `Search: ${text}` : "Search"} />
    <form class="row above" role="search" aria-label="Search again" onSubmit=${submit}><div class="field spring"><label class="unseen" for="again">Search for</label><input class="input" id="again" name="q" type="search" key=${text} defaultValue=${text} placeholder="Order, SKU, barcode, tracking number, name, post code" /></div><${Button} primary type="submit">Search<//></form>
    ${text && html`<nav class="tabs page-tabs" aria-label="Kinds">${[["", "All"], ...Object.entries(KINDS).map(([key, [name]]) => [key, name])].map(([key, name]) => html`<a key=${key} href=${href(withQuery("/search", { q: text, types: key }))} aria-current=${key === kind ? "page" : undefined}>${name}</a>`)}</nav>
    <${Panel}><${Loaded} of=${found}>${(/** @type {any} */ page) => (page.data.length === 0 ? html`<${Empty} title="Nothing found">Words are found from their beginning on: order references, SKUs, barcodes, tracking numbers, names, towns, post codes.<//>` : html`<ul class="list">${page.data.map((/** @type {any} */ row) => {
      const [name, icon, path] = KINDS[row.type] ?? [row.type, "search", () => "/"];
      return html`<li key=${row.id}><${Icon} name=${icon} /><div><a href=${href(path(row.id))}><b><bdi>${row.title}</bdi></b></a>${row.subtitle && html` <bdi class="soft">${row.subtitle}</bdi>`}<span class="sub">${name}, by ${words(row.matched_field).toLowerCase()}</span></div></li>`;
    })}</ul>${page.next_cursor && html`<footer><span class="spring"></span><${Button} compact onClick=${() => setQuery({ cursor: page.next_cursor })}>More<//></footer>`}`)}<//><//>`}`;
}
