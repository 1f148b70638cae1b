// Attacks on sessions and sign-ins, tried by requests and in a browser. Each function returns how many were tried and refused.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { forgedPasskeys } from "./passkeys.mjs";
import { operations } from "./roles.mjs";

const PASSWORD = "quiet harbour seven lanterns";
/** After so many failures, an account and an address wait. */
const ACCOUNT_FAILURES = 10;
const ADDRESS_FAILURES = 60;

/** Serves a page of another site, and returns its port. */
async function foreignSite(html) {
  const site = createServer((_, answer) => answer.writeHead(200, { "Content-Type": "text/html" }).end(html));
  await new Promise((resolve) => site.listen(0, "0.0.0.0", resolve));
  return { port: site.address().port, close: () => site.close() };
}

/** Every operation that changes something, as pages of other origins could send it. */
async function forgedRequests({ base, crowd }) {
  const victim = await crowd.make(["admin"], "victim");
  const forgeries = [
    { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
    { "Sec-Fetch-Site": "same-site", Origin: "https://evil.example" },
    { "Sec-Fetch-Site": null, Origin: "https://evil.example" },
    { "Sec-Fetch-Site": null, Origin: "null" },
    { "Dockside-World": null },
  ];
  let refused = 0;
  for (const { id, method, path } of await operations(base)) {
    if (method === "GET") continue;
    for (const headers of forgeries) {
      const answer = await crowd.send(victim.cookie, method, path.replace(/\{[^}]+\}/g, "00000000000000000000000000"), { headers });
      assert.deepEqual([answer.status, (await answer.json()).code], [403, "cross_site_request"], `${id} with ${JSON.stringify(headers)}`);
      refused += 1;
    }
  }
  return refused;
}

/** A signed-in browser that opens a page of another site: forms, scripts and pictures that call the API, and a frame with the console. */
async function foreignPage({ browser, base, crowd, call }) {
  const victim = await crowd.make(["admin"], "visitor");
  const before = (await call("GET", "/me")).organisation.id;
  const site = await foreignSite(`<!doctype html><title>Win a prize</title>
    <iframe name="sink"></iframe><iframe id="frame" src="${base}/console"></iframe>
    <form id="form" method="post" action="${base}/orders" target="sink" enctype="text/plain"><input name='{"reference":"FORGED","x":"' value='"}'></form>`);
  const context = await crowd.context(browser, victim.cookie);
  // A sibling on the same host is the same site to the browser, so it sends the cookie; another host is not.
  for (const host of ["127.0.0.1", "localhost"]) {
    const page = await context.newPage();
    await page.goto(`http://${host}:${site.port}/`);
    const outcomes = await page.evaluate(async (to) => {
      document.getElementById("form").submit();
      const send = (path, options) => fetch(to + path, { credentials: "include", ...options }).then((answer) => `${answer.type} ${answer.status}`, () => "refused");
      const json = JSON.stringify({ reference: "FORGED" });
      const tries = [
        send("/orders", { method: "POST", mode: "no-cors", body: json }),
        send("/orders", { method: "POST", mode: "cors", body: json, headers: { "Content-Type": "application/json" } }),
        send("/orders", { method: "POST", mode: "cors", body: json, headers: { "Dockside-World": "test" } }),
        send("/me", { mode: "cors" }),
        send("/events/deprovision", { mode: "no-cors" }),
      ];
      const all = await Promise.all(tries);
      await new Promise((resolve) => Object.assign(new Image(), { onerror: resolve, onload: resolve, src: `${to}/events/deprovision?picture` }));
      return all;
    }, base);
    for (const outcome of outcomes) assert.match(outcome, /^(refused|opaque 0)$/, outcome);
    const frame = await (await page.$("#frame")).contentFrame();
    assert.equal(await frame.locator("#app").count(), 0, "another site framed the console");
    await page.close();
  }
  await context.close();
  site.close();
  assert.equal((await call("GET", "/orders?reference=FORGED")).data.length, 0);
  assert.equal((await call("GET", "/me")).organisation.id, before);
  await call("GET", "/events/connection_token");
  return 2 * 8;
}

