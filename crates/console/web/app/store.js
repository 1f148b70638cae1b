// A value that components can follow.
import { useEffect, useState } from "preact/hooks";

/**
 * @template T
 * @param {T} initial
 */
export function createStore(initial) {
  let value = initial;
  /** @type {Set<(value: T) => void>} */
  const followers = new Set();
  return {
    get: () => value,
    /** @param {T} next */
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const follower of [...followers]) follower(value);
    },
    /** @param {(value: T) => void} follower */
    follow(follower) {
      followers.add(follower);
      return () => {
        followers.delete(follower);
      };
    },
  };
}

/**
 * @template T
 * @param {{ get: () => T, follow: (follower: (value: T) => void) => () => void }} store
 * @returns {T}
 */
export function useStore(store) {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    setValue(() => store.get());
    return store.follow((next) => setValue(() => next));
  }, [store]);
  return value;
}
