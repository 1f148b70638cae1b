// Users and roles: invite by link, disable, sign out everywhere.
import { html, useState } from "../app/html.js";
import { get, patch, post, remove } from "../app/api.js";
import { useAction } from "../app/action.js";
import { plural, words } from "../app/format.js";
import { useList, useResource } from "../app/resource.js";
import { href } from "../app/router.js";
import { can, useMe } from "../app/session.js";
import { Badge, Button, Copy, Empty, Notice, PageHead, ProblemNotice, TagList, Tabs, Time } from "../components/basics.js";
import { confirm, Dialog } from "../components/dialog.js";
import { Field } from "../components/form.js";
import { Menu } from "../components/menu.js";
import { ScopePicker } from "../components/scope_picker.js";
import { SignInsDialog } from "../components/sign_ins_dialog.js";
import { ListPanel } from "../components/table.js";

/** What each built-in role may do. */
const BUILT_IN = /** @type {Record<string, string>} */ ({
  admin: "Everything, also users, tokens and settings.",
  manager: "All daily work, with buying; reads settings.",
  packer: "Scans, prints and takes returns, and reads what that needs; buys nothing.",
  viewer: "Reads daily work.",
});

/** @param {{ parts: (string | undefined)[] }} props */
export function Users({ parts: [section] }) {
  const current = section === "roles" ? "roles" : "users";
  return html`
    <${PageHead} title="Users and roles" sub="Who may sign in, and what they may do" />
    <${Tabs} label="Access" current=${current} path=${(/** @type {string} */ key) => href(key === "users" ? "/users" : "/users/roles")} tabs=${[["users", "Users"], ["roles", "Roles"]]} />
    ${current === "users" ? html`<${People} />` : html`<${Roles} />`}`;
}

/** A link that signs a person in, once. @param {{ link: string, name: string, onClose: () => void }} props */
function Link({ link, name, onClose }) {
  const sendsMail = useSendsMail();
  return html`<${Notice} tone="good" icon="key" title=${html`The sign-in link of <bdi>${name}</bdi> is shown only now`} actions=${html`<${Button} compact onClick=${onClose}>I have sent it<//>`}><span class="secret"><code>${link}</code><${Copy} text=${link} label="Copy the link" /></span>It works once, ${sendsMail ? "for 15 minutes, or for 24 hours if the user has no password yet. The person also gets it by e-mail." : "for 15 minutes. Send it to that person alone."}<//>`;
}

/** Whether the server sends links by e-mail, too. */
const useSendsMail = () => useResource("/sign_in_methods").data?.password_reset === true;

/** @param {any} user */
const nameOf = (user) => user.name ?? user.email_address ?? user.id;
/** @param {any} user */
const stateOf = (user) => (user.is_disabled ? "disabled" : "active");
/** How users name a role: built-in ones by their name, others by their id. @param {any} role */
const keyOf = (role) => (role.is_built_in ? role.name : role.id);

