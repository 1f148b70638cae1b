// Verifies webhooks, which are signed as Standard Webhooks says.
import { WebhookVerificationError } from "./errors.js";
import type { components } from "./generated/schema.js";

export type Event = components["schemas"]["Event"];

// How far the time of a message may be from ours: an attacker can't record one and send it later.
const TOLERANCE_SECONDS = 300;

/** The headers of a request, as `fetch` or as Node has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  readonly toleranceSeconds?: number;
}

/**
 * Returns the event of a webhook, or throws a `WebhookVerificationError`.
 *
 * `body` is the bytes as they came, not JSON that was read and written again. With several secrets, one of them must have signed.
 */
export async function verifyWebhook(
  body: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<Event> {
  const [id, moment, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => field(headers, name));
  if (!id || !moment || !signatures) throw new WebhookVerificationError("A header of the signature is missing.");
  if (!/^[0-9]+$/.test(moment)) throw new WebhookVerificationError("The time of the message is no number.");
  if (Math.abs(Date.now() / 1000 - Number(moment)) > toleranceSeconds) {
    throw new WebhookVerificationError("The message is too old, or from the future.");
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const message = joined(new TextEncoder().encode(`${id}.${moment}.`), bytes);
  const secrets = typeof secret === "string" ? [secret] : secret;
  let isValid = false;
  for (const each of secrets) isValid = (await hasSigned(each, message, signatures)) || isValid;
  if (!isValid) throw new WebhookVerificationError("No signature is by the secret.");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Event;
  } catch {
    throw new WebhookVerificationError("The body is no JSON.");
  }
}

function field(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0];
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

async function hasSigned(secret: string, message: Uint8Array<ArrayBuffer>, signatures: string): Promise<boolean> {
  const bytes = decoded(secret.replace(/^whsec_/, ""));
  if (bytes === undefined) throw new TypeError("The secret is none: it begins with whsec_ and goes on in base64.");
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  let isValid = false;
  for (const signature of signatures.split(" ")) {
    const [version, text] = signature.split(",", 2);
    const given = version === "v1" && text !== undefined ? decoded(text) : undefined;
    // `verify` compares in constant time, and all are compared.
    if (given !== undefined) isValid = (await crypto.subtle.verify("HMAC", key, given, message)) || isValid;
  }
  return isValid;
}

function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  } catch {
    return undefined;
  }
}
