// Drives the console in a real browser: `node check.mjs ENGINE BINARY WORKDIR [SETTINGS]`. Prints each step, and one line at the end.
// CONSOLE_PARTS names the parts to run, if not all of them: first_start oidc mail journeys passkeys keyboard roles attacks hostile speed pages.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { attacks } from "./attacks.mjs";
import { firstStart } from "./first_start.mjs";
import { forgedTokens } from "./forged_tokens.mjs";
import { hostile } from "./hostile.mjs";
import { journeys } from "./journeys.mjs";
import { keyboard } from "./keyboard.mjs";
import { oidcJourney, settingsFor, startProvider } from "./oidc.mjs";
import { mailPart } from "./mail.mjs";
import { judge } from "./pages.mjs";
import { passkeyJourney } from "./passkeys.mjs";
import { people } from "./people.mjs";
import { pages, refusals } from "./roles.mjs";
import { caller, PATIENCE_MS, start } from "./server.mjs";
import { fill, prepareOffers } from "./shop.mjs";
import { speed } from "./speed.mjs";

// The packages lie where ./test installed them, not beside this file.
const { chromium } = createRequire(join(process.env.CONSOLE_TOOLS, "package.json"))("playwright-core");
const [engine, binary, work, ...settings] = process.argv.slice(2);
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server"];
/** What the database makes no difference to is done on SQLite alone. */
const BOTH = ["journeys", "passkeys", "keyboard", "roles", "attacks"];
const parts = new Set((process.env.CONSOLE_PARTS ?? "first_start oidc mail journeys passkeys keyboard roles attacks hostile speed pages").split(" ").filter((part) => engine === "sqlite" || BOTH.includes(part)));

/** Fails the run on everything that a page must never do: an error in its console, a request to another server. */
function watch(context, base) {
  const faults = [];
  context.on("page", (page) => {
    page.setDefaultTimeout(PATIENCE_MS / 6);
    page.on("pageerror", (error) => faults.push(`error on ${page.url()}: ${error.message}`));
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(base)) faults.push(`foreign request on ${page.url()}: ${request.url()}`);
    });
    page.on("console", (message) => {
      // A refusal that a journey provokes is logged by the browser; the journey itself says what it expects.
      if (message.type() === "error" && !/Failed to load resource/.test(message.text())) faults.push(`console on ${page.url()}: ${message.text()}`);
    });
  });
  return faults;
}

/** Forges tokens of an identity provider, on a server of its own. */
async function tokenAttacks() {
  const folder = join(work, "tokens");
  mkdirSync(folder, { recursive: true });
  const from = Date.now();
  const count = await forgedTokens(async (more, attack) => {
    const own = await start(binary, folder, more);
    try {
      await attack(own.base);
    } finally {
      await own.stop();
    }
  });
  console.log(`  ${count} forged tokens and answers of identity providers refused (${Date.now() - from} ms)`);
  return count;
}

const server = await start(binary, work, settings);
let browser;
try {
  if (!server.link || !server.live) throw new Error("the welcome has no sign-in link, or no live token");
  const { base, link, token } = server;
  const [call, live] = [caller(base, token), caller(base, server.live)];
  const crowd = people(base, live);
  const shop = await fill(call);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
  const pictures = join(work, "pictures");
  mkdirSync(pictures, { recursive: true });
  const world = { browser, base, link, call, live, token, crowd, shop, watch, pictures, tools: process.env.CONSOLE_TOOLS };
  const faults = [];
  /** Runs a part in a browser's context of an administrator. */
  const asAdmin = async (run) => {
    const context = await crowd.context(browser, (await crowd.make(["admin"], "admin")).cookie);
    const seen = watch(context, base);
    const result = await run({ ...world, context });
    faults.push(...seen);
    await context.close();
    return result;
  };
  let [steps, checks, refused] = [0, 0, 0];
  // A server of its own, which is empty.
  if (parts.has("first_start")) {
    const folder = join(work, "first");
    mkdirSync(folder, { recursive: true });
    const empty = await start(binary, folder, []);
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
    faults.push(watch(context, empty.base));
    try {
      steps += await firstStart({ context, base: empty.base, link: empty.link, call: caller(empty.base, empty.token) });
    } finally {
      await empty.stop();
    }
    await context.close();
  }
  // Another server of its own, which knows an identity provider.
  if (parts.has("oidc")) {
    const folder = join(work, "oidc");
    mkdirSync(folder, { recursive: true });
    const provider = await startProvider();
    const own = await start(binary, folder, settingsFor(provider));
    provider.allow(own.base);
    try {
      steps += await oidcJourney({ browser, base: own.base });
    } finally {
      await own.stop();
      await provider.stop();
    }
  }
  // And one that sends e-mails.
  if (parts.has("mail")) {
    const folder = join(work, "mail");
    mkdirSync(folder, { recursive: true });
    const own = await mailPart({ browser, binary, folder, settings: [], pictures });
    steps += own.steps;
    refused += own.refused;
  }
  if (parts.has("journeys")) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
    faults.push(watch(context, base));
    steps += await journeys({ ...world, context });
    await context.close();
  }
  if (parts.has("passkeys")) steps += await passkeyJourney({ ...world, faults });
  if (parts.has("keyboard")) steps += await asAdmin(keyboard);
  if (parts.has("roles")) {
    checks += await refusals(world);
    if (engine === "sqlite") checks += await pages({ ...world, shop: await prepareOffers(call, shop) });
  }
  const none = { pages: 0, pictures: 0, faults: [] };
  const judged = parts.has("pages") ? await judge({ ...world, cookie: (await crowd.make(["admin"], "judge")).cookie }) : none;
  // Set by long.sh, which takes a release build and a quiet machine.
  const large = Number(process.env.CONSOLE_SHIPMENTS ?? 0);
  if (parts.has("speed")) await asAdmin((own) => speed({ ...own, count: large || 5_000, isRelease: large > 0 }));
  const texts = parts.has("hostile") ? await asAdmin(hostile) : { payloads: 0, fields: 0 };
  if (parts.has("attacks")) {
    refused += Object.values(await attacks(world)).reduce((sum, count) => sum + count, 0);
    // Which database there is makes no difference to a token.
    if (engine === "sqlite") refused += await tokenAttacks();
  }
  const wrong = [...faults, ...judged.faults].flat();
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  console.log(`console on ${engine}: ${steps} steps, ${judged.pages} pages judged, ${checks} role checks, ${refused} attacks refused, ${texts.payloads} XSS payloads in ${texts.fields} fields, ${judged.pictures} pictures`);
} catch (error) {
  // What was on the screen says more than a stack.
  const open = browser?.contexts().flatMap((context) => context.pages()) ?? [];
  await Promise.allSettled(open.map((page, place) => page.screenshot({ path: join(work, "pictures", `failure-${place}.png`) })));
  throw error;
} finally {
  await browser?.close();
  await server.stop();
}
