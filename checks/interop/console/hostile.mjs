// Texts that would run if a page took them for markup: 200 of them in every text field, kept by the server and shown by the pages.
import assert from "node:assert/strict";

const RUN = "hacked=1";
/** What ends the place that a text might stand in. */
const BREAKOUTS = ["", '">', "'>", "</title>", "</script>", "-->", "</textarea>", '\\">'];
const VECTORS = [`<img src=x onerror=${RUN}>`, `<svg onload=${RUN}>`, `<script>${RUN}</script>`, `<iframe srcdoc="<script>parent.${RUN}</script>">`, `<a href=javascript:${RUN}>a</a>`, `<input autofocus onfocus=${RUN}>`, `<details open ontoggle=${RUN}>`, `<video><source onerror=${RUN}></video>`, `<math><a xlink:href=javascript:${RUN}>a`, `<style onload=${RUN}>*{}</style>`, `<link rel=stylesheet href=//evil.example>`, `<meta http-equiv=refresh content="0;javascript:${RUN}">`, `<form action=javascript:${RUN}><button>b`, `<object data=javascript:${RUN}>`, `<embed src=javascript:${RUN}>`, `<marquee onstart=${RUN}>m`, `<body onload=${RUN}>`, `<base href=//evil.example>`, `<template><img src=x onerror=${RUN}>`, `<svg><script>${RUN}</script></svg>`, `" onmouseover="${RUN}`, `\${globalThis.${RUN}}`, `{{constructor.constructor('${RUN}')()}}`, `<scr<script>ipt>${RUN}</script>`, `&lt;img src=x onerror=${RUN}&gt;`];
const PAYLOADS = BREAKOUTS.flatMap((breakout) => VECTORS.map((vector) => breakout + vector));
/** Elements and attributes that the console never has. */
const TRACES = "[onerror],[onload],[onfocus],[onmouseover],[ontoggle],[onstart],iframe,object,embed,marquee,math,base,meta[http-equiv],main script,main style,img[src='x'],a[href^='javascript:']";
/** Of things with a page of their own, one in so many is opened. Orders are all opened. */
const OPENED_PART = 10;
/** How many requests are sent at once. */
const AT_ONCE = 8;

const address = (text) => ({ line_1: text, line_2: text, line_3: text, city: text, province: text, post_code: "LS1 4DY", country_code: "GB" });
const contact = (text) => ({ name: text, company: text });

/** What is made for each payload: the path, the body, and how many texts of it are the payload. */
const MAKERS = [
  ["order", "/orders", (text) => ({ status: "draft", reference: text, channel: text, requested_service: text, customer: { name: text, company: text }, destination: { address: address(text), contact: contact(text) }, lines: [{ sku: text.slice(0, 100), name: text, quantity: 1 }] }), 14],
  ["item", "/inventory_items", (text) => ({ sku: text.slice(0, 100), name: text, customs_description: text }), 3],
  ["location", "/locations", (text) => ({ name: text, address: { address: address(text), contact: contact(text) } }), 8],
  ["shipment", "/shipments", (text, { depot }) => ({ name: text, addresses: { origin: { address: depot.address.address, contact: depot.address.contact }, destination: { address: address(text), contact: contact(text) } }, packages: [{ geometry: { length: 30, width: 20, height: 10, mass: 1 } }] }), 8],
  ["configuration", "/location_configurations", (text, { depot }) => ({ name: text, locations: { origin: { id: depot.id }, return: { id: depot.id } } }), 1],
  ["user", "/users", (text, _, place) => ({ name: text, email_address: `hostile-${place}@example.com`, roles: ["viewer"] }), 1, "live"],
  ["batch", "/batches", (text) => ({ name: text }), 1],
];
/** Of these an organisation has few, so they are made, looked at and deleted in rounds: how many at once, and the page that lists them. */
const ROUNDS = [
  ["/package_types", (text, place) => ({ name: text, handle: `hostile-${place}`, inner_dimensions: { length: 40, width: 30, height: 20 }, tare_mass: 0.2, mass_max: 25 }), 90, "/settings/packages"],
  ["/printers", (text) => ({ name: text, kind: "raw", address: "192.0.2.1:9100", formats: ["zpl"] }), 90, "/settings/printers"],
  ["/roles", (text, place) => ({ name: `${text} ${place}`, scopes: ["orders:read"] }), 80, "/users/roles", "live"],
  ["/webhook_endpoints", (text, place) => ({ url: `https://hooks.example.com/${place}`, description: text, disabled: true }), 40, "/developers/webhooks"],
];
const NOTES = [["hold", (text) => ({ reason: text })], ["notes", (text) => ({ text })]];
const LISTS = ["/orders?view=drafts", "/stock", "/shipments", "/batches", "/settings/locations", "/settings/configurations", "/developers/events", "/users", "/"];

