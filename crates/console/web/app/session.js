// Who is signed in, and what they may do. What the scopes do not allow is not offered.
import { get, hooks, post, Problem, remove } from "./api.js";
import { currentPlace, go } from "./router.js";
import { createStore, useStore } from "./store.js";

/**
 * @typedef {{ organisation: { id: string, name: string }, user: { id: string, name?: string | null, email_address?: string | null, has_password?: boolean },
 *   world: string, scopes: string[], roles?: string[], session?: { id: string, began_with: string, expires_at: string }, channels: string[] }} Me
 */

/** `undefined` before it is known, `null` if nobody is signed in. */
export const me = createStore(/** @type {Me | null | undefined} */ (undefined));
export const useMe = () => useStore(me);

/** Reads who is signed in, in the current world. */
export async function load() {
  try {
    const { data } = await get("/me", { quiet: true });
    me.set(data);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status !== 401 && error.status !== 403) throw error;
    me.set(null);
  }
}

/**
 * Returns whether the viewer has a scope, such as `orders:write`.
 * @param {string} scope
 */
export function can(scope) {
  const scopes = me.get()?.scopes ?? [];
  return scopes.includes(scope) || scopes.includes("*");
}

/** @param {string[]} scopes */
export const canAny = (...scopes) => scopes.some(can);

/** @param {{ email_address: string, password: string } | { link_token: string } | { passkey: any }} proof */
export async function signIn(proof) {
  const { data } = await post("/sessions", proof, { quiet: true });
  await load();
  return data;
}

export async function signOut() {
  await remove("/sessions/current");
  me.set(null);
  go("/sign-in");
}

hooks.onSignedOut = () => {
  if (me.get() === null) return;
  me.set(null);
  const { path, query } = currentPlace();
  if (path.startsWith("/sign-in")) return;
  const text = query.toString();
  go(`/sign-in?next=${encodeURIComponent(text ? `${path}?${text}` : path)}`, { replace: true });
};
