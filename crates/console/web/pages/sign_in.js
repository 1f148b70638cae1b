// Signing in: by password, with a passkey, at the identity provider, or by a one-time link whose token is in the fragment, which browsers never send. A link of an
// e-mail has a page of its own, and so has a forgotten password.
import { html, useEffect, useState } from "../app/html.js";
import { put } from "../app/api.js";
import { useAction } from "../app/action.js";
import { BASE, go, href, safeNext, usePlace } from "../app/router.js";
import { hasPasskeys, signChallenge } from "../app/passkeys.js";
import { useResource } from "../app/resource.js";
import { signIn, useMe } from "../app/session.js";
import { Button, ProblemNotice } from "../components/basics.js";
import { Field } from "../components/form.js";
import { Mark } from "../components/icon.js";
import { ProviderButton, ProviderProblem } from "./sign_in_provider.js";
import { ForgottenPassword, MailedLink } from "./sign_in_reset.js";

/** The shortest password that the server accepts, in characters. */
const PASSWORD_CHARS_MIN = 12;

/** @param {{ children: any }} props */
const Gate = ({ children }) => html`<div class="gate">
  <svg class="quay" viewBox="0 0 1200 208" preserveAspectRatio="xMidYMax slice" aria-hidden="true"><path d="M0 200h1200" /><path class="block" d="M70 200v-60h110v60zM190 200v-60h110v60zM130 140V80h110v60zM920 200v-60h110v60zM1040 200v-60h110v60z" /><path class="lit" d="M980 140V80h110v60z" /><path d="M90 150v40M110 150v40M130 150v40M150 150v40M940 150v40M960 150v40M980 150v40M1000 150v40M820 200V20M820 20h240M860 20l-40 60M1035 20v60" /></svg>
  <main id="main"><div class="brand"><${Mark} /><span>Dockside</span></div>${children}</main>
  <footer>Fulfilment on your own machines</footer>
</div>`;

export function SignIn() {
  const { path, query } = usePlace();
  const [token] = useState(() => location.hash.slice(1));
  const [isMailed] = useState(path === "/sign-in/mail");
  useEffect(() => {
    document.title = "Sign in · Dockside";
    // The token is used once. It does not stay in the history.
    if (token) history.replaceState(null, "", location.pathname + location.search);
  }, []);
  // The server names the page with the path that all pages of the console begin with.
  const wanted = query.get("next");
  const next = safeNext(wanted?.startsWith(`${BASE}/`) ? wanted.slice(BASE.length) : wanted === BASE ? "/" : wanted);
  const me = useMe();
  useEffect(() => {
    // A person who is signed in already needs no form.
    if (me && !token && path === "/sign-in") go(next, { replace: true });
  }, [me]);
  const done = (/** @type {boolean} */ needsPassword) => {
    go(needsPassword ? `/sign-in/password?next=${encodeURIComponent(next)}` : next, { replace: true });
  };
  if (path === "/sign-in/password") return html`<${ChoosePassword} onDone=${() => go(next, { replace: true })} />`;
  if (path === "/sign-in/forgot") return html`<${Gate}><${ForgottenPassword} /><//>`;
  if (path === "/sign-in/mail") return html`<${Gate}><${MailedLink} token=${token} onDone=${() => done(true)} /><//>`;
  return token && !isMailed ? html`<${ByLink} token=${token} onDone=${done} />` : html`<${ByPassword} onDone=${done} next=${next} problem=${query.get("problem")} />`;
}

