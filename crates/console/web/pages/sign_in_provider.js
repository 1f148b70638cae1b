// Signing in at the identity provider: the button, and why a person who comes back from there is not signed in.
import { html } from "../app/html.js";
import { BASE } from "../app/router.js";
import { Notice } from "../components/basics.js";

/** What happened, and what the person can do about it. @type {Record<string, [string, string]>} */
const PROBLEMS = {
  oidc_not_configured: ["There is no identity provider to sign in at", "Sign in with your password, or ask an administrator for a sign-in link."],
  oidc_unavailable: ["The identity provider does not answer", "Try again in a minute. If it stays away, ask an administrator for a sign-in link."],
  oidc_state: ["This browser has no such sign-in under way", "A sign-in must end in the tab that began it last, and works once. Start again."],
  oidc_expired: ["The sign-in took too long", "You have ten minutes at the identity provider. Start again."],
  oidc_cancelled: ["The sign-in was cancelled", "Nothing has changed. You can start again."],
  oidc_provider: ["The identity provider reported an error", "Start again. If it happens again, tell the operator of this server: its log has the error."],
  oidc_code: ["The identity provider did not confirm the sign-in", "Start again. If it happens again, the operator should check the client's id and secret."],
  oidc_email_unverified: ["Your e-mail address is not verified", "Verify your address at the identity provider, then start again."],
  oidc_domain: ["Your e-mail address is of another domain", "Sign in with an address of your organisation, or ask an administrator."],
  oidc_no_role: ["You have no role here", "Ask the person who manages accounts at the identity provider for access."],
  oidc_not_invited: ["You have not been invited yet", "Ask an administrator to invite you with the address that you sign in with."],
  oidc_disabled: ["Your user is disabled", "Ask an administrator to enable it."],
  oidc_other_identity: ["Your address belongs to a user who signs in with another account", "Sign in with that account, or ask an administrator to delete the user and to invite you again."],
  oidc_too_many_users: ["The organisation has no room for another user", "Ask an administrator to delete users who have left."],
  oidc_limited: ["There were too many failed sign-ins", "Wait 15 minutes, then start again."],
};
/** @type {[string, string]} */
const FALSE_TOKEN = ["The answer of the identity provider could not be trusted", "You are not signed in. Start again. If it happens again, show this code to the operator of this server."];

/**
 * Why the person is not signed in, by the code in the address. An unknown code is shown as one, and never as text of ours.
 * @param {{ code: string | null }} props
 */
export function ProviderProblem({ code }) {
  if (!code || !/^oidc_[a-z_]{1,60}$/.test(code)) return null;
  const [title, advice] = PROBLEMS[code] ?? FALSE_TOKEN;
  return html`<div class="above-top"><${Notice} tone="bad" icon="stop" role="alert" title=${title}>${advice} <span class="tiny soft"><code>${code}</code></span><//></div>`;
}

/** The button, if the server has an identity provider. @param {{ next: string, provider: { label: string, start_url: string } | null | undefined }} props */
export function ProviderButton({ next, provider }) {
  if (!provider) return null;
  const wanted = next === "/" ? BASE : BASE + next;
  return html`<a class="btn full above-top" href=${`${provider.start_url}?next=${encodeURIComponent(wanted)}`}>${provider.label}</a>`;
}
