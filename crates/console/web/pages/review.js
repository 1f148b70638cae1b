// Purchases whose outcome is unknown: what is known, and a person's decision with a reason.
import { html, useState } from "../app/html.js";
import { post, Problem } from "../app/api.js";
import { useAction } from "../app/action.js";
import { minor, minorDigits, money, since } from "../app/format.js";
import { useResource } from "../app/resource.js";
import { href } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, Facts, Identifier, Loaded, PageHead, Panel, ProblemNotice, Time } from "../components/basics.js";
import { person, town } from "../components/address.js";
import { Choices, Field } from "../components/form.js";
import { toast } from "../components/toast.js";
import { Timeline } from "../components/timeline.js";

/** The shortest reason that says something, in characters. */
const REASON_CHARS_MIN = 10;

/** @param {{ parts: (string | undefined)[] }} props */
export function Review({ parts: [id] }) {
  const open = useResource("/purchase_attempts?state=needs_review&limit=100", (event) => /^(purchase|shipment)/.test(event.type));
  const rows = open.data?.data ?? [];
  const current = rows.find((/** @type {any} */ row) => row.id === id) ?? rows[0];
  return html`
    <${PageHead} title="Needs review" sub="Purchases with an unknown outcome. They are not bought again until a person decides." />
    <${Loaded} of=${open}>${() => (rows.length === 0 ? html`<${Panel}><${Empty} title="Nothing needs review" actions=${html`<${Button} href=${href("/batches")}>Look at batches<//>`}>When a carrier’s answer is lost and it can’t say whether it charged, the purchase waits here.<//><//>` : html`<div class="columns flip">
      <div>${current && html`<${Case} attempt=${current} key=${current.id} onDone=${open.reload} />`}</div>
      <div><section class="panel first" aria-labelledby="open"><header><h2 id="open">Open</h2><span class="count review">${rows.length}</span></header><div class="list">${rows.map((/** @type {any} */ row) => html`<a key=${row.id} class="pick" href=${href(`/review/${row.id}`)} aria-current=${row.id === current?.id ? "true" : undefined}><b>${row.carrier_account?.name ?? "Carrier"}</b> <span class="soft">${row.amount !== null && row.amount !== undefined ? money(row.amount, row.currency_code) : "cost unknown"}</span><span class="sub">${row.carrier_service} · for ${since(row.created_at)}</span></a>`)}</div></section></div>
    </div>`)}<//>`;
}

/** @param {{ attempt: any, onDone: () => void }} props */
function Case({ attempt, onDone }) {
  const shipment = useResource(`/shipments/${attempt.shipment_id}`);
  const data = shipment.data;
  const name = data?.name ?? "Shipment";
  const price = attempt.amount !== null && attempt.amount !== undefined ? money(attempt.amount, attempt.currency_code) : null;
  return html`
    <section class="panel" aria-labelledby="case">
      <header><h2 id="case"><a class="plain" href=${href(`/shipments/${attempt.shipment_id}`)}><bdi>${name}</bdi></a></h2><${Badge} state="needs_review" /><span class="soft"><bdi>${person(data?.addresses.destination)}, ${town(data?.addresses.destination)}</bdi></span><span class="spring"></span><span class="soft">for ${since(attempt.created_at)}</span></header>
      <div class="says">
        <div><h3>What Dockside knows</h3><${Facts} rows=${[["Asked for", `${attempt.carrier_service}${price ? `, ${price}` : ""}`], ["Account", attempt.carrier_account?.name], ["Our reference", html`<span class="mono tiny">${attempt.reference}</span>`], ["Sent", html`<${Time} at=${attempt.created_at} />`], ["Charged", html`<span class="badge review">Unknown${price ? `, up to ${price}` : ""}</span>`], ["Id", html`<${Identifier} id=${attempt.id} />`]]} /></div>
        <div><h3>What the carrier says</h3><${Facts} rows=${[["Answer", attempt.error?.message ?? "none"], ["Code", attempt.error && html`<code>${attempt.error.code}</code>`], ["Found", attempt.tracking_numbers.length ? html`<span class="mono tiny">${attempt.tracking_numbers.join(", ")}</span>` : "nothing"], ["Last asked", html`<${Time} at=${attempt.updated_at} />`]]} /></div>
      </div>
    </section>
    ${can("shipments:purchase") && html`<${Decide} attempt=${attempt} name=${name} price=${price} parcels=${data?.packages.length ?? 1} onDone=${onDone} />`}
    <${Timeline} id=${attempt.shipment_id} title="Events of the shipment" />`;
}

