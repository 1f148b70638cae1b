// Editing an order: who it is for, where it goes and when.
import { html } from "../app/html.js";
import { addressFields } from "./address_fields.js";
import { EditDialog, LIST } from "./edit_dialog.js";

/** An instant as a field of a form shows it, in the viewer's zone. @param {any} value */
const local = (value) => {
  if (!value) return "";
  const date = new Date(value);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

/** @type {import("./edit_dialog.js").FormField[]} */
export const ORDER_FIELDS = [
  { name: "reference", label: "Reference" },
  { name: "channel", label: "Channel" },
  { name: "customer.name", label: "Customer" },
  { name: "customer.email_address", label: "Customer’s e-mail", type: "email" },
  { name: "ship_by", label: "Ship by", type: "datetime-local", from: local, to: (text) => (text ? new Date(text).toISOString() : null) },
  { name: "requested_service", label: "Asked for", placeholder: "Standard (2–3 days)" },
  { name: "tags", label: "Tags", hint: "Separated by commas.", whole: true, ...LIST },
];

/** @param {{ order: any, etag: string | null, onClose: () => void, onDone: () => void }} props */
export const OrderEdit = ({ order, etag, onClose, onDone }) => html`<${EditDialog} title=${`Edit order ${order.reference ?? ""}`} path=${`/orders/${order.id}`} base=${order} etag=${etag} fields=${[...ORDER_FIELDS, ...addressFields("destination.")]} onClose=${onClose} onDone=${onDone} />`;
