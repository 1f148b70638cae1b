// Uses the library in TypeScript as a program would, with a relay that loses answers. Prints a line of JSON for each step.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import {
  type Dockside,
  RefusedError,
  StreamEndedError,
  WebhookVerificationError,
  type components,
  createDockside,
  paginate,
  unwrap,
  verifyWebhook,
} from "dockside-client";
import { followEvents } from "dockside-client/realtime";
import WebSocket from "ws";

type LocationInput = components["schemas"]["LocationInput"];

interface Case {
  readonly what: string;
  readonly secret: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly is_valid: boolean;
}

const variable = (name: string): string => process.env[name] ?? assert.fail(`${name} is not set`);
const [URL, RELAY, LINE, TOKEN, TOKEN_ID] = ["DOCKSIDE", "RELAY", "LINE", "TOKEN", "TOKEN_ID"].map(variable) as [string, string, string, string, string];
const dockside = createDockside({ url: URL, token: TOKEN });

const tell = (step: string, about: object = {}) => console.log(JSON.stringify({ step, ...about }));

/** Tells the relay what to do, and returns how many requests it has had. */
async function control(wish: unknown): Promise<number> {
  const answer = await fetch(`${RELAY}/relay`, { method: "POST", body: JSON.stringify(wish) });
  return ((await answer.json()) as { count?: number }).count ?? 0;
}

function place(name: string): LocationInput {
  return { name, address: { address: { line_1: "1 Quay Street", city: "Bristol", post_code: "BS1 4DJ", country_code: "GB" } } };
}

async function refusal(act: Promise<unknown>): Promise<RefusedError> {
  try {
    await act;
  } catch (error) {
    assert(error instanceof RefusedError, String(error));
    return error;
  }
  return assert.fail("it was not refused");
}

/** The error of `fetch` for a connection that is lost. */
async function loss(act: Promise<unknown>): Promise<void> {
  await assert.rejects(act, (error) => !(error instanceof RefusedError));
}

const me = (client: Dockside) => unwrap(client.GET("/me"));
const create = (client: Dockside, name: string) => unwrap(client.POST("/locations", { body: place(name) }));
const at = (location_id: string) => ({ path: { location_id } });

async function authenticates(): Promise<void> {
  assert.throws(() => createDockside({ url: "localhost:8080", token: TOKEN }), TypeError);
  assert.equal((await me(dockside)).world, "test");
  const unknown = await refusal(me(createDockside({ url: URL, token: "dk_test_none" })));
  assert.deepEqual([unknown.status, unknown.code, typeof unknown.requestId], [401, "unauthenticated", "string"]);
  const credentials = { clientId: TOKEN_ID, clientSecret: TOKEN };
  const reader = createDockside({ url: URL, token: { ...credentials, scopes: ["locations:read"] } });
  assert.deepEqual((await me(reader)).scopes, ["locations:read"]);
  assert.equal((await refusal(create(reader, "No"))).code, "insufficient_scope");
  // A traded token that is refused is traded anew, once.
  const relayed = createDockside({ url: RELAY, token: credentials });
  await control([null, [401, 0]]);
  assert.equal((await me(relayed)).world, "test");
  assert.equal(await control([[401, 0], null, [401, 0]]), 4);
  assert.equal((await refusal(me(relayed))).status, 401);
  assert.equal(await control([]), 3);
  const wrong = createDockside({ url: URL, token: { ...credentials, clientSecret: `${TOKEN}x` } });
  assert.equal((await refusal(me(wrong))).code, "invalid_client");
  tell("authenticates");
}

async function isRefused(): Promise<void> {
  const error = await refusal(create(dockside, ""));
  assert.deepEqual([error.status, error.code], [422, "validation_failed"]);
  assert.deepEqual(error.problem?.errors.map(({ field }) => field), ["/name"]);
  assert.match(error.message, /\/name: /);
  const params = at("loc_01jc0000000000000000000000");
  assert.equal((await refusal(unwrap(dockside.GET("/locations/{location_id}", { params })))).code, "not_found");
  tell("is_refused");
}

