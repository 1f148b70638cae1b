// What the pack station shows: the verdict on the last scan, and what is still to come.
import { html } from "../app/html.js";
import { dimensions } from "../app/format.js";
import { Icon } from "./icon.js";

/** @param {{ tone: string, word: string, what: any, small?: any, then?: any }} props */
export function Verdict({ tone, word, what, small, then }) {
  const icon = tone === "wrong" ? "stop" : tone === "wait" ? "pack" : "check";
  return html`<section class=${`verdict ${tone}`} role=${tone === "wrong" ? "alert" : "status"} aria-label="Last scan"><p class="word"><${Icon} name=${icon} class="" />${word}</p><p class="what"><bdi>${what}</bdi>${small && html`<small>${small}</small>`}</p><p class="then">${then}</p></section>`;
}

/** What each result means to the packer. */
const RESULTS = /** @type {Record<string, [word: string, small: string]>} */ ({
  not_in_shipment: ["Not in this parcel", "Put it back."],
  already_packed: ["Too many", "All units of it are packed already. Put this one back."],
  wrong_package: ["Wrong parcel", "It belongs into another parcel of this shipment."],
  wrong_bin: ["Wrong bin", "Nothing that is missing lies there."],
  unknown_code: ["Unknown code", "No item and no bin has it."],
  ambiguous_code: ["Not clear", "Several items have this code. Scan the SKU."],
});

const BOUGHT = /** @type {Record<string, string>} */ ({ purchased: "The label is bought.", purchasing: "The label is being bought.", pending: "The label is being bought." });
const PRINTED = /** @type {Record<string, string>} */ ({ queued: "It is printing.", waiting: "It prints when it is there." });

/**
 * Puts the answer to a scan into words.
 * @param {any} answer
 * @param {Map<string, any>} items
 */
export function verdictOf(answer, items) {
  const item = items.get(answer.item_id);
  const what = item?.name ?? answer.code;
  if (answer.result === "bin_confirmed") return { tone: "right", word: "Right bin", what: answer.code, then: "Scan the item." };
  const wrong = RESULTS[answer.result];
  if (wrong) return { tone: "wrong", word: wrong[0], what, small: wrong[1], then: "Nothing was counted. Scan the right item to go on." };
  if (answer.is_complete) {
    const bought = answer.purchase?.problem?.message ?? BOUGHT[answer.purchase?.status] ?? "";
    const printed = answer.print?.problem?.message?.replaceAll("`", "") ?? PRINTED[answer.print?.status] ?? "";
    return { tone: "done", word: "All packed", what: "Close the box.", small: `${bought} ${printed}`, then: answer.print?.problem ? "Print the label from the shipment’s page, then scan the next order." : "Stick the label on, then scan the next order." };
  }
  const left = answer.packages.flatMap((/** @type {any} */ box) => box.items).filter((/** @type {any} */ one) => one.id === answer.item_id).reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.missing_quantity, 0);
  return { tone: "right", word: "Right", what, small: left > 0 ? `${left} more of the same.` : "All of these are packed.", then: `${answer.missing_quantity} to go.` };
}

/** @param {{ progress: any[], items: Map<string, any>, packed: number, all: number, shipment: any, last?: string }} props */
export function Contents({ progress, items, packed, all, shipment, last }) {
  return html`<section class="panel todo" aria-labelledby="inside"><header><h2 id="inside">In this parcel</h2><span class="spring"></span><span class="n">${packed}<small> of ${all}</small></span></header>
    <ul tabindex="0" aria-label="Items">${progress.flatMap((box) => box.items.map((/** @type {any} */ item) => html`<li key=${`${box.package}-${item.id}`} class=${item.missing_quantity === 0 ? "full" : item.id === last ? "now" : ""}><div><bdi>${items.get(item.id)?.name ?? item.id}</bdi><span class="sub">${progress.length > 1 ? `Parcel ${box.package} · ` : ""}<span class="mono">${items.get(item.id)?.sku ?? ""}</span></span></div><span class="n">${item.packed_quantity}<small> of ${item.quantity}</small></span></li>`))}</ul>
    <footer><${Icon} name="shipments" /><span>${shipment.packages.map((/** @type {any} */ box) => [box.name, dimensions(box.geometry)].filter(Boolean).join(", ")).filter(Boolean).join("; ") || "Any box that fits"}</span></footer>
  </section>`;
}
