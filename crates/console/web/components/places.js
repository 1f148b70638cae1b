// Names of things that others refer to by their identifiers: locations, items, accounts. Read once for all pages.
import { useEffect, useState } from "../app/html.js";
import { all, get } from "../app/api.js";
import { can } from "../app/session.js";
import { world } from "../app/world.js";

/** @type {Map<string, Promise<any[]>>} */
const lists = new Map();
/** @type {Map<string, Promise<any>>} */
const items = new Map();
world.follow(() => {
  lists.clear();
  items.clear();
});

/** Forgets a list, because it was changed. @param {string} path */
export const forget = (path) => lists.delete(path);

/**
 * A whole list, such as all locations. Empty without the scope, and until it is read.
 * @param {string} path
 * @param {string} scope
 * @returns {any[]}
 */
export function useAll(path, scope) {
  const [rows, setRows] = useState(/** @type {any[]} */ ([]));
  useEffect(() => {
    if (!can(scope)) return undefined;
    let isGone = false;
    if (!lists.has(path)) {
      const reading = all(path);
      reading.catch(() => lists.delete(path));
      lists.set(path, reading);
    }
    lists.get(path)?.then((found) => !isGone && setRows(found), () => {});
    return () => {
      isGone = true;
    };
  }, [path]);
  return rows;
}

export const useLocations = () => useAll("/locations", "locations:read");

/** Returns how to name a location. */
export function useLocationName() {
  const locations = useLocations();
  return (/** @type {string | null | undefined} */ id) => locations.find((location) => location.id === id)?.name ?? id ?? "";
}

/**
 * Reads items by their identifiers, each once.
 * @param {string[]} ids
 * @returns {Map<string, any>}
 */
export function useItems(ids) {
  const [found, setFound] = useState(/** @type {Map<string, any>} */ (new Map()));
  const wanted = [...new Set(ids)].sort().join(" ");
  useEffect(() => {
    if (!wanted || !can("inventory:read")) return undefined;
    let isGone = false;
    const reading = wanted.split(" ").map((id) => {
      let item = items.get(id);
      if (!item) {
        item = get(`/inventory_items/${id}`).then(({ data }) => data, () => null);
        items.set(id, item);
      }
      return item;
    });
    Promise.all(reading).then((list) => !isGone && setFound(new Map(list.filter(Boolean).map((item) => [item.id, item]))));
    return () => {
      isGone = true;
    };
  }, [wanted]);
  return found;
}
