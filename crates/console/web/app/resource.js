// Reading resources: once, and again when an event says that they changed. While the stream is down, every 30 seconds.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get } from "./api.js";
import { onEvent, onGap, streamState } from "./stream.js";

/** The time between two readings of the same resource, in milliseconds. */
const PAUSE_MS = 1000;
/** How often a page reads anew while no events arrive, in milliseconds. */
const POLL_MS = 30_000;

/**
 * Calls `read` when a matching event arrives, at most once in `PAUSE_MS`, and regularly while the stream is down.
 * @param {() => void} read
 * @param {((event: import("./stream.js").StreamEvent) => boolean) | null} matches
 */
export function useRefresh(read, matches) {
  const latest = useRef({ read, matches });
  latest.current = { read, matches };
  useEffect(() => {
    let last = 0;
    let timer = 0;
    const soon = () => {
      if (timer) return;
      timer = setTimeout(() => {
        timer = 0;
        last = Date.now();
        latest.current.read();
      }, Math.max(80, last + PAUSE_MS - Date.now()));
    };
    const stopEvents = onEvent((event) => latest.current.matches?.(event) && soon());
    const stopGaps = onGap(soon);
    const poll = setInterval(() => streamState.get() !== "up" && !document.hidden && soon(), POLL_MS);
    return () => {
      stopEvents();
      stopGaps();
      clearInterval(poll);
      clearTimeout(timer);
    };
  }, []);
}

/**
 * A resource that is shown: its value, its tag, and how to read it again. While it is read again the old value stays.
 * @param {string | null} path
 * @param {((event: import("./stream.js").StreamEvent) => boolean) | null} [matches]
 * @returns {{ data: any, etag: string | null, error: any, reload: () => Promise<void>, set: (data: any, etag?: string | null) => void }}
 */
export function useResource(path, matches = null) {
  const [state, setState] = useState(/** @type {any} */ ({ path: null, data: undefined, etag: null, error: null }));
  const current = useRef(path);
  current.current = path;
  const reload = useCallback(async () => {
    if (!path) return;
    try {
      const { data, etag } = await get(path);
      if (current.current === path) setState({ path, data, etag, error: null });
    } catch (error) {
      // What was read before stays: a page does not go blank because the network failed for a moment.
      if (current.current === path) setState((/** @type {any} */ old) => (old.path === path && old.data !== undefined ? { ...old, error } : { path, data: undefined, etag: null, error }));
    }
  }, [path]);
  useEffect(() => {
    reload();
  }, [reload]);
  useRefresh(reload, matches);
  const set = useCallback((/** @type {any} */ data, /** @type {any} */ etag = null) => setState({ path: current.current, data, etag, error: null }), []);
  const mine = state.path === path ? state : { data: undefined, etag: null, error: null };
  return { data: mine.data, etag: mine.etag, error: mine.error, reload, set };
}

/**
 * A page of a list. Rows change in place as events arrive; new ones are counted and wait until the viewer asks.
 * @param {string} path The path with its filters.
 * @param {{ kind?: string, also?: string[] }} [options] `kind` is the resource in event types, such as `order`.
 */
export function useList(path, { kind, also = [] } = {}) {
  const [fresh, setFresh] = useState(0);
  const [changed, setChanged] = useState(/** @type {Set<string>} */ (new Set()));
  const list = useResource(path, (event) => also.some((prefix) => event.type.startsWith(`${prefix}.`)));
  const rows = useRef(/** @type {any[]} */ ([]));
  rows.current = list.data?.data ?? [];
  useEffect(() => setFresh(0), [path]);
  useEffect(() => {
    if (!kind) return undefined;
    return onEvent((event) => {
      if (!event.type.startsWith(`${kind}.`)) return;
      const object = event.data?.object;
      if (!object?.id) return;
      if (event.type === `${kind}.created` && !rows.current.some((row) => row.id === object.id)) {
        setFresh((old) => old + 1);
        return;
      }
      if (!rows.current.some((row) => row.id === object.id)) return;
      setChanged(new Set([object.id]));
      // A large event is only a reference to its object.
      if (event.type === `${kind}.deleted` || object.created_at === undefined) list.reload();
      else list.set({ ...list.data, data: rows.current.map((row) => (row.id === object.id ? { ...row, ...object } : row)) });
    });
  });
  const reload = () => {
    setFresh(0);
    return list.reload();
  };
  return { ...list, rows: /** @type {any[] | undefined} */ (list.data?.data), next: list.data?.next_cursor, previous: list.data?.previous_cursor, fresh, changed, reload };
}

/** Whether an event is of one of these kinds. @param {string[]} kinds */
export const of = (...kinds) => (/** @type {{ type: string }} */ event) => kinds.some((kind) => event.type.startsWith(`${kind}.`));
