// What a user is signed in with: the open sessions and the passkeys, for an administrator who takes some away.
import { html } from "../app/html.js";
import { remove } from "../app/api.js";
import { BEGAN_WITH } from "../app/format.js";
import { useResource } from "../app/resource.js";
import { can } from "../app/session.js";
import { Button, Loaded, Time } from "./basics.js";
import { confirm, Dialog } from "./dialog.js";

/** @param {{ user: any, name: string, onClose: () => void }} props */
export function SignInsDialog({ user, name, onClose }) {
  const sessions = useResource(`/sessions?limit=50&user_id=${user.id}`);
  const passkeys = useResource(`/passkeys?limit=50&user_id=${user.id}`, (event) => event.type.startsWith("passkey."));
  const end = (/** @type {any} */ session) => confirm({ title: "End the session", body: html`The browser of <bdi>${name}</bdi> that uses it must sign in again.`, verb: "End the session", danger: true, act: () => remove(`/sessions/${session.id}`).then(sessions.reload) });
  const drop = (/** @type {any} */ passkey) => confirm({ title: `Delete ${passkey.name}`, body: html`<bdi>${name}</bdi> can’t sign in with it any more. Sessions that it began go on until you end them.`, verb: "Delete the passkey", danger: true, act: () => remove(`/passkeys/${passkey.id}`).then(passkeys.reload) });
  const canWrite = can("users:write");
  return html`<${Dialog} title=${html`Sessions and passkeys of <bdi>${name}</bdi>`} onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//>`}><div class="stack loose">
    <h3>Sessions</h3>
    <${Loaded} of=${sessions} rows=${1}>${(/** @type {any} */ { data }) => (data.length === 0 ? html`<p class="soft small">No browser is signed in.</p>` : html`<ul class="list">${data.map((/** @type {any} */ session) => html`<li key=${session.id}><div>${session.user_agent ?? "Browser"}${session.is_current && html` <span class="tag">this one</span>`}<span class="sub">with ${BEGAN_WITH[session.began_with] ?? session.began_with}, last used <${Time} at=${session.seen_at} /></span></div>${canWrite && !session.is_current && html`<${Button} compact onClick=${() => end(session)}>End<//>`}</li>`)}</ul>`)}<//>
    <h3>Passkeys</h3>
    <${Loaded} of=${passkeys} rows=${1}>${(/** @type {any} */ { data }) => (data.length === 0 ? html`<p class="soft small">The user has added none.</p>` : html`<ul class="list">${data.map((/** @type {any} */ passkey) => html`<li key=${passkey.id}><div><bdi>${passkey.name}</bdi><span class="sub">added <${Time} at=${passkey.created_at} />${passkey.last_used_at ? html`, last used <${Time} at=${passkey.last_used_at} />` : ", never used"}</span></div>${canWrite && html`<${Button} compact ghost icon="trash" label=${`Delete ${passkey.name}`} onClick=${() => drop(passkey)} />`}</li>`)}</ul>`)}<//>
  </div><//>`;
}
