// Putting orders on hold, with a reason.
import { html, useState } from "../app/html.js";
import { post } from "../app/api.js";
import { useAction } from "../app/action.js";
import { plural } from "../app/format.js";
import { Button, ProblemNotice } from "./basics.js";
import { Dialog } from "./dialog.js";
import { Field } from "./form.js";

/** @param {{ orders: any[], onClose: () => void, onDone: () => void }} props */
export function HoldDialog({ orders, onClose, onDone }) {
  const [reason, setReason] = useState("");
  const [until, setUntil] = useState("");
  const { run, isBusy, problem } = useAction(
    async (key) => {
      const body = { reason, until: until ? new Date(until).toISOString() : null };
      for (const [place, order] of orders.entries()) await post(`/orders/${order.id}/hold`, body, { key: `${key}-${place}` });
      return true;
    },
    { done: `${plural(orders.length, "order")} on hold.`, shows: true },
  );
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await run()) onDone();
  };
  return html`<${Dialog} title=${`Hold ${plural(orders.length, "order")}`} onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="hold-form" busy=${isBusy}>Hold<//>`}>
    <form id="hold-form" class="stack loose" onSubmit=${submit}>
      <p class="soft">An order on hold is not planned, and its shipments are not bought, until it is released.</p>
      <${Field} label="Reason" name="reason" required value=${reason} onChange=${setReason} problem=${problem} placeholder="Customer asked to wait" />
      <${Field} label="Until" need="ends by itself then" name="until" type="datetime-local" value=${until} onChange=${setUntil} problem=${problem} />
      <${ProblemNotice} error=${problem} />
    </form>
  <//>`;
}
