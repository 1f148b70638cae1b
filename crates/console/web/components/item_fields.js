// The fields of an item, for forms.
import { minor, minorDigits } from "../app/format.js";
import { COUNTRIES } from "./address_fields.js";
import { LIST, NUMBER } from "./edit_dialog.js";

/** @type {import("./edit_dialog.js").FormField[]} */
export const ITEM_FIELDS = [
  { name: "name", label: "Name", required: true, whole: true },
  { name: "sku", label: "SKU", required: true, mono: true },
  { name: "barcodes", label: "Barcodes", mono: true, hint: "Separated by commas.", ...LIST },
  { name: "mass", label: "Mass", type: "number", step: "any", suffix: "kg", ...NUMBER },
  { name: "currency_code", label: "Currency", placeholder: "GBP", initial: "GBP" },
  { name: "unit_value", label: "Worth of one", type: "text", from: (value, item) => (value === null || value === undefined ? "" : (value / 10 ** minorDigits(item.currency_code ?? "GBP")).toFixed(minorDigits(item.currency_code ?? "GBP"))), to: (text, draft) => (text === "" ? null : minor(text, draft.currency_code || "GBP")) },
  { name: "hs_code", label: "Tariff code", need: "for customs", mono: true, placeholder: "6, 8 or 10 digits" },
  { name: "origin_country_code", label: "Made in", type: "select", options: COUNTRIES },
  { name: "customs_description", label: "Description for customs", whole: true },
  { name: "dimensions.length", label: "Length", type: "number", step: "any", suffix: "cm", ...NUMBER },
  { name: "dimensions.width", label: "Width", type: "number", step: "any", suffix: "cm", ...NUMBER },
  { name: "dimensions.height", label: "Height", type: "number", step: "any", suffix: "cm", ...NUMBER },
  { name: "tags", label: "Tags", hint: "Separated by commas. Shipping rules can ask for them.", ...LIST },
  { name: "ships_alone", label: "Ships alone, in a package of its own", type: "check" },
  { name: "keep_upright", label: "Must stay upright", type: "check" },
];
