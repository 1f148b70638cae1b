// Live events. Pages work without them: while the stream is down they read anew from time to time, and the top bar says
// so.
import { get, Problem } from "./api.js";
import { can, me } from "./session.js";
import { createStore } from "./store.js";
import { world } from "./world.js";

/** @typedef {{ id: string, type: string, created_at: string, data: { object: any }, actor?: { type: string, id: string } }} StreamEvent */

/** `off`: never connected here. `up`: events arrive. `down`: they do not, and the client tries again. */
export const streamState = createStore(/** @type {"off" | "up" | "down"} */ ("off"));
/** The code of the refusal if the server does not let this viewer follow events. */
export const streamRefusal = createStore("");

/** @type {Set<(event: StreamEvent) => void>} */
const listeners = new Set();
/** @type {Set<() => void>} */
const gaps = new Set();
/** @type {any} */
let client = null;
/** Counts connections, so that one that was given up changes nothing. */
let turn = 0;

/**
 * Calls back with each event. Returns how to stop.
 * @param {(event: StreamEvent) => void} listener
 */
export function onEvent(listener) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/**
 * Calls back when events may have been missed, so that what is shown should be read anew.
 * @param {() => void} listener
 */
export function onGap(listener) {
  gaps.add(listener);
  return () => {
    gaps.delete(listener);
  };
}

/** How long events are gathered before pages see them, in milliseconds: a batch of thousands changes a page a few times. */
const GATHER_MS = 60;
/** More events than this at once are not looked at one by one: pages read anew instead. */
const GATHERED_MAX = 1000;
/** @type {StreamEvent[]} */
let gathered = [];

/** @param {StreamEvent} event */
function arrive(event) {
  if (gathered.length === 0) setTimeout(deliver, GATHER_MS);
  gathered.push(event);
}

function deliver() {
  const events = gathered;
  gathered = [];
  if (events.length > GATHERED_MAX) [...gaps].forEach((listener) => listener());
  else for (const event of events) [...listeners].forEach((listener) => listener(event));
}

async function token() {
  const { UnauthorizedError } = /** @type {any} */ (globalThis).Centrifuge;
  try {
    const { data } = await get("/events/connection_token", { quiet: true });
    streamRefusal.set("");
    return data.token;
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500 || error.status === 429) throw error;
    streamRefusal.set(error.code);
    throw new UnauthorizedError(error.message);
  }
}

/** Connects in the current world, and drops an earlier connection. */
export async function connect() {
  const mine = ++turn;
  client?.disconnect();
  client = null;
  streamState.set("off");
  if (!me.get() || !can("events:read")) return;
  await import("centrifuge");
  if (mine !== turn) return;
  const { Centrifuge } = /** @type {any} */ (globalThis);
  const address = `${location.origin.replace(/^http/, "ws")}/connection/websocket`;
  const next = new Centrifuge(address, { getToken: token, minReconnectDelay: 500, maxReconnectDelay: 20_000 });
  const ours = (/** @type {(context: any) => void} */ act) => (/** @type {any} */ context) => mine === turn && act(context);
  next.on("connected", ours(() => streamState.set("up")));
  next.on("connecting", ours(() => streamState.get() === "up" && streamState.set("down")));
  next.on("disconnected", ours(() => streamState.set("down")));
  next.on("error", ours(() => streamState.get() !== "up" && streamState.set("down")));
  next.on("publication", ours(({ data }) => arrive(data)));
  next.on("subscribed", ours(({ wasRecovering, recovered }) => wasRecovering && !recovered && [...gaps].forEach((listener) => listener())));
  client = next;
  next.connect();
}

world.follow(() => {
  turn += 1;
  client?.disconnect();
});
