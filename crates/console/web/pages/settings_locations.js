// Locations, and configurations that pair an origin with a return address.
import { html } from "../app/html.js";
import { words } from "../app/format.js";
import { Tag, TagList, Time } from "../components/basics.js";
import { town } from "../components/address.js";
import { addressFields } from "../components/address_fields.js";
import { Crud } from "../components/crud.js";
import { LIST, NUMBER } from "../components/edit_dialog.js";
import { useLocations } from "../components/places.js";

/** @type {import("../components/crud.js").Kind} */
const LOCATIONS = {
  path: "/locations",
  kind: "location",
  scope: "locations",
  noun: "location",
  title: "Locations",
  sub: "Places that parcels leave from",
  empty: "Make the first place that parcels leave from.",
  warn: "Its stock levels go, too. A location that a configuration or a rule names can’t be deleted.",
  columns: [
    { name: "Name", place: "a1", wrap: true, cell: (row) => html`<bdi>${row.name}</bdi>` },
    { name: "Where", place: "a3", wrap: true, cell: (row) => html`<bdi>${row.address.address.line_1}</bdi><span class="sub"><bdi>${town(row.address)}</bdi></span>` },
    { name: "Time zone", at: "p2", cell: (row) => row.time_zone ?? "–" },
    { name: "Tags", at: "p3", wrap: true, cell: (row) => html`<${TagList} codes=${row.tags} />` },
    { name: "Changed", at: "p3", cell: (row) => html`<${Time} at=${row.updated_at} />` },
  ],
  fields: [
    { name: "name", label: "Name of the location", required: true, whole: true, placeholder: "Bristol depot" },
    ...addressFields("address."),
    { name: "time_zone", label: "Time zone", placeholder: "Europe/London" },
    { name: "tags", label: "Tags", hint: "Separated by commas, such as accepts_returns.", ...LIST },
    { name: "coordinates.latitude", label: "Latitude", need: "optional", type: "number", step: "any", ...NUMBER },
    { name: "coordinates.longitude", label: "Longitude", need: "optional", type: "number", step: "any", ...NUMBER },
  ],
};

export const Locations = () => html`<${Crud} of=${LOCATIONS} />`;

export function Configurations() {
  const locations = useLocations();
  const options = /** @type {[string, string][]} */ ([["", "Choose"], ...locations.map(({ id, name }) => [id, name])]);
  const id = { from: (/** @type {any} */ value) => value ?? "", to: (/** @type {any} */ text) => text || null };
  return html`<${Crud} of=${{
    path: "/location_configurations",
    kind: "location_configuration",
    scope: "location_configurations",
    noun: "configuration",
    title: "Configurations",
    sub: "Where parcels start, where they come back to, and when the van leaves",
    empty: "Shipments name a configuration, and copy both of its addresses.",
    columns: [
      { name: "Name", place: "a1", wrap: true, cell: (/** @type {any} */ row) => html`<bdi>${row.name}</bdi>${row.is_default && html` <${Tag} tone="accent">default<//>`}` },
      { name: "From", place: "a3", wrap: true, cell: (/** @type {any} */ row) => html`<bdi>${row.locations.origin.name}</bdi>` },
      { name: "Returns to", at: "p2", wrap: true, cell: (/** @type {any} */ row) => html`<bdi>${row.locations.return.name}</bdi>` },
      { name: "Closes", place: "a2", cell: (/** @type {any} */ row) => (row.closing ? `${row.closing.time}` : "–") },
      { name: "Stock leaves on", at: "p3", cell: (/** @type {any} */ row) => words(row.complete_allocations_on) },
    ],
    fields: [
      { name: "name", label: "Name", required: true, whole: true },
      { name: "locations.origin.id", label: "From", type: "select", options, ...id },
      { name: "locations.return.id", label: "Returns to", type: "select", options, ...id },
      { name: "closing.time", label: "Manifests close at", need: "optional", type: "time" },
      { name: "closing.time_zone", label: "In the time zone", placeholder: "Europe/London" },
      { name: "complete_allocations_on", label: "Stock leaves the books on", type: "select", initial: "purchase", options: [["purchase", "Purchase of the label"], ["hand_over", "Hand over to the carrier"]] },
      { name: "is_default", label: "Use it where a shipment names none", type: "check" },
    ],
  }} />`;
}
