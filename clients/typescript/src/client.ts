// The client: openapi-fetch with the types of the API, which sends a token and an idempotency key, and repeats what may be repeated.
import createClient, { type Client } from "openapi-fetch";

import { type Credentials, withToken } from "./auth.js";
import type { paths } from "./generated/schema.js";
import { WITHOUT_KEY } from "./generated/without_key.js";
import { RETRIES, type Retries, type Send, withRetries, withTimeout } from "./retry.js";

export interface DocksideOptions {
  /** The server's address, such as `https://dockside.example.com`. */
  readonly url: string;
  readonly token: Credentials;
  readonly retries?: Partial<Retries>;
  /** How long to wait for the beginning of an answer: 60 seconds, longer than a purchase may be waited for. */
  readonly timeoutSeconds?: number;
  /** Sends a request, if not the `fetch` of the platform. */
  readonly fetch?: Send;
}

/** A client of one server, with the methods `GET`, `POST`, `PUT`, `PATCH` and `DELETE` for the paths of the API. */
export type Dockside = Client<paths> & { readonly url: string };

const CHANGES = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** Makes a client. */
export function createDockside({ url, token, retries, timeoutSeconds = 60, fetch }: DocksideOptions): Dockside {
  if (!/^https?:\/\//.test(url)) throw new TypeError(`The address of the server begins with http:// or https://, and ${url} does not.`);
  const base = url.replace(/\/+$/, "");
  const send: Send = fetch ?? ((request) => globalThis.fetch(request));
  const client = createClient<paths>({
    baseUrl: base,
    fetch: withRetries(withToken(withTimeout(send, timeoutSeconds), token, base), { ...RETRIES, ...retries }),
    querySerializer: { array: { style: "form", explode: false } },
    bodySerializer: serialized,
  });
  client.use({
    onRequest({ request, schemaPath }) {
      // With a key, a change whose answer was lost can be sent again: the server carries it out once.
      const takesKey = CHANGES.has(request.method) && !WITHOUT_KEY.has(`${request.method} ${schemaPath}`);
      if (takesKey && !request.headers.has("Idempotency-Key")) request.headers.set("Idempotency-Key", crypto.randomUUID());
    },
  });
  return Object.assign(client, { url: base });
}

/** Writes a body in its media type; files are sent as they are. */
function serialized(body: unknown, headers?: unknown): BodyInit {
  const type = new Headers(headers as HeadersInit | undefined).get("Content-Type") ?? "application/json";
  if (type.startsWith("application/x-www-form-urlencoded")) {
    const fields = Object.entries(body as Record<string, unknown>).filter(([, value]) => value !== undefined && value !== null);
    return new URLSearchParams(fields.map(([name, value]) => [name, String(value)]));
  }
  return /^application\/(merge-patch\+)?json\b/.test(type) ? JSON.stringify(body) : (body as BodyInit);
}