function People() {
  const me = useMe();
  const list = useList("/users?limit=100", { kind: "user" });
  const roles = useResource("/roles?limit=100", (event) => event.type.startsWith("role."));
  const roleName = (/** @type {string} */ key) => (roles.data?.data ?? []).find((/** @type {any} */ role) => keyOf(role) === key)?.name ?? key;
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const [link, setLink] = useState(/** @type {any} */ (null));
  const [shown, setShown] = useState(/** @type {any} */ (null));
  const newLink = useAction((key, /** @type {any} */ user) => post(`/users/${user.id}/link`, undefined, { key }).then((answer) => setLink({ link: answer.data.sign_in_link, name: nameOf(user) })));
  const enable = useAction((key, /** @type {any} */ user) => post(`/users/${user.id}/enable`, undefined, { key }).then(list.reload), { done: "The user may sign in again." });
  const disable = (/** @type {any} */ user) => confirm({ title: `Disable ${nameOf(user)}`, body: "Every session of the user ends at once, and the user’s tokens stop. What the user did stays recorded.", verb: "Disable the user", danger: true, act: (key) => post(`/users/${user.id}/disable`, undefined, { key }).then(list.reload) });
  const out = (/** @type {any} */ user) => confirm({ title: `Sign ${nameOf(user)} out everywhere`, body: "Every session of the user ends at once.", verb: "Sign out everywhere", danger: true, act: (key) => post(`/users/${user.id}/sign_out`, undefined, { key }) });
  const drop = (/** @type {any} */ user) => confirm({ title: `Delete ${nameOf(user)}`, body: "The user’s sessions and tokens end at once. Events keep the user’s id.", verb: "Delete the user", danger: true, act: () => remove(`/users/${user.id}`).then(list.reload) });
  const canWrite = can("users:write");
  const invite = canWrite && html`<${Button} primary icon="plus" onClick=${() => setDialog({ isNew: true })}>Invite a user<//>`;
  return html`<div class="stack-5">
    <div class="row apart"><p class="soft">Everyone signs in as themselves, so that the timeline says who did what.</p>${invite}</div>
    ${link && html`<${Link} link=${link.link} name=${link.name} onClose=${() => setLink(null)} />`}
    <${ListPanel} list=${list} label="Users" noun="user" empty=${html`<${Empty} title="No users yet" actions=${invite} />`} columns=${[
      { name: "User", place: "a1", wrap: true, cell: (/** @type {any} */ user) => html`<bdi>${nameOf(user)}</bdi>${user.id === me?.user.id && html` <span class="tag">you</span>`}<span class="sub"><bdi>${user.email_address}</bdi></span>` },
      { name: "State", place: "a4", cell: (/** @type {any} */ user) => html`<${Badge} state=${stateOf(user)} />` },
      { name: "Roles", place: "a3", wrap: true, cell: (/** @type {any} */ user) => html`<${TagList} codes=${user.roles.map(roleName)} />` },
      { name: "Password", at: "p2", cell: (/** @type {any} */ user) => (user.has_password ? "set" : html`<span class="soft">not yet</span>`) },
      { name: "Made", at: "p2", cell: (/** @type {any} */ user) => html`<${Time} at=${user.created_at} />` },
      { name: html`<span class="unseen">Actions</span>`, end: true, place: "a5", cell: (/** @type {any} */ user) => canWrite && html`<${Menu} label=${`Actions for ${nameOf(user)}`} classes="btn ghost compact square" entries=${[{ name: "Edit", icon: "edit", act: () => setDialog({ user }) }, { name: "New sign-in link", icon: "copy", act: () => newLink.run(user) }, { name: "Sessions and passkeys", icon: "key", act: () => setShown(user) }, { name: "Sign out everywhere", icon: "signout", act: () => out(user) }, stateOf(user) === "disabled" ? { name: "Enable", icon: "play", act: () => enable.run(user) } : { name: "Disable", icon: "pause", danger: true, act: () => disable(user) }, { name: "Delete", icon: "trash", danger: true, act: () => drop(user) }]} />` },
    ]} />
    ${shown && html`<${SignInsDialog} user=${shown} name=${nameOf(shown)} onClose=${() => setShown(null)} />`}
    ${dialog && html`<${UserDialog} user=${dialog.user} onClose=${() => setDialog(null)} onDone=${(/** @type {any} */ user) => { setDialog(null); if (user.sign_in_link) setLink({ link: user.sign_in_link, name: nameOf(user) }); list.reload(); }} />`}
  </div>`;
}