/**
 * Records the decision. A server that keeps no reasons yet gets none, and the viewer is told.
 * @param {string} id
 * @param {any} decision
 * @param {string} note
 * @param {string} key
 */
async function resolve(id, decision, note, key) {
  const path = `/purchase_attempts/${id}/resolve`;
  try {
    return await post(path, { ...decision, note }, { key });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "unknown_field") throw error;
    const answer = await post(path, decision, { key: `${key}-plain` });
    toast("This server keeps no reasons. Write yours down elsewhere.", { tone: "bad" });
    return answer;
  }
}

/** @param {{ attempt: any, name: string, price: string | null, parcels: number, onDone: () => void }} props */
function Decide({ attempt, name, price, parcels, onDone }) {
  const code = attempt.currency_code ?? "GBP";
  const [outcome, setOutcome] = useState("");
  const [tracking, setTracking] = useState(attempt.tracking_numbers.join(", "));
  const [amount, setAmount] = useState(attempt.amount === null || attempt.amount === undefined ? "" : (attempt.amount / 10 ** minorDigits(code)).toFixed(minorDigits(code)));
  const [note, setNote] = useState("");
  const { run, isBusy, problem } = useAction(
    (key) => {
      const bought = outcome === "bought" ? { tracking_numbers: tracking.split(",").map((/** @type {string} */ one) => one.trim()).filter(Boolean), ...(amount ? { amount: minor(amount, code), currency_code: code } : {}) } : {};
      return resolve(attempt.id, { outcome, ...bought }, note, key);
    },
    { done: "The decision is recorded.", shows: true },
  );
  const isShort = note.trim().length > 0 && note.trim().length < REASON_CHARS_MIN;
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await run()) onDone();
  };
  const why = !outcome ? "Choose what happened" : note.trim().length < REASON_CHARS_MIN ? "Say how you know" : undefined;
  return html`<${Panel} title="What happened?"><form class="body stack loose" onSubmit=${submit}>
    <${Choices} legend="Outcome" name="outcome" value=${outcome} onChange=${setOutcome} options=${[["bought", "It was bought", `${name} becomes purchased. ${price ? `${price} is recorded, ` : ""}the label is fetched where the carrier has it, and nothing is bought again.`], ["not_bought", "It was not bought", `${name} goes back to failed and can be bought again. If the carrier did charge, you pay ${price ?? "the price"} twice.`]]} />
    ${outcome === "bought" && html`<div class="grid-2"><${Field} label=${parcels > 1 ? "Tracking numbers" : "Tracking number"} name="tracking_numbers" mono value=${tracking} onChange=${setTracking} problem=${problem} hint="As the carrier’s list shows it." /><${Field} label="Charged" name="amount" value=${amount} onChange=${setAmount} problem=${problem} suffix=${code} /></div>`}
    <${Field} label="Reason" need="kept in the audit trail" name="note" type="area" value=${note} onChange=${setNote} problem=${problem} message=${isShort ? `Say how you know, in at least ${REASON_CHARS_MIN} characters. For example: “Seen in the carrier’s list.”` : ""} />
    <${ProblemNotice} error=${problem} />
    <div class="row"><${Button} primary type="submit" busy=${isBusy} why=${why}>${outcome === "not_bought" ? "Record as not bought" : `Record as bought${price ? `, ${price}` : ""}`}<//></div>
  </form><//>`;
}