/** Sessions that have ended, altered ids, and ids that stand for something else. */
async function stolenSessions({ base, crowd, live, token }) {
  let refused = 0;
  const dead = async (cookie, what) => {
    const answer = await crowd.send(cookie, "GET", "/orders");
    assert.equal(answer.status, 401, `${what} answers ${answer.status}`);
    refused += 1;
  };
  const user = await crowd.make(["manager"], "robbed");
  const alive = async (cookie) => assert.equal((await crowd.send(cookie, "GET", "/orders")).status, 200);
  await alive(user.cookie);
  const middle = Math.floor(user.cookie.length / 2);
  for (const place of [5, middle, user.cookie.length - 1]) {
    const other = user.cookie[place] === "a" ? "b" : "a";
    await dead(user.cookie.slice(0, place) + other + user.cookie.slice(place + 1), `an id that differs at ${place}`);
  }
  await dead("", "no id");
  await dead(user.cookie.slice(0, -1), "an id without its end");
  await dead(user.token, "a link's token");
  await dead(token, "an access token");
  const sessions = await (await crowd.send(user.cookie, "GET", "/sessions", { world: "live" })).json();
  await dead(sessions.data[0].id, "the name of a session");
  const asBearer = await fetch(`${base}/orders`, { headers: { Authorization: `Bearer ${user.cookie}` } });
  assert.equal(asBearer.status, 401);
  refused += 1;
  await crowd.send(user.cookie, "DELETE", "/sessions/current", { world: "live" });
  await dead(user.cookie, "a session that was signed out");
  const ends = [
    ["sign_out", (id) => live("POST", `/users/${id}/sign_out`)],
    ["disable", (id) => live("POST", `/users/${id}/disable`)],
    ["delete", (id) => live("DELETE", `/users/${id}`)],
  ];
  for (const [what, end] of ends) {
    const other = await crowd.make(["manager"], what.replace("_", "-"));
    await alive(other.cookie);
    await end(other.id);
    await dead(other.cookie, `a session after ${what}`);
  }
  // A new password ends the other sessions: who had stolen one is out.
  const careful = await crowd.make(["manager"], "careful");
  await crowd.setPassword(careful, PASSWORD);
  const second = await crowd.signIn({ email_address: careful.email_address, password: PASSWORD });
  await alive(second.cookie);
  await crowd.send(second.cookie, "PUT", "/me/password", { world: "live", body: { current_password: PASSWORD, new_password: `${PASSWORD} again` } });
  await dead(careful.cookie, "another session after a new password");
  return refused;
}

/** An id that an attacker chose before the sign-in, and scripts that look for the id. */
async function fixation({ browser, base, crowd, live }) {
  const attacker = await crowd.make(["viewer"], "attacker");
  const planted = [attacker.cookie, "dks_planted", attacker.cookie.slice(0, -4) + "0000"];
  for (const cookie of planted) {
    const victim = await live("POST", "/users", { name: "Fixed", email_address: `fixed-${planted.indexOf(cookie)}@example.com`, roles: ["viewer"] });
    const answer = await crowd.signIn({ link_token: victim.sign_in_link.split("#")[1] }, { Cookie: `dockside_session=${cookie}` });
    assert.equal(answer.status, 201);
    assert.ok(answer.cookie.length > 20 && answer.cookie !== cookie, "the sign-in kept the id that was planted");
    assert.match(answer.setCookie, /HttpOnly/);
    assert.match(answer.setCookie, /SameSite=Lax/);
    const planted_is = await crowd.send(cookie, "GET", "/me");
    if (planted_is.status === 200) assert.equal((await planted_is.json()).user.id, attacker.id);
  }
  const context = await crowd.context(browser, attacker.cookie);
  const page = await context.newPage();
  await page.goto(`${base}/console`);
  assert.equal(await page.evaluate(() => document.cookie), "", "scripts can read the session");
  await context.close();
  return planted.length + 1;
}

/** Passwords that are guessed: of one account, and of many from one address. */
async function guessing({ crowd }) {
  const [target, other] = [await crowd.make(["viewer"], "guessed"), await crowd.make(["viewer"], "bystander")];
  await crowd.setPassword(target, PASSWORD);
  await crowd.setPassword(other, PASSWORD);
  const from = (address) => ({ "X-Forwarded-For": address });
  const guess = (email, password, address) => crowd.signIn({ email_address: email, password }, from(address));
  let refused = 0;
  // Each from another address: the account is what is protected. It is so for accounts that no person has, too.
  for (const email of [target.email_address, "no-person@example.com"]) {
    for (let place = 0; place < ACCOUNT_FAILURES; place += 1) assert.equal((await guess(email, `wrong ${place} wrong wrong`, `198.51.100.${place}`)).status, 401);
    for (const password of [PASSWORD, "wrong again and again"]) assert.equal((await guess(email, password, "198.51.100.99")).status, 429, "guessing goes on");
    refused += ACCOUNT_FAILURES + 2;
  }
  assert.equal((await guess(other.email_address, PASSWORD, "198.51.100.99")).status, 201, "another account is locked, too");
  const crowdOf = Array.from({ length: ADDRESS_FAILURES }, (_, place) => `many-${place}@example.com`);
  for (const email of crowdOf) assert.equal((await guess(email, "one guess for each of them", "203.0.113.7")).status, 401);
  assert.equal((await guess(other.email_address, PASSWORD, "203.0.113.7")).status, 429, "an address guesses on");
  assert.equal((await guess(other.email_address, PASSWORD, "203.0.113.8")).status, 201, "another address is locked, too");
  return refused + ADDRESS_FAILURES + 1;
}

