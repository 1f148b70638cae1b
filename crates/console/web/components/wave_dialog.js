// Starting a wave: which orders, how far it goes, and whether it buys.
import { html, useState } from "../app/html.js";
import { post } from "../app/api.js";
import { useAction } from "../app/action.js";
import { plural, words } from "../app/format.js";
import { go } from "../app/router.js";
import { can } from "../app/session.js";
import { Button, ProblemNotice } from "./basics.js";
import { Dialog } from "./dialog.js";
import { Choices, Field } from "./form.js";
import { useLocations } from "./places.js";

/** The filters of the list of orders that a wave knows, too. */
const FILTERS = ["fulfilment_status", "customer", "email_address", "channel", "tags", "placed_after", "placed_before", "ship_by_before", "location_id", "sku"];

/** @param {{ orders: any[], filter: Record<string, any> | null, onClose: () => void }} props `orders`: these, or if there are none, those of the filter. */
export function WaveDialog({ orders, filter, onClose }) {
  const locations = useLocations();
  const [name, setName] = useState("");
  const [reach, setReach] = useState("batch");
  const [location, setLocation] = useState("");
  const chosen = Object.fromEntries(FILTERS.filter((key) => filter?.[key]).map((key) => [key, key === "tags" ? [filter?.[key]] : filter?.[key]]));
  const steps = { plan: ["plan"], batch: ["plan", "ship", "rate", "batch"], purchase: ["plan", "ship", "rate", "batch", "purchase"] }[reach];
  const { run, isBusy, problem } = useAction(
    (key) => post("/waves", {
      name: name.trim() || null,
      ...(orders.length ? { order_ids: orders.map((order) => order.id) } : { filter: chosen }),
      steps,
      location_ids: location ? [location] : null,
    }, { key }),
    { shows: true },
  );
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const answer = await run();
    if (answer?.data) go(`/waves/${answer.data.id}`);
  };
  const what = orders.length ? plural(orders.length, "order") : Object.keys(chosen).length ? `all open orders with ${Object.keys(chosen).map((key) => words(key).toLowerCase()).join(", ")} as in the list` : "all open orders";
  return html`<${Dialog} title="Start a wave" onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="wave-form" busy=${isBusy}>${reach === "purchase" ? "Start, and buy labels" : "Start the wave"}<//>`}>
    <form id="wave-form" class="stack loose" onSubmit=${submit}>
      <p>It takes <b>${what}</b>.</p>
      <${Field} label="Name" need="optional" name="name" value=${name} onChange=${setName} problem=${problem} placeholder="Thursday morning" />
      ${locations.length > 1 && html`<${Field} label="From" type="select" value=${location} onChange=${setLocation} options=${[["", "All locations"], ...locations.map((one) => [one.id, one.name])]} />`}
      <${Choices} legend="How far it goes" name="reach" value=${reach} onChange=${setReach} options=${[
        ["plan", "Allocate", "Choose for each order which location sends what. Nothing else happens."],
        ["batch", "Allocate, pack and batch", "Also make shipments by the rules and put them into batches. Nothing is bought."],
        ...(can("batches:purchase") ? [["purchase", "… and buy the labels", "Buys every shipment at the service that the rules chose. Each carrier account is charged; a label can be voided afterwards."]] : []),
      ]} />
      <${ProblemNotice} error=${problem} />
    </form>
  <//>`;
}
