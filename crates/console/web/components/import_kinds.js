// What pages about imports share: the kinds of rows, and sending a file.
import { post, withQuery } from "../app/api.js";
import { count, words } from "../app/format.js";

/** What the rows of a file become: the words for it, and the scope to write it. */
export const TYPES = /** @type {[type: string, name: string, scope: string][]} */ ([
  ["orders", "Orders", "orders:write"],
  ["inventory_items", "Items", "inventory:write"],
  ["inventory_levels", "Stock levels", "inventory:write"],
  ["locations", "Locations", "locations:write"],
  ["package_types", "Package types", "package_types:write"],
  ["shipments", "Shipments", "shipments:write"],
]);

/** @param {string} type */
export const nameOfType = (type) => TYPES.find(([key]) => key === type)?.[1] ?? words(type);

/** What a file was sent with. A check keeps it while the page is open, so that the same file can be imported after it. */
export const sent = /** @type {Map<string, { file: File, options: Record<string, any> }>} */ (new Map());

/**
 * Sends a file, and returns the id of its import.
 * @param {File} file
 * @param {Record<string, any>} options
 * @param {string} key
 */
export async function send(file, options, key) {
  const { data } = await post(withQuery("/imports", options), file, { key });
  sent.set(data.id, { file, options });
  return data.id;
}

/** What came of the rows, in words. @param {any} row */
export const resultOf = (row) => [[row.created_count, "created"], [row.updated_count, "updated"], [row.unchanged_count, "unchanged"], [row.skipped_count, "skipped"]].filter(([value]) => value > 0).map(([value, word]) => `${count(value)} ${word}`).join(", ") || "nothing so far";
