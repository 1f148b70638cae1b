// The viewer's own account: passkeys, password, sessions, theme and keys.
import { html, useState } from "../app/html.js";
import { put, remove } from "../app/api.js";
import { useAction } from "../app/action.js";
import { BEGAN_WITH } from "../app/format.js";
import { switchKeys, keysOn } from "../app/keyboard.js";
import { useResource } from "../app/resource.js";
import { signOut, useMe } from "../app/session.js";
import { useStore } from "../app/store.js";
import { Button, Facts, Identifier, Loaded, PageHead, Panel, ProblemNotice, TagList, Time } from "../components/basics.js";
import { confirm } from "../components/dialog.js";
import { Field } from "../components/form.js";
import { Passkeys } from "../components/passkeys.js";
import { switchTheme } from "../components/shell.js";
import { Table } from "../components/table.js";

export function Account() {
  const me = useMe();
  const isOn = useStore(keysOn);
  const sessions = useResource("/sessions?limit=50");
  const end = (/** @type {any} */ session) => confirm({ title: "End the session", body: "The browser that uses it must sign in again.", verb: "End the session", danger: true, act: () => remove(`/sessions/${session.id}`).then(sessions.reload) });
  return html`
    <${PageHead} title="Your account" sub=${html`<bdi>${me?.user.email_address}</bdi>`}><${Button} icon="signout" onClick=${() => signOut()}>Sign out<//><//>
    <div class="columns"><div>
      <${Panel} title="Sessions" note="Browsers that are signed in as you"><${Loaded} of=${sessions} rows=${2}>${(/** @type {any} */ { data }) => html`<${Table} label="Sessions" rows=${data} columns=${[
        { name: "Session", place: "a1", wrap: true, cell: (/** @type {any} */ session) => html`${session.user_agent ?? "Browser"}${session.is_current && html` <span class="tag">this one</span>`}` },
        { name: "Began with", place: "a3", cell: (/** @type {any} */ session) => BEGAN_WITH[session.began_with] ?? session.began_with },
        { name: "Began", at: "p2", cell: (/** @type {any} */ session) => html`<${Time} at=${session.created_at} />` },
        { name: "Last used", place: "a2", cell: (/** @type {any} */ session) => html`<${Time} at=${session.seen_at} />` },
        { name: "Ends", place: "a4", cell: (/** @type {any} */ session) => html`<${Time} at=${session.expires_at} />` },
        { name: html`<span class="unseen">Actions</span>`, end: true, place: "a5", cell: (/** @type {any} */ session) => !session.is_current && html`<${Button} compact onClick=${() => end(session)}>End<//>` },
      ]} />`}<//><//>
      <${Passkeys} />
      <${Password} />
    </div><div>
      <${Panel} title="You"><div class="body"><${Facts} rows=${[["Name", html`<bdi>${me?.user.name ?? "–"}</bdi>`], ["E-mail", html`<bdi>${me?.user.email_address ?? "–"}</bdi>`], ["Roles", html`<${TagList} codes=${me?.roles ?? []} />`], ["Id", html`<${Identifier} id=${me?.user.id} />`]]} /></div><//>
      <${Panel} title="This browser"><div class="body stack loose"><div class="row apart"><span>Light or dark</span><${Button} compact icon="theme" onClick=${switchTheme}>Change<//></div><label class="tick-field"><span class="check"><input type="checkbox" checked=${isOn} onChange=${(/** @type {any} */ event) => switchKeys(event.target.checked)} /></span><span>Keys of one letter act</span></label></div><//>
    </div></div>`;
}

function Password() {
  const me = useMe();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const { run, isBusy, problem } = useAction(() => put("/me/password", { ...(current ? { current_password: current } : {}), new_password: next }), { done: "The password is changed.", shows: true });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await run()) {
      setCurrent("");
      setNext("");
    }
  };
  return html`<${Panel} title=${me?.user.has_password === false ? "Set a password" : "Change the password"}><form class="body stack loose" onSubmit=${submit}>
    <input type="email" name="username" autocomplete="username" value=${me?.user.email_address ?? ""} hidden readonly />
    <div class="form-grid">${me?.user.has_password !== false && html`<${Field} label="Current password" name="current_password" type="password" autocomplete="current-password" value=${current} onChange=${setCurrent} problem=${problem} hint="Not needed for 15 minutes after a sign-in by link." />`}<${Field} label="New password" name="new_password" type="password" autocomplete="new-password" required value=${next} onChange=${setNext} problem=${problem} hint="At least 12 characters." /></div>
    <${ProblemNotice} error=${problem} /><div class="row"><${Button} primary type="submit" busy=${isBusy} why=${next.length < 12 ? "The new password is too short" : undefined}>Save<//></div>
  </form><//>`;
}
