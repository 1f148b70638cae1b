// The viewer's passkeys: list, add and delete them.
import { html, useState } from "../app/html.js";
import { remove } from "../app/api.js";
import { useAction } from "../app/action.js";
import { addPasskey, hasPasskeys } from "../app/passkeys.js";
import { useResource } from "../app/resource.js";
import { useMe } from "../app/session.js";
import { Button, Empty, Loaded, Panel, ProblemNotice, Time } from "./basics.js";
import { confirm, Dialog } from "./dialog.js";
import { Field } from "./form.js";
import { Table } from "./table.js";

/** What this machine is called, as far as the browser says. */
function machine() {
  const system = [["Windows", "Windows"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Mac OS", "Mac"], ["Android", "Android"], ["Linux", "Linux"]].find(([word]) => navigator.userAgent.includes(word));
  return system ? `${system[1]} device` : "This device";
}

export function Passkeys() {
  const me = useMe();
  const isAvailable = useResource("/sign_in_methods").data?.passkey === true && hasPasskeys();
  const passkeys = useResource("/passkeys?limit=50", (event) => event.type.startsWith("passkey."));
  const [isAdding, setAdding] = useState(false);
  const add = isAvailable && html`<${Button} compact icon="key" onClick=${() => setAdding(true)}>Add a passkey<//>`;
  const rows = passkeys.data?.data ?? [];
  const isLast = rows.length === 1 && me?.user.has_password === false;
  const drop = (/** @type {any} */ passkey) => confirm({ title: `Delete ${passkey.name}`, body: isLast ? "You have no password, and no other passkey: after this you need a link from an administrator, or the identity provider, to sign in." : "It can’t be used to sign in any more. Sessions that it began go on. Delete it on the device, too.", verb: "Delete the passkey", danger: true, act: () => remove(`/passkeys/${passkey.id}`).then(passkeys.reload) });
  return html`<${Panel} title="Passkeys" note="Sign in by finger, face or PIN" actions=${rows.length > 0 && add}>
    <${Loaded} of=${passkeys} rows=${1}>${() => (rows.length === 0
      ? html`<${Empty} title="No passkeys yet" actions=${add}>${isAvailable ? "A passkey stays on your device. It can’t be guessed, and no other site can ask for it." : "This browser offers none at this address. Passkeys need an https address with a host name; on the server’s own machine open the console as localhost."}<//>`
      : html`<${Table} label="Passkeys" rows=${rows} columns=${[
        { name: "Passkey", place: "a1", wrap: true, cell: (/** @type {any} */ passkey) => html`<bdi>${passkey.name}</bdi><span class="sub">${passkey.is_syncable ? "may be copied to your other devices" : "on one device only"}</span>` },
        { name: "Added", at: "p2", cell: (/** @type {any} */ passkey) => html`<${Time} at=${passkey.created_at} />` },
        { name: "Last used", place: "a2", cell: (/** @type {any} */ passkey) => (passkey.last_used_at ? html`<${Time} at=${passkey.last_used_at} />` : html`<span class="soft">never</span>`) },
        { name: html`<span class="unseen">Actions</span>`, end: true, place: "a5", cell: (/** @type {any} */ passkey) => html`<${Button} compact ghost icon="trash" label=${`Delete ${passkey.name}`} onClick=${() => drop(passkey)} />` },
      ]} />`)}<//>
  <//>${isAdding && html`<${AddDialog} onClose=${() => setAdding(false)} onDone=${() => { setAdding(false); passkeys.reload(); }} />`}`;
}

/** @param {{ onClose: () => void, onDone: () => void }} props */
function AddDialog({ onClose, onDone }) {
  const me = useMe();
  const [name, setName] = useState(machine);
  const [password, setPassword] = useState("");
  const account = { name: me?.user.email_address ?? "", label: me?.user.name ?? me?.user.email_address ?? "" };
  const { run, isBusy, problem } = useAction(() => addPasskey({ name: name.trim(), password, account }), { done: "The passkey is added.", shows: true });
  // The server asks for the password if the sign-in was some time ago.
  const needsPassword = problem?.code === "current_password_wrong" || password !== "";
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await run()) onDone();
  };
  return html`<${Dialog} title="Add a passkey" onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="passkey-form" busy=${isBusy} why=${name.trim() ? undefined : "It has no name"}>Go on<//>`}>
    <form id="passkey-form" class="stack loose" onSubmit=${submit}>
      <p class="soft">Your browser asks next where to keep it: on this device, on your phone, or on a security key.</p>
      <${Field} label="Name" name="name" required autofocus value=${name} onChange=${setName} problem=${problem} hint="So that you can tell your devices apart." />
      ${needsPassword && html`<${Field} label="Current password" name="current_password" type="password" autocomplete="current-password" value=${password} onChange=${setPassword} problem=${problem} />`}
      <${ProblemNotice} error=${problem} />
    </form>
  <//>`;
}
