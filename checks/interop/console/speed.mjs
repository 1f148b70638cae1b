// How fast the console is, measured by the browser: the first load, and a large batch that is bought while a person works with it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const FIRST_LOAD_BYTES = 120_000;
const INTERACTIVE_MS = 1_000;
const INTERACTION_MS = 200;
const MEMORY_BYTES = 150 * 1024 * 1024;
/** A program that was built for debugging, on a machine that tests other things meanwhile, is given this much more time. */
const PATIENCE = 4;

/** Loads a page as a browser does that was never here. Returns the bytes that came over the network, and when its heading stood there. */
async function firstLoad(context, address) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  let bytes = 0;
  const kinds = new Map();
  session.on("Network.responseReceived", ({ requestId, response }) => kinds.set(requestId, new URL(response.url).pathname));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (kinds.get(requestId)?.startsWith("/console")) bytes += encodedDataLength;
  });
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector("main h1")) return;
      globalThis.readyAt = performance.now();
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(address);
  await page.waitForFunction(() => globalThis.readyAt);
  await page.waitForLoadState("networkidle");
  const ms = await page.evaluate(() => globalThis.readyAt);
  await page.close();
  return { bytes, ms };
}

/** Makes a batch of so many shipments, from a file of JSON lines. */
async function makeBatch({ call, base, token, count }) {
  const [{ id: configuration }] = (await call("GET", "/location_configurations?limit=1")).location_configurations;
  const line = (place) => JSON.stringify({ name: `Large ${place}`, addresses: { location_configuration_id: configuration, destination: { address: { line_1: `${place} High Street`, city: "Leeds", post_code: place % 50 === 7 ? "SBX-ADDRESS-INVALID" : "LS1 4DY", country_code: "GB" }, contact: { name: `Customer ${place}` } } }, packages: [{ geometry: { length: 30, width: 20, height: 10, mass: 1 } }] });
  const body = Array.from({ length: count }, (_, place) => line(place)).join("\n");
  const answer = await fetch(`${base}/imports?type=shipments&format=ndjson`, { method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/x-ndjson" }, body });
  assert.ok(answer.ok, `the import answers ${answer.status}`);
  let imported = await answer.json();
  while (!["completed", "failed"].includes(imported.status)) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    imported = await call("GET", `/imports/${imported.id}`);
  }
  assert.equal(imported.created_count, count, JSON.stringify(imported).slice(0, 400));
  const ids = [];
  for (let cursor = ""; ids.length < count; ) {
    const page = await call("GET", `/shipments?status=draft&limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    ids.push(...page.data.filter(({ name }) => name?.startsWith("Large ")).map(({ id }) => id));
    cursor = page.next_cursor;
    if (!cursor) break;
  }
  assert.equal(ids.length, count);
  return call("POST", "/batches", { name: "A large batch", service: { carrier_account: { handle: "sandbox" }, carrier_service: { handle: "standard" } }, shipments: ids });
}

/** The private memory of the largest process that draws pages, in bytes. */
async function memory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const sizes = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => {
    const status = readFileSync(`/proc/${id}/status`, "utf8");
    return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  });
  await session.detach();
  return Math.max(...sizes);
}

/** Works with the batch while it is bought. Returns the longest interaction, as the browser measures it from the press to the next picture, and the memory. */
async function work({ context, browser, base, batch, seconds }) {
  const page = await context.newPage();
  await page.addInitScript(() => {
    globalThis.longest = { ms: 0, name: "" };
    globalThis.interactions = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (!entry.interactionId) continue;
        globalThis.interactions += 1;
        if (entry.duration > globalThis.longest.ms) globalThis.longest = { ms: entry.duration, name: entry.name };
      }
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
  });
  await page.goto(`${base}/console/batches/${batch.id}`);
  await page.getByRole("button", { name: /^Buy [\d,]+ label/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: /^Buy / }).click();
  await page.locator("h1").getByText("Purchasing").waitFor();
  const bought = () => page.locator(".counts dd").first().textContent().then((text) => Number(text?.replace(/\D/g, "")));
  const first = await bought();
  const end = Date.now() + seconds * 1000;
  const tabs = page.getByRole("navigation", { name: "Parts of the batch" });
  while (Date.now() < end) {
    for (const name of [/^Shipments/, /^Events/, /^Failures/]) {
      await tabs.getByRole("link", { name }).click();
      await page.mouse.wheel(0, 600);
      await page.waitForTimeout(150);
    }
    await page.keyboard.press("/");
    await page.keyboard.type("Large 7");
    await page.keyboard.press("Escape");
  }
  const last = await bought();
  assert.ok(last > first, `no progress is shown: ${first}, ${last}`);
  const bytes = await memory(browser);
  const { longest, interactions } = await page.evaluate(() => ({ longest: globalThis.longest, interactions: globalThis.interactions }));
  await page.close();
  return { longest, interactions, bytes, first, last };
}

export async function speed({ context, browser, base, call, token, count, isRelease }) {
  const patience = isRelease ? 1 : PATIENCE;
  const loads = [];
  for (const path of ["", "/orders", "/sign-in"]) loads.push({ path, ...(await firstLoad(context, `${base}/console${path}`)) });
  for (const { path, bytes, ms } of loads) {
    console.log(`  first load of /console${path}: ${(bytes / 1000).toFixed(1)} kB, interactive after ${Math.round(ms)} ms`);
    assert.ok(bytes <= FIRST_LOAD_BYTES, `${path} loads ${bytes} bytes`);
    assert.ok(ms <= patience * INTERACTIVE_MS, `${path} is interactive after ${ms} ms`);
  }
  const from = Date.now();
  const batch = await makeBatch({ call, base, token, count });
  const made = Date.now();
  const { longest, interactions, bytes, first, last } = await work({ context, browser, base, batch, seconds: isRelease ? 30 : 8 });
  console.log(`  a batch of ${count} (made in ${made - from} ms): bought from ${first} to ${last} while shown, ${interactions} interactions, the longest ${longest.ms} ms (${longest.name || "none above 16 ms"}), ${(bytes / 1024 / 1024).toFixed(0)} MiB of memory`);
  assert.ok(longest.ms <= patience * INTERACTION_MS, `an interaction took ${longest.ms} ms`);
  assert.ok(bytes <= MEMORY_BYTES, `the tab has ${bytes} bytes`);
  return { loads, longest, bytes };
}
