// Correcting where a shipment goes, before it is bought.
import { html } from "../app/html.js";
import { addressFields } from "./address_fields.js";
import { EditDialog } from "./edit_dialog.js";

/** @param {{ shipment: any, etag: string | null, onClose: () => void, onDone: () => void }} props */
export const ShipmentEdit = ({ shipment, etag, onClose, onDone }) => html`<${EditDialog} title="Edit the destination" path=${`/shipments/${shipment.id}`} base=${shipment} etag=${etag} fields=${[{ name: "name", label: "Name of the shipment", whole: true }, ...addressFields("addresses.destination.")]} onClose=${onClose} onDone=${onDone} />`;
