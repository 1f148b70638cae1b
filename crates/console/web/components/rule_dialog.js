// Making and editing a shipping rule.
import { html } from "../app/html.js";
import { minor, minorDigits } from "../app/format.js";
import { EditDialog, LIST, NUMBER } from "./edit_dialog.js";
import { useAll, useLocations } from "./places.js";

const OPTIONAL_LIST = { from: LIST.from, to: (/** @type {any} */ text) => (LIST.to(text).length ? LIST.to(text) : null) };

/** Which kind of choice a rule makes. @param {any} action */
const choiceOf = (action) => (action?.hold ? "hold" : action?.service ? "service" : (action?.choose?.by ?? "none"));

/**
 * The whole of a rule's action, from the fields of the form. An edited rule must not keep parts that another choice had.
 * @param {any} body
 * @param {any} old
 */
function shape(body, old) {
  const { choice, account, service, days, reason, ...rest } = body;
  if (choice === undefined && account === undefined && service === undefined && days === undefined && reason === undefined) return rest;
  const before = old?.action ?? {};
  const chosen = choice ?? choiceOf(before);
  const action = { ...(rest.action ?? {}), hold: null, service: null, choose: null };
  if (chosen === "hold") action.hold = { reason: reason ?? before.hold?.reason ?? "" };
  else if (chosen === "service") action.service = { carrier_account: account ?? before.service?.carrier_account ?? "", carrier_service: service ?? before.service?.carrier_service ?? "" };
  else if (chosen !== "none") action.choose = { by: chosen, ...(chosen === "cheapest_within_days" ? { days: days ?? before.choose?.days ?? 3 } : {}) };
  if (!old) for (const key of ["hold", "service", "choose"]) if (action[key] === null) delete action[key];
  return { ...rest, action };
}

/** @param {{ rule?: any, etag?: string | null, onClose: () => void, onDone: () => void }} props */
export function RuleDialog({ rule, etag, onClose, onDone }) {
  const accounts = useAll("/carrier_accounts", "carriers:read");
  const packages = useAll("/package_types", "package_types:read");
  const printers = useAll("/printers", "printers:read");
  const locations = useLocations();
  const base = rule && { ...rule, choice: choiceOf(rule.action), account: rule.action.service?.carrier_account ?? "", service: rule.action.service?.carrier_service ?? "", days: rule.action.choose?.days ?? 3, reason: rule.action.hold?.reason ?? "" };
  const is = (/** @type {string} */ choice) => (/** @type {any} */ draft) => draft.choice === choice;
  /** @type {import("./edit_dialog.js").FormField[]} */
  const fields = [
    { name: "name", label: "Name", required: true, whole: true, placeholder: "Germany, cheapest within 3 days" },
    { name: "conditions.destination_countries", label: "Goes to", hint: "Codes of countries, such as DE, AT. Empty: anywhere.", ...OPTIONAL_LIST },
    { name: "conditions.post_code_prefixes", label: "Post code begins with", hint: "Such as LS, BS1.", ...OPTIONAL_LIST },
    { name: "conditions.mass.min", label: "Weighs at least", type: "number", step: "any", suffix: "kg", ...NUMBER },
    { name: "conditions.mass.max", label: "Weighs at most", type: "number", step: "any", suffix: "kg", ...NUMBER },
    { name: "conditions.item_tags", label: "An item has the tag", ...OPTIONAL_LIST },
    { name: "conditions.skus", label: "Holds one of the SKUs", mono: true, ...OPTIONAL_LIST },
    { name: "conditions.channels", label: "Channel", ...OPTIONAL_LIST },
    { name: "conditions.requested_services", label: "Customer asked for", ...OPTIONAL_LIST },
    { name: "conditions.order_tags", label: "The order has the tag", ...OPTIONAL_LIST },
    { name: "conditions.origin_location_ids", label: "Leaves from", type: "select", options: [["", "Anywhere"], ...locations.map((one) => /** @type {[string, string]} */ ([one.id, one.name]))], from: (value) => value?.[0] ?? "", to: (text) => (text ? [text] : null) },
    { name: "conditions.weekdays", label: "On", hint: "Of mon, tue, wed, thu, fri, sat, sun.", ...OPTIONAL_LIST },
    { name: "choice", label: "Then", type: "select", initial: "cheapest", options: [["cheapest", "Choose the cheapest service"], ["fastest", "Choose the fastest service"], ["cheapest_within_days", "Choose the cheapest within some days"], ["service", "Ship by one service"], ["hold", "Hold the order"], ["none", "Leave the service to other rules"]] },
    { name: "days", label: "Days at most", type: "number", initial: 3, when: is("cheapest_within_days"), ...NUMBER, from: (value) => value ?? 3 },
    { name: "account", label: "Account", type: "select", when: is("service"), options: [["", "Choose"], ...accounts.map((one) => /** @type {[string, string]} */ ([one.id, one.name]))] },
    { name: "service", label: "Service", mono: true, when: is("service"), placeholder: "standard" },
    { name: "reason", label: "Reason of the hold", when: is("hold") },
    { name: "action.options.signature_type", label: "Signature", type: "select", options: [["", "As usual"], ["standard", "Standard"], ["adult", "Adult"], ["direct", "Direct"], ["none", "None"]] },
    { name: "action.options.label_format", label: "Label format", type: "select", options: [["", "As usual"], ["png", "PNG"], ["pdf", "PDF"], ["zpl", "ZPL"]] },
    { name: "action.options.insure_from", label: "Insure from a value of", suffix: "GBP", from: (value) => (value ? (value.value / 10 ** minorDigits(value.currency_code)).toFixed(2) : ""), to: (text) => (text === "" ? null : { value: minor(text, "GBP"), currency_code: "GBP" }) },
    { name: "action.package_type_id", label: "Package", type: "select", options: [["", "What fits"], ...packages.map((one) => /** @type {[string, string]} */ ([one.id, one.name]))] },
    { name: "action.printer_id", label: "Printer", type: "select", options: [["", "The default"], ...printers.map((one) => /** @type {[string, string]} */ ([one.id, one.name]))] },
    { name: "is_active", label: "The rule applies", type: "check", initial: true, from: (value) => value !== false },
  ];
  return html`<${EditDialog} title=${rule ? `Edit ${rule.name}` : "New rule"} path=${rule ? `/shipping_rules/${rule.id}` : "/shipping_rules"} base=${base} etag=${etag} fields=${fields} shape=${(/** @type {any} */ body) => shape(body, rule)} onClose=${onClose} onDone=${onDone} />`;
}
