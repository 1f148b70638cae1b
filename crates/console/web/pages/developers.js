// For programs: access tokens, webhook endpoints with their deliveries, and events as they happen.
import { html } from "../app/html.js";
import { href } from "../app/router.js";
import { can } from "../app/session.js";
import { PageHead, Tabs } from "../components/basics.js";
import { Events } from "./developers_events.js";
import { Tokens } from "./developers_tokens.js";
import { Endpoint, Webhooks } from "./developers_webhooks.js";

/** @param {{ parts: (string | undefined)[] }} props */
export function Developers({ parts: [section, id] }) {
  const tabs = /** @type {[string, string][]} */ ([["tokens", "Access tokens", "access_tokens:read"], ["webhooks", "Webhooks", "webhooks:read"], ["events", "Events", "events:read"]].filter(([, , scope]) => can(scope)).map(([key, name]) => [key, name]));
  const current = section ?? tabs[0]?.[0];
  if (current === "webhooks" && id) return html`<${Endpoint} id=${id} />`;
  return html`
    <${PageHead} title="Developers" sub="Everything that this console shows and does, a program can do by the API"><a class="btn" href="/docs" target="_blank" rel="noopener">Reference</a><a class="btn" href="/docs/guide" target="_blank" rel="noopener">Guide</a><//>
    <${Tabs} label="For programs" current=${current} tabs=${tabs} path=${(/** @type {string} */ key) => href(`/developers/${key}`)} />
    ${current === "tokens" && html`<${Tokens} />`}${current === "webhooks" && html`<${Webhooks} />`}${current === "events" && html`<${Events} />`}`;
}

