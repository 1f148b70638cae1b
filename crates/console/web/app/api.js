// Requests to the public API. A browser's session is in a cookie that scripts can't read; the header `Dockside-World`
// chooses the world and shows the server that this page, and no other site, has sent the request.
import { world } from "./world.js";

/** @typedef {{ type?: string, code: string, message: string, field?: string }} Issue */

/** A refusal of the API, in its own words. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {any} document
   */
  constructor(status, document) {
    super(document?.title ?? `The server answered with status ${status}.`);
    this.status = status;
    this.code = document?.code ?? "unknown";
    this.title = this.message;
    this.detail = document?.detail ?? "";
    this.requestId = document?.request_id ?? "";
    /** @type {Issue[]} */
    this.issues = document?.errors ?? [];
  }
}

/** The server could not be reached: nothing is known about the outcome. */
export class Unreachable extends Error {
  constructor() {
    super("The server can’t be reached.");
  }
}

/** Set by the session: what happens when it has ended. */
export const hooks = { onSignedOut: () => {} };

/** Returns a random key, also where the page has no secure context and so no `crypto.randomUUID`. */
export function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @typedef {{ body?: any, etag?: string | null, key?: string, world?: string, signal?: AbortSignal, quiet?: boolean }} Options
 * @typedef {{ status: number, data: any, etag: string | null, headers: Headers }} Answer
 */

/**
 * Sends a request.
 * @param {string} method
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<Answer>}
 */
export async function request(method, path, options = {}) {
  /** @type {Record<string, string>} */
  const headers = { "Dockside-World": options.world ?? world.get(), Accept: "application/json" };
  // A file is sent as it is; everything else is JSON.
  const isFile = options.body instanceof Blob;
  if (isFile) headers["Content-Type"] = options.body.type && !/json$/.test(options.body.type) ? options.body.type : "text/csv";
  else if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (method === "POST") headers["Idempotency-Key"] = options.key ?? randomKey();
  if (options.etag) headers["If-Match"] = options.etag;
  const body = options.body === undefined || isFile ? options.body : JSON.stringify(options.body);
  let response;
  try {
    response = await fetch(path, { method, headers, body, credentials: "same-origin", signal: options.signal });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Unreachable();
  }
  const text = await response.text();
  let data = null;
  try {
    data = text ? JSON.parse(text) : null;
  } catch {
    data = null;
  }
  if (!response.ok) {
    if (response.status === 401 && !options.quiet) hooks.onSignedOut();
    throw new Problem(response.status, data);
  }
  // Two lists name their rows by what they are; every other list calls them `data`.
  const rows = data?.locations ?? data?.location_configurations;
  if (data && data.data === undefined && Array.isArray(rows)) data.data = rows;
  return { status: response.status, data, etag: response.headers.get("ETag"), headers: response.headers };
}

/** @param {string} path @param {Options} [options] */
export const get = (path, options) => request("GET", path, options);
/** @param {string} path @param {any} [body] @param {Options} [options] */
export const post = (path, body, options) => request("POST", path, { ...options, body });
/** @param {string} path @param {any} body @param {Options} [options] */
export const put = (path, body, options) => request("PUT", path, { ...options, body });
/** @param {string} path @param {any} body @param {Options} [options] */
export const patch = (path, body, options) => request("PATCH", path, { ...options, body });
/** @param {string} path @param {Options} [options] */
export const remove = (path, options) => request("DELETE", path, options);

/**
 * Has the browser keep the answer of a path as a file. A plain link would read the live world.
 * @param {string} path
 * @param {string} name
 */
export async function download(path, name) {
  let response;
  let content;
  try {
    response = await fetch(path, { headers: { "Dockside-World": world.get() }, credentials: "same-origin" });
    // An answer that is cut off fails here, so that no part of a file is kept as if it were whole.
    if (response.ok) content = await response.blob();
  } catch {
    throw new Unreachable();
  }
  if (!content) throw new Problem(response.status, await response.json().catch(() => null));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has opened the address by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Adds parameters to a path. Lists become several parameters of the same name.
 * @param {string} path
 * @param {Record<string, any>} parameters
 */
export function withQuery(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null || value === "") continue;
    query.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  const text = query.toString();
  return text ? `${path}${path.includes("?") ? "&" : "?"}${text}` : path;
}

/**
 * Reads a whole list, page by page, up to a bound.
 * @param {string} path
 * @param {number} [most]
 * @returns {Promise<any[]>}
 */
export async function all(path, most = 500) {
  const rows = [];
  let cursor = "";
  do {
    const { data } = await get(withQuery(path, { limit: 100, cursor }));
    rows.push(...data.data);
    cursor = data.next_cursor;
  } while (cursor && rows.length < most);
  return rows;
}
