// Failures of a batch by cause, largest first, each with its repair.
import { html, useState } from "../app/html.js";
import { patch, post, request } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, plural } from "../app/format.js";
import { useResource } from "../app/resource.js";
import { href } from "../app/router.js";
import { can } from "../app/session.js";
import { CAUSES } from "../app/states.js";
import { Button, Notice, Tag } from "./basics.js";
import { confirm } from "./dialog.js";
import { person } from "./address.js";
import { Field } from "./form.js";
import { Icon } from "./icon.js";

/** How many shipments of a cause are shown until the viewer asks for more. */
const SHOWN = 5;

/** @param {{ batch: any, reload: () => Promise<void> }} props */
export function Causes({ batch, reload }) {
  /** @type {Map<string, any[]>} */
  const byCode = new Map();
  for (const error of batch.errors) byCode.set(error.code, [...(byCode.get(error.code) ?? []), error]);
  const total = (/** @type {string} */ code) => batch.error_counts?.[code] ?? byCode.get(code)?.length ?? 0;
  // A batch keeps the first failures; its counts also name causes of which none is among them.
  const codes = [...new Set([...byCode.keys(), ...Object.keys(batch.error_counts ?? {})])].filter((code) => total(code) > 0);
  const causes = codes.sort((one, other) => total(other) - total(one));
  const known = batch.errors.length;
  return html`
    ${causes.map((code) => html`<${Cause} key=${code} code=${code} total=${total(code)} errors=${byCode.get(code) ?? []} batch=${batch} reload=${reload} />`)}
    ${known < batch.error_count && html`<p class="soft small">The first ${count(known)} of ${count(batch.error_count)} failures are shown. Repair these, and the next appear.</p>`}`;
}

/** @param {{ code: string, total: number, errors: any[], batch: any, reload: () => Promise<void> }} props */
function Cause({ code, total, errors, batch, reload }) {
  const [most, setMost] = useState(SHOWN);
  const [title, what, tone, icon] = CAUSES[code] ?? [code, "", "", "x"];
  const ids = [...new Set(errors.map((error) => error.shipment_id))];
  const isBuying = batch.status === "purchasing";
  const takeOut = () => confirm({
    title: `Take ${plural(ids.length, "shipment")} out of the batch`,
    body: "They stay as shipments and can be bought elsewhere. The rest of the batch can then be finished.",
    verb: `Take ${count(ids.length)} out`,
    danger: true,
    act: () => request("DELETE", `/batches/${batch.id}/shipments`, { body: { shipments: ids } }).then(reload),
  });
  const rateAgain = useAction(async () => {
    for (const id of ids) await post(`/shipments/${id}/rates`);
    await reload();
  }, { done: `New prices for ${plural(ids.length, "shipment")}. Buy the batch again.` });
  if (code === "outcome_unknown") return html`<${Notice} tone="review" icon="review" title=${total === 1 ? "1 purchase needs review" : `${count(total)} purchases need review`} actions=${html`<${Button} compact href=${href("/review")}>Review ${plural(total, "purchase")}<//>`}>The carrier did not answer. They may be charged, so they are not bought again by themselves.<//>`;
  return html`<section class="panel cause" aria-labelledby=${`cause-${code}`}>
    <header><span class=${`mark ${tone}`}><${Icon} name=${icon} /></span><div><h3 id=${`cause-${code}`}>${count(total)} × ${title} <code>${code}</code></h3><p>${what}</p></div>
      ${code === "rate_expired" && can("shipments:write") && html`<${Button} compact busy=${rateAgain.isBusy} onClick=${() => rateAgain.run()}>Ask for rates again<//>`}
      ${code === "credentials_invalid" && html`<${Button} compact href=${href("/settings/carriers")}>Open the accounts<//>`}
      ${can("batches:write") && !isBuying && ids.length > 0 && html`<${Button} compact onClick=${takeOut}>Take ${count(ids.length)} out<//>`}
    </header>
    ${ids.length > 0 && html`<ul class="repair">${ids.slice(0, most).map((id) => html`<${Repair} key=${id} id=${id} error=${errors.find((error) => error.shipment_id === id)} />`)}</ul>`}
    ${ids.length > most && html`<footer>Showing ${count(most)} of ${count(ids.length)}<span class="spring"></span><${Button} compact onClick=${() => setMost(most + 20)}>Show more<//></footer>`}
  </section>`;
}

const FIELDS = /** @type {[string, string][]} */ ([["line_1", "Address"], ["city", "City"], ["post_code", "Post code"]]);

/** @param {{ id: string, error: any }} props */
function Repair({ id, error }) {
  const shipment = useResource(`/shipments/${id}`);
  const [draft, setDraft] = useState(/** @type {Record<string, string>} */ ({}));
  const [isDone, setDone] = useState(false);
  const save = useAction(async () => {
    await patch(`/shipments/${id}`, { addresses: { destination: { address: draft } } }, { etag: shipment.etag });
    await shipment.reload();
    setDone(true);
  }, { shows: true });
  const data = shipment.data;
  const destination = data?.addresses.destination;
  const canFix = /address|post_code/.test(error.code) && can("shipments:write") && !isDone && data && data.status !== "purchased";
  return html`<li class=${isDone ? "done" : ""}>
    <div class="who"><a href=${href(`/shipments/${id}`)}><b><bdi>${data?.name ?? `…${id.slice(-8)}`}</bdi></b></a><span class="sub"><bdi>${person(destination)}</bdi></span></div>
    ${canFix
      ? html`<div class="fields">${FIELDS.map(([name, label]) => html`<${Field} key=${name} label=${label} name=${`addresses.destination.address.${name}`} value=${draft[name] ?? destination?.address[name] ?? ""} onChange=${(/** @type {string} */ value) => setDraft({ ...draft, [name]: value })} problem=${save.problem} hint=${name === "line_1" ? error.message : undefined} />`)}</div>
        <div class="act"><${Button} compact busy=${save.isBusy} why=${Object.keys(draft).length === 0 ? "Nothing was changed yet" : undefined} onClick=${() => save.run()}>Save<//></div>`
      : html`<div class="who">${error.message}</div><div class="who">${isDone ? html`<${Tag} tone="good" icon="check">Ready<//>` : data?.order_id && html`<a class="small" href=${href(`/orders/${data.order_id}`)}>Order</a>`}</div>`}
  </li>`;
}