async function pages(): Promise<void> {
  const made: string[] = [];
  for (let n = 0; n < 23; n++) made.unshift((await create(dockside, `Page ${n}`)).id);
  const found: string[] = [];
  for await (const { id } of paginate(dockside, "/locations", { query: { limit: 5 } })) found.push(id);
  assert.deepEqual(found, made);
  const { data, response } = await dockside.GET("/locations", { params: { query: { limit: 5 } } });
  assert.equal(data?.locations.length, 5);
  assert(data.next_cursor !== null && response.headers.get("Stream-Epoch") !== null);
  for await (const { id } of paginate(dockside, "/locations", { query: { tags: ["none", "of_them"] } })) assert.fail(id);
  tell("pages");
}

async function changes(): Promise<void> {
  const { data, response } = await dockside.POST("/locations", { body: place("Before") });
  const etag = response.headers.get("ETag");
  assert(response.status === 201 && data !== undefined && etag !== null);
  const params = { ...at(data.id), header: { "If-Match": etag } };
  const changed = await unwrap(dockside.PATCH("/locations/{location_id}", { params, body: { name: "After" } }));
  assert.equal(changed.name, "After");
  assert.equal((await refusal(unwrap(dockside.DELETE("/locations/{location_id}", { params })))).code, "precondition_failed");
  assert.equal(await unwrap(dockside.DELETE("/locations/{location_id}", { params: at(data.id) })), undefined);
  tell("changes");
}

async function named(name: string): Promise<number> {
  let count = 0;
  for await (const each of paginate(dockside, "/locations", { query: { limit: 100 } })) if (each.name === name) count += 1;
  return count;
}

async function repeats(): Promise<void> {
  const relayed = createDockside({ url: RELAY, token: TOKEN });
  await control(["lose", "drop", [503, 1], [429, 1], [502, 0]]);
  const start = Date.now();
  const { data, response } = await relayed.POST("/locations", { body: place("Lost") });
  // The first attempt made it, and the sixth was answered with what the first had said.
  assert(data !== undefined && response.headers.get("Idempotent-Replayed") === "true" && Date.now() - start >= 2000);
  assert.equal(await control([]), 6);
  assert.equal(await named("Lost"), 1);
  await control(["drop"]);
  assert.equal((await unwrap(relayed.GET("/locations/{location_id}", { params: at(data.id) }))).name, "Lost");
  // A refusal is an answer, and not repeated; a corrected request has a new key.
  await control([]);
  assert.equal((await refusal(create(relayed, ""))).status, 422);
  assert.equal(await control([]), 1);
  const params = { header: { "Idempotency-Key": "one-and-the-same" } };
  const first = await unwrap(relayed.POST("/locations", { params, body: place("Keyed") }));
  const second = await unwrap(relayed.POST("/locations", { params, body: place("Keyed") }));
  assert.equal(second.id, first.id);
  assert.equal((await refusal(unwrap(relayed.POST("/locations", { params, body: place("Other") })))).code, "idempotency_key_reused");
  tell("repeats");
}

async function givesUp(): Promise<void> {
  const relayed = createDockside({ url: RELAY, token: TOKEN, retries: { attemptsMax: 3 } });
  await control(Array.from({ length: 5 }, () => [503, 0]));
  const error = await refusal(me(relayed));
  assert.deepEqual([error.status, error.code, error.problem], [503, undefined, undefined]);
  assert.equal(await control([[429, 3600]]), 3);
  // Longer than a program wants to wait.
  assert.equal((await refusal(me(relayed))).status, 429);
  assert.equal(await control([[503, 20]]), 1);
  // A program may stop waiting, too.
  const signal = AbortSignal.timeout(5000);
  await loss(unwrap(relayed.GET("/me", { signal })));
  assert.equal(await control([]), 1);
  tell("gives_up");
}

async function sendsOnce(): Promise<void> {
  const relayed = createDockside({ url: RELAY, token: TOKEN });
  // It takes no key, so its first attempt may have done it.
  await control(["lose"]);
  await loss(unwrap(relayed.POST("/sessions/challenge")));
  assert.equal(await control(["lose"]), 1);
  const query = { type: "locations", format: "csv" } as const;
  await loss(unwrap(relayed.POST("/imports", { params: { query }, body: "name\n", headers: { "Content-Type": "text/csv" } })));
  assert.equal(await control([]), 1);
  tell("sends_once");
}

