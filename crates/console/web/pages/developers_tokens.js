// Access tokens: what programs sign in with.
import { html, useState } from "../app/html.js";
import { post, remove } from "../app/api.js";
import { useAction } from "../app/action.js";
import { plural } from "../app/format.js";
import { useList } from "../app/resource.js";
import { can, useMe } from "../app/session.js";
import { Badge, Button, Copy, Empty, Notice, ProblemNotice, Time } from "../components/basics.js";
import { confirm, Dialog } from "../components/dialog.js";
import { Choices, Field } from "../components/form.js";
import { ScopePicker } from "../components/scope_picker.js";
import { ListPanel } from "../components/table.js";

export function Tokens() {
  const list = useList("/access_tokens?limit=50", { kind: "access_token" });
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState(/** @type {any} */ (null));
  const drop = (/** @type {any} */ token) => confirm({ title: `Revoke ${token.name ?? "the token"}`, body: "Programs that use it stop working at once. Tokens that it made are revoked, too.", verb: "Revoke the token", danger: true, act: () => remove(`/access_tokens/${token.id}`).then(list.reload) });
  const make = can("access_tokens:write") && html`<${Button} primary icon="plus" onClick=${() => setMaking(true)}>New token<//>`;
  const isOver = (/** @type {any} */ token) => token.expires_at && new Date(token.expires_at).getTime() < Date.now();
  return html`<div class="stack-5">
    <div class="row apart"><p class="soft">A token belongs to one world. Give each program its own, with no more scopes than it needs.</p>${make}</div>
    ${made && html`<${Notice} tone="good" icon="key" title=${`The token ${made.name ?? ""} is ready. It is shown only now.`} actions=${html`<${Button} compact onClick=${() => setMade(null)}>I have kept it<//>`}><span class="secret"><code>${made.token}</code><${Copy} text=${made.token} label="Copy the token" /></span><//>`}
    <${ListPanel} list=${list} label="Access tokens" noun="token" empty=${html`<${Empty} title="No tokens yet" actions=${make}>Programs call the API with a token.<//>`} columns=${[
      { name: "Name", place: "a1", wrap: true, cell: (/** @type {any} */ token) => html`<bdi>${token.name ?? "unnamed"}</bdi><span class="sub mono">${token.id}</span>` },
      { name: "World", place: "a4", cell: (/** @type {any} */ token) => token.mode },
      { name: "Scopes", place: "a3", wrap: true, cell: (/** @type {any} */ token) => html`<span title=${token.scopes.join(" ")}>${token.scopes.length > 4 ? plural(token.scopes.length, "scope") : token.scopes.join(", ")}</span>` },
      { name: "Ends", at: "p2", cell: (/** @type {any} */ token) => (isOver(token) ? html`<${Badge} state="disabled" />` : html`<${Time} at=${token.expires_at} />`) },
      { name: "Made", at: "p2", cell: (/** @type {any} */ token) => html`<${Time} at=${token.created_at} />` },
      { name: html`<span class="unseen">Actions</span>`, end: true, place: "a5", cell: (/** @type {any} */ token) => can("access_tokens:write") && html`<${Button} compact onClick=${() => drop(token)}>Revoke<//>` },
    ]} />
    ${isMaking && html`<${TokenDialog} onClose=${() => setMaking(false)} onDone=${(/** @type {any} */ token) => { setMaking(false); setMade(token); list.reload(); }} />`}
  </div>`;
}

/** @param {{ onClose: () => void, onDone: (token: any) => void }} props */
function TokenDialog({ onClose, onDone }) {
  const me = useMe();
  const [name, setName] = useState("");
  const [days, setDays] = useState("365");
  const [scopes, setScopes] = useState(/** @type {string[]} */ ([]));
  const { run, isBusy, problem } = useAction((key) => post("/access_tokens", { name: name.trim() || null, scopes, expires_at: days === "" ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString() }, { key }), { shows: true });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const answer = await run();
    if (answer?.data) onDone(answer.data);
  };
  return html`<${Dialog} wide title="New access token" onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="token-form" busy=${isBusy} why=${scopes.length === 0 ? "Choose at least one scope" : undefined}>Make the token<//>`}>
    <form id="token-form" class="stack loose" onSubmit=${submit}>
      <${Field} label="Name" name="name" required value=${name} onChange=${setName} problem=${problem} placeholder="shop-sync" />
      <${Choices} legend="How long it works" name="days" value=${days} onChange=${setDays} options=${[["90", "90 days"], ["365", "A year"], ["", "Until it is revoked"]]} />
      <${ScopePicker} available=${me?.scopes ?? []} value=${scopes} onChange=${setScopes} />
      <${ProblemNotice} error=${problem} />
    </form>
  <//>`;
}