/** @param {{ user?: any, onClose: () => void, onDone: (user: any) => void }} props */
function UserDialog({ user, onClose, onDone }) {
  const roles = useResource("/roles?limit=100");
  const sendsMail = useSendsMail();
  const [name, setName] = useState(user?.name ?? "");
  const [email, setEmail] = useState(user?.email_address ?? "");
  const [chosen, setChosen] = useState(/** @type {string[]} */ (user?.roles ?? ["packer"]));
  const { run, isBusy, problem } = useAction(
    async (key) => {
      const body = { name: name.trim(), email_address: email.trim(), roles: chosen };
      if (!user) return post("/users", body, { key });
      const { etag } = await get(`/users/${user.id}`);
      return patch(`/users/${user.id}`, body, { etag });
    },
    { shows: true },
  );
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const answer = await run();
    if (answer?.data) onDone(answer.data);
  };
  const toggle = (/** @type {string} */ role) => setChosen(chosen.includes(role) ? chosen.filter((one) => one !== role) : [...chosen, role]);
  return html`<${Dialog} title=${user ? `Edit ${nameOf(user)}` : "Invite a user"} onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="user-form" busy=${isBusy}>${user ? "Save" : "Make a sign-in link"}<//>`}>
    <form id="user-form" class="stack loose" onSubmit=${submit}>
      <${Field} label="Name" name="name" required value=${name} onChange=${setName} problem=${problem} />
      <${Field} label="E-mail" name="email_address" type="email" required value=${email} onChange=${setEmail} problem=${problem} hint=${sendsMail ? "The user signs in with it, and gets a link there. You get it, too." : "The user signs in with it. No message is sent: you get a link to hand over."} />
      <fieldset class="stack"><legend class="small">Roles</legend>${(roles.data?.data ?? []).map((/** @type {any} */ role) => html`<label class="choice" key=${role.id}><input type="checkbox" checked=${chosen.includes(keyOf(role))} onChange=${() => toggle(keyOf(role))} /><div><b>${words(role.name)}</b><p class="soft small">${BUILT_IN[role.name] ?? role.description ?? plural(role.scopes?.length ?? 0, "scope")}</p></div></label>`)}</fieldset>
      <${ProblemNotice} error=${problem} />
    </form>
  <//>`;
}

function Roles() {
  const list = useList("/roles?limit=100", { kind: "role" });
  const [editing, setEditing] = useState(/** @type {any} */ (null));
  const drop = (/** @type {any} */ role) => confirm({ title: `Delete the role ${role.name}`, body: "Users lose what only this role gave them.", verb: "Delete the role", danger: true, act: () => remove(`/roles/${role.id}`).then(list.reload) });
  const make = can("users:write") && html`<${Button} primary icon="plus" onClick=${() => setEditing({})}>New role<//>`;
  return html`<div class="stack-5">
    <div class="row apart"><p class="soft">A role is a set of scopes. You can give only what you hold yourself.</p>${make}</div>
    <${ListPanel} list=${list} label="Roles" noun="role" empty=${html`<${Empty} title="No roles" actions=${make} />`} columns=${[
      { name: "Role", place: "a1", cell: (/** @type {any} */ role) => html`${words(role.name)}${role.is_built_in && html` <span class="tag">built in</span>`}` },
      { name: "May", place: "a3", wrap: true, cell: (/** @type {any} */ role) => BUILT_IN[role.name] ?? role.description ?? "" },
      { name: "Scopes", end: true, place: "a2", cell: (/** @type {any} */ role) => html`<span title=${(role.scopes ?? []).join(" ")}>${role.scopes?.includes("*") ? "all" : plural(role.scopes?.length ?? 0, "scope")}</span>` },
      { name: html`<span class="unseen">Actions</span>`, end: true, place: "a5", cell: (/** @type {any} */ role) => can("users:write") && !role.is_built_in && html`<span class="actions"><${Button} compact onClick=${() => setEditing(role)}>Edit<//><${Button} compact ghost icon="trash" label=${`Delete ${role.name}`} onClick=${() => drop(role)} /></span>` },
    ]} />
    ${editing && html`<${RoleDialog} role=${editing} onClose=${() => setEditing(null)} onDone=${() => { setEditing(null); list.reload(); }} />`}
  </div>`;
}

/** @param {{ role: any, onClose: () => void, onDone: () => void }} props */
function RoleDialog({ role, onClose, onDone }) {
  const me = useMe();
  const [name, setName] = useState(role.name ?? "");
  const [scopes, setScopes] = useState(/** @type {string[]} */ (role.scopes ?? []));
  const { run, isBusy, problem } = useAction((key) => (role.id ? patch(`/roles/${role.id}`, { name, scopes }) : post("/roles", { name, scopes }, { key })), { shows: true });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await run()) onDone();
  };
  return html`<${Dialog} wide title=${role.id ? `Edit ${role.name}` : "New role"} onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Back<//><${Button} primary type="submit" form="role-form" busy=${isBusy}>Save<//>`}>
    <form id="role-form" class="stack loose" onSubmit=${submit}><${Field} label="Name" name="name" required value=${name} onChange=${setName} problem=${problem} /><${ScopePicker} available=${me?.scopes ?? []} value=${scopes} onChange=${setScopes} /><${ProblemNotice} error=${problem} /></form>
  <//>`;
}