async function sendsFiles(): Promise<void> {
  const table = await unwrap(dockside.GET("/exports/locations.csv", { parseAs: "text" }));
  assert(table.split("\n").length > 20);
  // Half of a table is no table: it was sent once, and the program is told.
  const relayed = createDockside({ url: RELAY, token: TOKEN });
  await control(["cut"]);
  await loss(unwrap(relayed.GET("/exports/locations.csv", { parseAs: "text" })));
  assert.equal(await control([]), 1);
  const query = { type: "locations", format: "csv", dry_run: true } as const;
  const headers = { "Content-Type": "text/csv" };
  const made = await unwrap(dockside.POST("/imports", { params: { query }, body: new Blob([table]), headers }));
  assert.equal(made.file?.size, new Blob([table]).size);
  const missing = await refusal(unwrap(dockside.GET("/files/{token}", { params: { path: { token: "none" } }, parseAs: "blob" })));
  assert.deepEqual([missing.status, missing.code], [403, "file_link_invalid"]);
  tell("sends_files");
}

async function isAccepted(body: Uint8Array, { headers, secret }: Case): Promise<boolean> {
  try {
    const event = await verifyWebhook(body, headers, secret);
    // Two secrets, while one is replaced by the other; and the headers of `fetch`.
    await verifyWebhook(new TextDecoder().decode(body), new Headers(headers), ["whsec_AAAA", secret]);
    return event.type === "location.created";
  } catch (error) {
    assert(error instanceof WebhookVerificationError, String(error));
    return false;
  }
}

async function verifies(): Promise<void> {
  const counts = { accepted: 0, refused: 0 };
  for (const each of JSON.parse(readFileSync(variable("CASES"), "utf8")) as Case[]) {
    const isValid = await isAccepted(Buffer.from(each.body, "base64"), each);
    assert.equal(isValid, each.is_valid, each.what);
    counts[isValid ? "accepted" : "refused"] += 1;
  }
  tell("verifies", counts);
}

async function follows(): Promise<void> {
  const joined: string[] = [];
  // A token of its own, which is revoked in the end.
  const scopes = ["locations:write", "orders:write", "events:read"];
  const own = await unwrap(dockside.POST("/access_tokens", { body: { scopes } }));
  const load = (channel: string) => void joined.push(channel);
  const lined = createDockside({ url: LINE, token: own.token });
  const events = followEvents(lined, { resources: ["locations"], load, websocket: WebSocket });
  const next = async () => (await events.next()).value ?? assert.fail("the stream has ended");
  const idOf = ({ data }: components["schemas"]["Event"]) => String(data.object["id"]);
  const first = next();
  for (let n = 0; joined.length === 0 && n < 1800; n++) await new Promise((resolve) => setTimeout(resolve, 50));
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push((await create(dockside, `Live ${n}`)).id);
  // The SDK may pass events that arrive together in another order.
  assert.deepEqual([idOf(await first), idOf(await next()), idOf(await next())].sort(), [...ids].sort());
  // What happens while the line is cut comes when it is mended, and nothing must be loaded.
  await control({ line: "cut" });
  const marketplaces = Object.fromEntries(Array.from({ length: 4 }, (_, n) => [`m${n}`, Array.from({ length: 100 }, () => "x".repeat(255))]));
  const large = await unwrap(dockside.POST("/locations", { body: { ...place("Meanwhile"), marketplaces } }));
  await control({ line: "mend" });
  // It has more than 64 KiB, so the stream has only a reference to it.
  assert.deepEqual((await next()).data.object, large);
  assert.equal(joined.length, 1);
  assert.match(joined[0] ?? "", /^locations:/);
  await unwrap(dockside.DELETE("/access_tokens/{access_token_id}", { params: { path: { access_token_id: own.id } } }));
  await assert.rejects(events.next(), StreamEndedError);
  tell("follows");
}

await authenticates();
await isRefused();
await pages();
await changes();
await repeats();
await givesUp();
await sendsOnce();
await sendsFiles();
await verifies();
await follows();