/** Whether the text or the time of a refusal tells which addresses have users. */
async function enumeration({ crowd }) {
  const TRIES = 8;
  const known = await crowd.make(["viewer"], "known");
  await crowd.setPassword(known, PASSWORD);
  const invited = await crowd.make(["viewer"], "invited");
  const disguise = (text) => text.replace(/"request_id":"[^"]*"/, "").replace(/req_\w+/g, "");
  const kinds = { known: known.email_address, invited: invited.email_address, unknown: "unknown-person@example.com" };
  /** @type {Record<string, { times: number[], texts: Set<string> }>} */
  const seen = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, { times: [], texts: new Set() }]));
  for (let place = 0; place < TRIES; place += 1) {
    for (const [kind, email] of Object.entries(kinds)) {
      const from = performance.now();
      const answer = await crowd.signIn({ email_address: email, password: "certainly not this one" }, { "X-Forwarded-For": "192.0.2.44" });
      seen[kind].times.push(performance.now() - from);
      seen[kind].texts.add(`${answer.status} ${disguise(answer.text)}`);
    }
  }
  const texts = new Set(Object.values(seen).flatMap((one) => [...one.texts]));
  assert.equal(texts.size, 1, `refusals differ: ${[...texts].join(" | ")}`);
  const median = (kind) => seen[kind].times.sort((one, two) => one - two)[TRIES / 2];
  const times = Object.keys(kinds).map(median);
  // A comparison that is left out answers in a few milliseconds; the machine's own noise is less than a factor of two.
  assert.ok(Math.max(...times) < 2 * Math.min(...times) + 20, `refusals take ${times.map(Math.round).join(", ")} ms`);
  console.log(`  a refused sign-in takes ${Object.keys(kinds).map((kind) => `${Math.round(median(kind))} ms for ${kind}`).join(", ")}`);
  return TRIES * 3;
}

/** Addresses that a sign-in must not lead to. */
async function redirects({ browser, base, crowd }) {
  const user = await crowd.make(["viewer"], "led");
  const context = await crowd.context(browser, user.cookie);
  const page = await context.newPage();
  const wanted = ["https://evil.example/", "//evil.example/", "///evil.example", "/\\evil.example", "\\\\evil.example", "/%2f%2fevil.example", "https:evil.example", "javascript:globalThis.hacked=1", "data:text/html,evil", "/sign-in?next=//evil.example", "/../../evil.example", "/.evil.example", "@evil.example", "/a@evil.example", "/orders\\..\\..\\evil"];
  for (const next of wanted) {
    await page.goto(`${base}/console/sign-in?next=${encodeURIComponent(next)}`);
    await page.waitForFunction(() => !location.pathname.startsWith("/console/sign-in"));
    assert.ok(page.url().startsWith(`${base}/console`), `${next} leads to ${page.url()}`);
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  }
  await context.close();
  return wanted.length;
}

/** One-time links: used, replaced, altered, and of users that are disabled. */
async function links({ crowd, live }) {
  const dead = async (token, what) => assert.equal((await crowd.signIn({ link_token: token })).status, 401, what);
  const user = await crowd.make(["viewer"], "linked");
  await dead(user.token, "a link works twice");
  const fresh = async (id) => (await live("POST", `/users/${id}/link`)).sign_in_link.split("#")[1];
  const [older, newer] = [await fresh(user.id), await fresh(user.id)];
  await dead(older, "an older link works beside the newer");
  await dead(`${newer.slice(0, -1)}${newer.endsWith("a") ? "b" : "a"}`, "an altered link works");
  const both = await Promise.all([crowd.signIn({ link_token: newer }), crowd.signIn({ link_token: newer }), crowd.signIn({ link_token: newer })]);
  assert.equal(both.filter(({ status }) => status === 201).length, 1, "a link that is used three times at once signs in other than once");
  const disabled = await fresh(user.id);
  await live("POST", `/users/${user.id}/disable`);
  await dead(disabled, "a link of a disabled user works");
  return 6;
}

/** Tries them all. Returns how many attempts were refused, by kind. */
export async function attacks(world) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const [name, attack] of Object.entries({ "forged requests": forgedRequests, "pages of other sites": foreignPage, "stolen sessions": stolenSessions, "session fixation": fixation, "guessed passwords": guessing, "user enumeration": enumeration, "open redirects": redirects, "replayed links": links, "forged passkeys": forgedPasskeys })) {
    const from = Date.now();
    counts[name] = await attack(world);
    console.log(`  ${counts[name]} ${name} refused (${Date.now() - from} ms)`);
  }
  return counts;
}
