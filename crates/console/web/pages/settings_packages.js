// Package types: the boxes that the packer may choose from.
import { html } from "../app/html.js";
import { dimensions, mass, minor, minorDigits, money } from "../app/format.js";
import { Badge } from "../components/basics.js";
import { Crud } from "../components/crud.js";
import { NUMBER } from "../components/edit_dialog.js";

const side = (/** @type {string} */ name, /** @type {string} */ label) => ({ name: `inner_dimensions.${name}`, label, type: "number", step: "any", suffix: "cm", required: true, ...NUMBER });

/** @type {import("../components/crud.js").Kind} */
const PACKAGES = {
  path: "/package_types",
  kind: "package_type",
  scope: "package_types",
  noun: "package type",
  title: "Package types",
  sub: "Boxes and envelopes that orders are packed into",
  empty: "With package types, units are packed into the fewest and cheapest boxes by themselves.",
  columns: [
    { name: "Name", place: "a1", wrap: true, cell: (row) => html`<bdi>${row.name}</bdi><span class="sub mono">${row.handle}</span>` },
    { name: "Inside", place: "a3", cell: (row) => dimensions(row.inner_dimensions) },
    { name: "Empty", end: true, at: "p2", cell: (row) => mass(row.tare_mass) },
    { name: "At most", end: true, at: "p2", cell: (row) => mass(row.mass_max) },
    { name: "Cost", end: true, place: "a2", cell: (row) => (row.cost ? money(row.cost.amount, row.cost.currency_code) : "–") },
    { name: "State", place: "a4", cell: (row) => html`<${Badge} state=${row.is_active === false ? "disabled" : "active"} />` },
  ],
  fields: [
    { name: "name", label: "Name", required: true, placeholder: "Box M" },
    { name: "handle", label: "Handle", required: true, mono: true, placeholder: "box-m", hint: "By which programs name it." },
    { name: "kind", label: "Kind", type: "select", initial: "box", options: [["box", "Box"], ["envelope", "Envelope"]] },
    side("length", "Length inside"),
    side("width", "Width inside"),
    side("height", "Height inside"),
    { name: "tare_mass", label: "Mass when empty", type: "number", step: "any", suffix: "kg", ...NUMBER },
    { name: "mass_max", label: "Holds at most", type: "number", step: "any", suffix: "kg", ...NUMBER },
    { name: "cost.currency_code", label: "Currency of its cost", placeholder: "GBP" },
    { name: "cost.amount", label: "Cost of one", from: (value, row) => (value === null || value === undefined ? "" : (value / 10 ** minorDigits(row.cost?.currency_code ?? "GBP")).toFixed(2)), to: (text, draft) => (text === "" ? null : minor(text, draft["cost.currency_code"] || "GBP")) },
    { name: "is_active", label: "May be used", type: "check", initial: true },
  ],
};

export const Packages = () => html`<${Crud} of=${PACKAGES} />`;
