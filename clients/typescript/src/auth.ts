// Who calls: an access token, or a client that trades its credentials for tokens that live an hour.
import { RefusedError } from "./errors.js";
import { type Send, isRepeatable } from "./retry.js";

/** An access token as an OAuth client: its id, and the token itself as the secret. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** What the traded tokens may do; without any, all that the client may. */
  readonly scopes?: readonly string[];
}

/** An access token, or what to trade for one. */
export type Credentials = string | ClientCredentials;

// A token is replaced this long before it ends, so that no request arrives with one that has ended.
const SPARE_MS = 60_000;

interface Traded {
  readonly token: string;
  readonly endsAt: number;
}

/** Sends each request with a token. If a traded one is refused, another is traded once. */
export function withToken(send: Send, credentials: Credentials, url: string): Send {
  if (typeof credentials === "string") return (request) => send(authorized(request, credentials));
  let trading: Promise<Traded> | undefined;
  const token = async (): Promise<string> => {
    const known = await trading?.catch(() => undefined);
    if (known === undefined || Date.now() >= known.endsAt - SPARE_MS) trading = trade(send, credentials, url);
    return (await (trading as Promise<Traded>)).token;
  };
  return async (request) => {
    const again = isRepeatable(request) ? request.clone() : undefined;
    const response = await send(authorized(request, await token()));
    if (response.status !== 401) return response;
    trading = undefined;
    if (again === undefined) return response;
    await response.body?.cancel();
    return send(authorized(again, await token()));
  };
}

function authorized(request: Request, token: string): Request {
  request.headers.set("Authorization", `Bearer ${token}`);
  return request;
}

async function trade(send: Send, { clientId, clientSecret, scopes }: ClientCredentials, url: string): Promise<Traded> {
  const form = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret });
  if (scopes !== undefined && scopes.length > 0) form.set("scope", scopes.join(" "));
  const response = await send(new Request(`${url}/oauth/token`, { method: "POST", body: form }));
  const made: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new RefusedError(response, made);
  const { access_token, expires_in } = made as { access_token: string; expires_in: number };
  return { token: access_token, endsAt: Date.now() + expires_in * 1000 };
}
