// Follows events live, by the SDK of Centrifugo: install `centrifuge`, and `ws` for Node before 22.
import { Centrifuge, UnauthorizedError } from "centrifuge";

import type { Dockside } from "./client.js";
import { RefusedError, StreamEndedError, unwrap } from "./errors.js";
import type { Event } from "./webhooks.js";

export interface FollowOptions {
  /** The resources whose events are wanted, such as `["orders"]`; without it, all that the token may read. */
  readonly resources?: readonly string[];
  /**
   * Called with the name of a channel when its stream begins, and again if events were missed: load what you show then. Events that
   * happen meanwhile come after it.
   */
  readonly load?: (channel: string) => Promise<void> | void;
  /** The constructor of websockets, where the platform has none: that of the package `ws`. */
  readonly websocket?: unknown;
}

type Item = { readonly event: Event & { readonly is_truncated?: boolean } } | { readonly joined: string } | { readonly ended: StreamEndedError };

// Events that wait for the program. The SDK can't be held back, and memory is not endless.
const WAITING_MAX = 10_000;

/**
 * Yields each event that the token may read, from now on, until the loop that takes them ends. The connection comes back by itself;
 * if it ends for good, a `StreamEndedError` is thrown.
 */
export async function* followEvents(dockside: Dockside, options: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
  const waiting: Item[] = [];
  let wake = () => {};
  const put = (item: Item) => {
    if (waiting.length < WAITING_MAX) waiting.push(item);
    else waiting.splice(0, waiting.length, { ended: new StreamEndedError(0, "events came faster than the program took them") });
    wake();
  };
  const client = connected(dockside, options, put);
  try {
    while (true) {
      const item = waiting.shift();
      if (item === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else if ("ended" in item) throw item.ended;
      else if ("joined" in item) await options.load?.(item.joined);
      else yield await whole(dockside, item.event);
    }
  } finally {
    client.disconnect();
  }
}

function connected(dockside: Dockside, { resources, websocket }: FollowOptions, put: (item: Item) => void): Centrifuge {
  const isWanted = (channel: string) => resources === undefined || resources.includes(channel.split(":", 1)[0] ?? "");
  const address = `${dockside.url.replace(/^http/, "ws")}/connection/websocket`;
  const client = new Centrifuge(address, { getToken: () => token(dockside), ...(websocket === undefined ? {} : { websocket }) });
  client.on("subscribed", ({ channel, recovered }) => {
    if (!recovered && isWanted(channel)) put({ joined: channel });
  });
  client.on("publication", ({ channel, data }) => {
    if (isWanted(channel)) put({ event: data as Event });
  });
  client.on("disconnected", ({ code, reason }) => put({ ended: new StreamEndedError(code, reason) }));
  client.connect();
  return client;
}

async function token(dockside: Dockside): Promise<string> {
  try {
    return (await unwrap(dockside.GET("/events/connection_token"))).token;
  } catch (error) {
    // There will be none later either: the SDK stops. After any other error it tries again.
    if (error instanceof RefusedError && (error.status === 401 || error.status === 403)) throw new UnauthorizedError("no access");
    throw error;
  }
}

/** Returns the whole event: one of more than 64 KiB comes as a reference. */
async function whole(dockside: Dockside, event: Event & { readonly is_truncated?: boolean }): Promise<Event> {
  if (event.is_truncated !== true) return event;
  return unwrap(dockside.GET("/events/{event_id}", { params: { path: { event_id: event.id } } }));
}
