// Settings: what is set up once and changed seldom.
import { html, useEffect } from "../app/html.js";
import { href } from "../app/router.js";
import { can } from "../app/session.js";
import { Empty } from "../components/basics.js";
import { Branding } from "./settings_branding.js";
import { Carriers } from "./settings_carriers.js";
import { Configurations, Locations } from "./settings_locations.js";
import { Organisation } from "./settings_organisation.js";
import { Packages } from "./settings_packages.js";
import { Printers } from "./settings_printers.js";
import { Rules } from "./settings_rules.js";

const SECTIONS = /** @type {[string, string, string, any][]} */ ([
  ["locations", "Locations", "locations:read", Locations],
  ["configurations", "Configurations", "location_configurations:read", Configurations],
  ["packages", "Package types", "package_types:read", Packages],
  ["rules", "Shipping rules", "shipping_rules:read", Rules],
  ["carriers", "Carriers", "carriers:read", Carriers],
  ["printers", "Printers", "printers:read", Printers],
  ["branding", "Branding", "organisation:read", Branding],
  ["organisation", "Organisation", "organisation:read", Organisation],
]);

/** @param {{ parts: (string | undefined)[] }} props */
export function Settings({ parts: [section] }) {
  const allowed = SECTIONS.filter(([, , scope]) => can(scope));
  const current = allowed.find(([key]) => key === section) ?? (section ? null : allowed[0]);
  useEffect(() => {
    document.title = `${current?.[1] ?? "Settings"} · Dockside`;
  }, [current]);
  const Section = current?.[3];
  return html`<div class="settings">
    <nav aria-label="Settings">${allowed.map(([key, name]) => html`<a key=${key} href=${href(`/settings/${key}`)} aria-current=${key === current?.[0] ? "page" : undefined}>${name}</a>`)}</nav>
    <div>${Section ? html`<${Section} />` : html`<section class="panel"><${Empty} title="You may not see these settings">Ask an administrator for the scope.<//></section>`}</div>
  </div>`;
}
