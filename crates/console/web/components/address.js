// Postal addresses as people write them.
import { html } from "../app/html.js";
import { country } from "../app/format.js";

/** Where the post code stands behind the town. */
const CODE_LAST = new Set(["GB", "IE", "US", "CA", "AU", "NZ", "IN", "JP"]);

/** @param {{ record: any }} props */
export function Address({ record }) {
  if (!record) return html`<span class="soft">none</span>`;
  const { address, contact } = record;
  const lines = [contact?.name, contact?.company, address?.line_1, address?.line_2, address?.line_3, (CODE_LAST.has(address?.country_code) ? [address?.city, address?.post_code] : [address?.post_code, address?.city]).filter(Boolean).join(" "), address?.province, country(address?.country_code)].filter(Boolean);
  return html`<address class="address">${lines.map((line, place) => html`<bdi key=${place}>${line}</bdi><br />`)}</address>`;
}

/** The town and the country: "Leeds, GB". @param {any} record */
export const town = (record) => [record?.address?.city, record?.address?.country_code].filter(Boolean).join(", ");

/** The person or company at an address. @param {any} record */
export const person = (record) => record?.contact?.name ?? record?.contact?.company ?? record?.display_name ?? "";
