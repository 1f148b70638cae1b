// A forgotten password: asking for a link, and opening a link that came by e-mail.
import { html, useState } from "../app/html.js";
import { post, Problem } from "../app/api.js";
import { useAction } from "../app/action.js";
import { href } from "../app/router.js";
import { signIn } from "../app/session.js";
import { Button, Notice, ProblemNotice } from "../components/basics.js";
import { Field } from "../components/form.js";

/** Asks for a link. The answer is the same whether a user has the address or not, and so is this page. */
export function ForgottenPassword() {
  const [email, setEmail] = useState("");
  const [sent, setSent] = useState(/** @type {{ email: string, minutes: number } | null} */ (null));
  const { run, isBusy, problem } = useAction(() => post("/password_resets", { email_address: email.trim() }), { shows: true });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const answer = await run();
    if (answer) setSent({ email: email.trim(), minutes: Math.round(answer.data.link_seconds / 60) });
  };
  const back = html`<a class="btn ghost full" href=${href("/sign-in")}>Back to the sign-in</a>`;
  if (sent) {
    // Keys, because a button that is reused would fade from one colour to the other.
    return html`<section key="sent" class="panel"><h1>Look into your mailbox</h1><form onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <${Notice} tone="good" icon="key" role="status" title=${html`You have asked for a link for <bdi>${sent.email}</bdi>`}>If a user with a password has this address, the link arrives soon. It works once, for ${sent.minutes} minutes.<//>
      <p class="soft small">Nothing there after some minutes? Look among the unwanted e-mails, check the address, or ask an administrator for a sign-in link.</p>
      <${Button} class="full" onClick=${() => setSent(null)}>Try another address<//>${back}
    </form></section>`;
  }
  return html`<section key="ask" class="panel"><h1>Forgot your password?</h1><p class="soft">Type the address that you sign in with. You get a link to choose a new password.</p>
    <form onSubmit=${submit}>
      <${ProblemNotice} error=${problem} />
      <${Field} label="E-mail" name="email_address" type="email" autocomplete="username" required autofocus value=${email} onChange=${setEmail} problem=${problem} />
      <${Button} primary class="full" type="submit" busy=${isBusy}>Send me a link<//>${back}
    </form>
  </section>`;
}

/**
 * Opens a link of an e-mail. It waits for a click: programs that look for malware open such links, too, and a link works once.
 * @param {{ token: string, onDone: () => void }} props
 */
export function MailedLink({ token, onDone }) {
  const { run, isBusy, problem } = useAction(() => signIn({ link_token: token }), { shows: true });
  const open = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if ((await run()) !== undefined) onDone();
  };
  const isDead = !token || (problem instanceof Problem && problem.status === 401);
  if (isDead) {
    return html`<section class="panel"><h1>This link does not work</h1><form onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}><p class="soft" role="alert">A link works once, and for the time that the e-mail says. A newer link takes the place of an older one.</p>
      <a class="btn primary full" href=${href("/sign-in/forgot")}>Ask for a new link</a><a class="btn ghost full" href=${href("/sign-in")}>Back to the sign-in</a>
    </form></section>`;
  }
  return html`<section class="panel"><h1>Sign in with your link</h1><p class="soft">The link works once. Next you choose a password.</p>
    <form onSubmit=${open}><${ProblemNotice} error=${problem} /><${Button} primary class="full" type="submit" busy=${isBusy}>Continue<//></form>
  </section>`;
}
