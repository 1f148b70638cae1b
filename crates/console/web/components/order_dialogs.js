// Short dialogs of an order: a note, and the end of an exception.
import { html } from "../app/html.js";
import { EditDialog } from "./edit_dialog.js";

/** @param {{ order: any, onClose: () => void, onDone: () => void }} props */
export const NoteDialog = ({ order, onClose, onDone }) => html`<${EditDialog} title="Add a note" verb="Add the note" path=${`/orders/${order.id}/notes`} fields=${[
  { name: "text", label: "Note", type: "area", required: true },
  { name: "is_for_customer", label: "The customer may see it", type: "check" },
]} onClose=${onClose} onDone=${onDone} />`;

/** @param {{ order: any, exception: any, onClose: () => void, onDone: () => void }} props */
export const ResolveDialog = ({ order, exception, onClose, onDone }) => html`<${EditDialog} title="Resolve the exception" verb="Resolve" path=${`/orders/${order.id}/exceptions/${exception.id}/resolve`} note=${html`<p>${exception.message}</p>`} fields=${[
  { name: "note", label: "What was done", need: "kept with the order", type: "area" },
]} onClose=${onClose} onDone=${onDone} />`;
