// Events as they happen, and what the log keeps.
import { html, useEffect, useState } from "../app/html.js";
import { post, withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { setQuery, usePlace } from "../app/router.js";
import { useResource } from "../app/resource.js";
import { can } from "../app/session.js";
import { useStore } from "../app/store.js";
import { connect, onEvent, streamRefusal, streamState } from "../app/stream.js";
import { Button, Loaded, Notice, Panel, Time } from "../components/basics.js";
import { Field } from "../components/form.js";
import { actor } from "../components/timeline.js";

/** How many live events are kept on the page. */
const KEPT = 200;

export function Events() {
  const { query } = usePlace();
  const [live, setLive] = useState(/** @type {any[]} */ ([]));
  const [isPaused, setPaused] = useState(false);
  const [open, setOpen] = useState("");
  const state = useStore(streamState);
  const refusal = useStore(streamRefusal);
  const type = query.get("type") ?? "";
  const who = query.get("actor") ?? "";
  const past = useResource(withQuery("/events", { type, actor: who, limit: 50 }));
  const provision = useAction((key) => post("/events/provision", undefined, { key }).then(connect), { done: "Live events are switched on." });
  useEffect(() => onEvent((event) => !isPaused && (!type || event.type === type) && setLive((old) => [event, ...old].slice(0, KEPT))), [isPaused, type]);
  const known = new Set(live.map((event) => event.id));
  const rows = [...live, ...[...(past.data?.data ?? [])].sort((one, other) => other.sequence - one.sequence).filter((event) => !known.has(event.id))];
  return html`<div class="stack-5">
    ${state !== "up" && refusal && html`<${Notice} tone="warn" icon="warn" title=${html`Live events are off <code class="tiny">${refusal}</code>`} actions=${can("events:write") && html`<${Button} compact busy=${provision.isBusy} onClick=${() => provision.run()}>Switch them on<//>`}>They are switched on once for the organisation. Until then, pages read anew every 30 seconds.<//>`}
    <${Panel} title="Events" note=${state === "up" ? (isPaused ? "Paused" : "Live") : "The log"} actions=${html`<${Button} compact icon=${isPaused ? "play" : "pause"} onClick=${() => setPaused(!isPaused)}>${isPaused ? "Go on" : "Pause"}<//>`}>
      <div class="body grid-2"><${Field} label="Type" value=${type} onChange=${(/** @type {string} */ value) => setQuery({ type: value })} placeholder="order.created" mono /><${Field} label="Done by" value=${who} onChange=${(/** @type {string} */ value) => setQuery({ actor: value })} placeholder="usr_…" mono hint="The id of a user or a token." /></div>
      <${Loaded} of=${past}>${() => (rows.length === 0 ? html`<div class="body"><p class="soft small">No event matches.</p></div>` : html`<ul class="list top feed">${rows.map((event) => html`<li key=${event.id} class=${known.has(event.id) ? "new" : ""}><div><button class="btn ghost compact" type="button" aria-expanded=${String(open === event.id)} onClick=${() => setOpen(open === event.id ? "" : event.id)}><code>${event.type}</code></button><span class="sub mono">${event.data?.object?.id ?? ""} ${actor(event)}</span>${open === event.id && html`<div class="well code" tabindex="0">${JSON.stringify(event, null, 2)}</div>`}</div><span class="soft tiny nowrap"><${Time} at=${event.created_at} /></span></li>`)}</ul>`)}<//>
    <//>
  </div>`;
}