/** @param {{ onDone: (needsPassword: boolean) => void, next: string, problem: string | null }} props */
function ByPassword({ onDone, next, problem: code }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const ways = useResource("/sign_in_methods");
  const { run, isBusy, problem } = useAction(() => signIn({ email_address: email.trim(), password }), { shows: true });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if ((await run()) !== undefined) onDone(false);
  };
  return html`<${Gate}><section class="panel"><h1>Sign in</h1>
    <${ProviderProblem} code=${code} />
    <form onSubmit=${submit}>
      <${ProblemNotice} error=${problem} />
      <${Field} label="E-mail" name="email_address" type="email" autocomplete="username" required autofocus value=${email} onChange=${setEmail} />
      <${Field} label="Password" name="password" type="password" autocomplete="current-password" required value=${password} onChange=${setPassword} hint=${ways.data?.password_reset ? undefined : "Forgotten? Ask an administrator for a new sign-in link."} />
      <${Button} primary class="full" type="submit" busy=${isBusy}>Sign in<//>
      ${ways.data?.password_reset && html`<p class="hint"><a href=${href("/sign-in/forgot")}>Forgot your password?</a></p>`}
    </form>
    ${ways.data?.passkey && hasPasskeys() && html`<${PasskeyButton} onDone=${() => onDone(false)} />`}
    <${ProviderButton} next=${next} provider=${ways.data?.openid_connect} />
    <p class="hint above-top">The first start of the server prints a sign-in link, and keeps it in <code>welcome.txt</code> in the data folder.</p>
  </section><//>`;
}

/** Signs in with whichever passkey the person chooses: no address is typed. @param {{ onDone: () => void }} props */
function PasskeyButton({ onDone }) {
  const { run, isBusy, problem } = useAction(async () => signIn(await signChallenge()), { shows: true });
  const begin = async () => {
    if ((await run()) !== undefined) onDone();
  };
  return html`<div class="stack above-top"><${Button} class="full" icon="key" busy=${isBusy} onClick=${begin}>Sign in with a passkey<//><${ProblemNotice} error=${problem} /></div>`;
}

/** @param {{ token: string, onDone: (needsPassword: boolean) => void }} props */
function ByLink({ token, onDone }) {
  const { run, problem } = useAction(() => signIn({ link_token: token }), { shows: true });
  const me = useMe();
  const [isIn, setIn] = useState(false);
  useEffect(() => {
    run().then((result) => result !== undefined && setIn(true));
  }, []);
  useEffect(() => {
    if (isIn && me) onDone(me.user.has_password === false);
  }, [isIn, me]);
  return html`<${Gate}><section class="panel"><h1>${problem ? "This link does not work" : "Signing in"}</h1>
    ${problem ? html`<form onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}><${ProblemNotice} error=${problem} /><p class="soft small">A link works once and for 15 minutes. Ask an administrator for a new one, or run <code>dockside user link</code> on the server.</p><a class="btn full" href="/console/sign-in">Sign in with a password</a></form>` : html`<p class="soft" role="status">One moment.</p>`}
  </section><//>`;
}

/** @param {{ onDone: () => void }} props */
function ChoosePassword({ onDone }) {
  const me = useMe();
  const [password, setPassword] = useState("");
  const { run, isBusy, problem } = useAction(() => put("/me/password", { new_password: password }), { done: "The password is set.", shows: true });
  const isShort = password.length > 0 && [...password].length < PASSWORD_CHARS_MIN;
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if ((await run()) !== undefined) onDone();
  };
  return html`<${Gate}><section class="panel"><h1>Choose a password</h1><p class="soft"><bdi>${me?.user.email_address}</bdi></p>
    <form onSubmit=${submit}>
      <${ProblemNotice} error=${problem} />
      <input type="email" name="username" autocomplete="username" value=${me?.user.email_address ?? ""} hidden readonly />
      <${Field} label="New password" name="new_password" type="password" autocomplete="new-password" required autofocus value=${password} onChange=${setPassword} problem=${problem} message=${isShort ? `At least ${PASSWORD_CHARS_MIN} characters; ${PASSWORD_CHARS_MIN - [...password].length} are missing.` : ""} hint=${`At least ${PASSWORD_CHARS_MIN} characters. A sentence is easier to remember than a riddle.`} />
      <${Button} primary class="full" type="submit" busy=${isBusy} why=${[...password].length < PASSWORD_CHARS_MIN ? "The password is too short" : undefined}>Set the password<//>
      <${Button} ghost class="full" onClick=${onDone}>Later<//>
    </form>
  </section><//>`;
}
