// How each state is shown: its colour, its shape and its word. The tones mean the same on every page.
import { words } from "./format.js";

/** @type {Record<string, [tone: string, icon: string, word?: string]>} */
const STATES = {
  // Orders and their fulfilment.
  draft: ["", "edit"],
  committed: ["accent", "s-ring", "Committed"],
  fulfilled: ["good", "check"],
  cancelled: ["", "x"],
  unallocated: ["", "s-none"],
  partially_allocated: ["warn", "s-half", "Partly allocated"],
  allocated: ["accent", "s-ring"],
  partially_shipped: ["info", "s-half", "Partly shipped"],
  shipped: ["good", "s-full"],
  partially_delivered: ["info", "s-half", "Partly delivered"],
  delivered: ["good", "check"],
  on_hold: ["warn", "pause"],
  late: ["bad", "clock"],
  // Shipments, batches, purchases.
  rated: ["accent", "s-ring"],
  open: ["accent", "s-ring"],
  purchasing: ["info", "s-move"],
  purchased: ["good", "check"],
  partially_purchased: ["warn", "s-half", "Partly purchased"],
  purchase_failed: ["bad", "x", "Not bought"],
  voided: ["", "x"],
  ready: ["", "s-none", "Queued"],
  calling: ["info", "s-move"],
  checking: ["info", "s-move"],
  needs_review: ["review", "review", "Outcome unknown"],
  bought: ["good", "check"],
  failed: ["bad", "x"],
  voiding: ["info", "s-move"],
  // Tracking.
  unknown: ["", "s-none", "No scan yet"],
  pre_transit: ["", "s-ring", "Before transit"],
  in_transit: ["info", "s-move"],
  out_for_delivery: ["info", "truck"],
  available_for_pickup: ["warn", "pin", "Wants collecting"],
  return_to_sender: ["bad", "undo", "On its way back"],
  failure: ["bad", "x", "Delivery failed"],
  // Waves.
  queued: ["", "s-none"],
  running: ["info", "s-move"],
  cancelling: ["warn", "s-move"],
  completed: ["good", "check"],
  pending: ["", "s-none"],
  done: ["good", "check"],
  awaiting_content: ["", "s-none", "Waits for its file"],
  exception: ["bad", "x"],
  // Manifests, printing, webhooks, users.
  creating: ["info", "s-move"],
  created: ["good", "check"],
  sending: ["info", "s-move"],
  printed: ["good", "check"],
  uncertain: ["review", "review"],
  succeeded: ["good", "check"],
  retrying: ["warn", "s-move"],
  active: ["good", "check"],
  disabled: ["", "pause"],
  invited: ["warn", "s-ring"],
  low: ["warn", "warn"],
};

/**
 * @param {string} state
 * @param {string} [kind] A state that means something else for this kind has a row `kind.state`.
 * @returns {{ tone: string, icon: string, word: string }}
 */
export function badgeOf(state, kind = "") {
  const [tone, icon, word] = STATES[`${kind}.${state}`] ?? STATES[state] ?? ["", "s-none"];
  return { tone, icon, word: word ?? words(state) };
}

/** What each cause of a failed purchase means, and what to do. */
export const CAUSES = /** @type {Record<string, [title: string, what: string, tone: string, icon: string]>} */ ({
  address_invalid: ["The carrier does not know the address", "Correct the address, then buy again. Nothing was charged.", "", "pin"],
  post_code_invalid: ["The post code is wrong", "Correct it, then buy again. Nothing was charged.", "", "pin"],
  customs_required: ["Customs data are missing", "Fill in tariff codes and origins of the items, then buy again.", "warn", "manifests"],
  insufficient_funds: ["No credit at the carrier", "Add credit to the account at the carrier, then buy again.", "", "stop"],
  credentials_invalid: ["The account is refused", "Check the account’s credentials under Carriers, then buy again.", "", "key"],
  rate_expired: ["The price ran out", "Ask for rates again, then buy at the new price.", "warn", "clock"],
  rates_unavailable: ["No carrier offers a price", "Check mass, dimensions and destination, then ask again.", "warn", "truck"],
  service_unavailable: ["The service does not go there", "Choose another service.", "warn", "truck"],
  weight_limit: ["Too heavy for the service", "Choose another service, or pack into more parcels.", "warn", "shipments"],
  dimensions_limit: ["Too large for the service", "Choose another service, or a smaller package.", "warn", "shipments"],
  option_unavailable: ["The service lacks an option", "Take the option away, or choose another service.", "warn", "setup"],
  label_format_unavailable: ["The label format is not offered", "Choose another format.", "warn", "print"],
  purchase_declined: ["The carrier declined", "Read the carrier’s message below. Nothing was charged.", "", "x"],
  provider_timeout: ["The carrier did not answer in time", "Nothing was charged. Buy again.", "warn", "clock"],
  provider_unavailable: ["The carrier can’t be reached", "Nothing was charged. Buy again later.", "warn", "clock"],
  outcome_unknown: ["Nobody knows whether it was bought", "It may be charged, so it is not bought again by itself.", "review", "review"],
  duplicate_purchase_voided: ["Bought twice, one was voided", "Check the carrier’s invoice.", "warn", "warn"],
  insufficient_stock: ["Stock is short", "Count the shelf or plan the order again.", "warn", "stock"],
  order_on_hold: ["The order is on hold", "Release it, then buy again.", "warn", "pause"],
  order_cancelled: ["The order was cancelled", "Take the shipment out.", "warn", "x"],
  order_blocked: ["The order has an open exception", "Resolve it on the order’s page, then buy again.", "warn", "warn"],
});