/** Runs `work` for each of the rows, several at once. */
async function spread(rows, work) {
  const left = [...rows.entries()];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let next = left.shift(); next; next = left.shift()) await work(next[1], next[0]);
  }));
}

/** Makes everything. Returns what was made by kind, and in how many fields the payloads stand. */
async function store({ call, live, shop }) {
  /** @type {Record<string, any[]>} */
  const made = {};
  let fields = 0;
  for (const [kind, path, body, count, world] of MAKERS) {
    made[kind] = [];
    await spread(PAYLOADS, async (text, place) => {
      made[kind][place] = await (world === "live" ? live : call)("POST", path, body(text, shop, place));
    });
    fields += count;
  }
  for (const [action, body] of NOTES) {
    await spread(PAYLOADS, (text, place) => call("POST", `/orders/${made.order[place].id}/${action}`, body(text)));
    fields += 1;
  }
  return { made, fields };
}

/** Goes to a path as a link does, without loading the console anew. */
async function visit(page, path) {
  await page.evaluate((to) => {
    history.pushState(null, "", `/console${to}`);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
}

async function look(page) {
  const found = await page.evaluate((traces) => ({ hacked: globalThis.hacked, traces: [...document.querySelectorAll(traces)].map((element) => element.outerHTML.slice(0, 120)), at: location.pathname }), TRACES);
  assert.equal(found.hacked, undefined, `a text ran at ${found.at}`);
  assert.deepEqual(found.traces, [], `markup of a text at ${found.at}`);
}

export async function hostile(world) {
  const { context, base } = world;
  const from = Date.now();
  const { made, fields } = await store(world);
  const stored = Date.now();
  const page = await context.newPage();
  page.on("dialog", (dialog) => {
    throw new Error(`a text opened a dialog: ${dialog.message()}`);
  });
  let views = 0;
  await page.goto(`${base}/console`);
  for (const path of LISTS) {
    await visit(page, path);
    await page.waitForLoadState("networkidle");
    for (;;) {
      await page.locator("main h1").first().waitFor();
      await look(page);
      views += 1;
      const after = page.getByRole("button", { name: "After" });
      if (!(await after.isVisible()) || (await after.getAttribute("aria-disabled")) === "true" || views > 200) break;
      await after.click();
      await page.waitForLoadState("networkidle");
    }
  }
  for (const [path, body, count, list, of] of ROUNDS) {
    const api = of === "live" ? world.live : world.call;
    for (let first = 0; first < PAYLOADS.length; first += count) {
      const round = PAYLOADS.slice(first, first + count);
      const ids = [];
      await spread(round, async (text, place) => ids.push((await api("POST", path, body(text, first + place))).id));
      await visit(page, "/account");
      await visit(page, list);
      await page.getByText(round[0]).first().waitFor();
      await look(page);
      views += 1;
      await spread(ids, (id) => api("DELETE", `${path}/${id}`));
    }
  }
  const details = [
    ...made.order.map((order, place) => [`/orders/${order.id}`, PAYLOADS[place]]),
    ...["item", "shipment", "batch"].flatMap((kind, turn) => made[kind].map((one, place) => [`/${["stock", "shipments", "batches"][turn]}/${one.id}`, PAYLOADS[place], place]).filter(([, , place]) => place % OPENED_PART === turn)),
  ];
  for (const [path, text] of details) {
    await visit(page, path);
    // The heading shows every character of it.
    await page.waitForFunction((wanted) => document.querySelector("main h1 bdi")?.textContent === wanted, text);
    await look(page);
    views += 1;
  }
  await page.close();
  console.log(`  ${PAYLOADS.length} hostile texts in ${fields + ROUNDS.length} fields stored in ${stored - from} ms, and looked at ${views} times in ${Date.now() - stored} ms`);
  return { payloads: PAYLOADS.length, fields: fields + ROUNDS.length };
}
