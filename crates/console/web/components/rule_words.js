// Shipping rules in words.
import { country, mass, money } from "../app/format.js";

const list = (/** @type {string[]} */ words) => words.join(" or ");

/** @param {any} range @param {(value: number) => string} write */
function between(range, write) {
  if (range.min !== null && range.min !== undefined && range.max !== null && range.max !== undefined) return `between ${write(range.min)} and ${write(range.max)}`;
  return range.min !== null && range.min !== undefined ? `at least ${write(range.min)}` : `at most ${write(range.max)}`;
}

/** @param {any} conditions @returns {string[]} */
export function conditionTexts(conditions) {
  const texts = [];
  const c = conditions ?? {};
  if (c.destination_countries?.length) texts.push(`it goes to ${list(c.destination_countries.map(country))}`);
  if (c.post_code_prefixes?.length) texts.push(`the post code begins with ${list(c.post_code_prefixes)}`);
  if (c.mass) texts.push(`it weighs ${between(c.mass, mass)}`);
  if (c.order_value) texts.push(`the order is worth ${between(c.order_value, (value) => money(value, c.order_value.currency_code))}`);
  if (c.item_tags?.length) texts.push(`an item has the tag ${list(c.item_tags)}`);
  if (c.skus?.length) texts.push(`it holds ${list(c.skus)}`);
  if (c.channels?.length) texts.push(`the channel is ${list(c.channels)}`);
  if (c.requested_services?.length) texts.push(`the customer asked for ${list(c.requested_services)}`);
  if (c.order_tags?.length) texts.push(`the order has the tag ${list(c.order_tags)}`);
  if (c.weekdays?.length) texts.push(`it is ${list(c.weekdays)}`);
  if (c.time_window) texts.push(`it is between ${c.time_window.from} and ${c.time_window.until}`);
  if (c.origin_location_ids?.length) texts.push("it leaves from certain locations");
  if (c.dimensions) texts.push("its size is in range");
  return texts;
}

/** @param {any} action @param {(account: string) => string} [name] How an account is called. @returns {string} */
export function actionText(action, name = (account) => account) {
  const texts = [];
  if (action.hold) texts.push(`hold the order: ${action.hold.reason}`);
  if (action.service) texts.push(`ship by ${action.service.carrier_service} on ${name(action.service.carrier_account)}`);
  if (action.choose) texts.push({ cheapest: "choose the cheapest service", fastest: "choose the fastest service", cheapest_within_days: `choose the cheapest service within ${action.choose.days} days` }[/** @type {"cheapest"} */ (action.choose.by)]);
  const options = action.options ?? {};
  const shipping = options.shipping ?? options;
  if (shipping.signature_type) texts.push(`with signature (${shipping.signature_type})`);
  if (shipping.saturday_delivery) texts.push("with delivery on Saturday");
  const format = options.label_format ?? options.label?.format;
  if (format) texts.push(`labels as ${format.toUpperCase()}`);
  if (options.insure_from) texts.push(`insured from ${money(options.insure_from.value, options.insure_from.currency_code)} on`);
  if (options.insurance) texts.push(`insured for ${money(options.insurance.value, options.insurance.currency_code)}`);
  if (options.incoterm ?? action.customs?.incoterm) texts.push(`incoterm ${options.incoterm ?? action.customs.incoterm}`);
  if (action.package_type_id) texts.push("in a certain package");
  if (action.printer_id) texts.push("printed on a certain printer");
  return texts.join(", ");
}
