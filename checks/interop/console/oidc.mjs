// Signing in at an identity provider that others wrote (oidc-provider), in a real browser.
//
// Alone: `node oidc.mjs BINARY WORKDIR [SETTINGS]`, with CHROMIUM and CONSOLE_TOOLS set as run.sh sets them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { start } from "./server.mjs";

const CLIENT = "dockside";
const SECRET = "a secret of forty characters or even more";
const PEOPLE = {
  ada: { sub: "ada", email: "ada@acme.example", email_verified: true, name: "Ada Lindqvist", groups: ["warehouse"] },
  eve: { sub: "eve", email: "eve@elsewhere.example", email_verified: true, name: "Eve", groups: ["warehouse"] },
  una: { sub: "una", email: "una@acme.example", email_verified: false, name: "Una", groups: ["warehouse"] },
};

/** Starts a provider, which lets everyone of `PEOPLE` in without a password. Call `allow` once the address of the server is known. */
export async function startProvider() {
  const load = createRequire(join(process.env.CONSOLE_TOOLS, "package.json"));
  const { default: Provider } = await import(pathToFileURL(load.resolve("oidc-provider")));
  let handle = (request, response) => response.writeHead(503).end();
  const listener = createServer((request, response) => handle(request, response));
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${listener.address().port}`;
  const allow = (base) => {
    const provider = new Provider(issuer, {
      clients: [{ client_id: CLIENT, client_secret: SECRET, redirect_uris: [`${base}/oidc/callback`], grant_types: ["authorization_code"], response_types: ["code"] }],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
      cookies: { keys: ["a key for tests"] },
      features: { devInteractions: { enabled: true } },
      findAccount: (context, id) => PEOPLE[id] && { accountId: id, claims: () => PEOPLE[id] },
      pkce: { required: () => true },
    });
    handle = provider.callback();
  };
  return { issuer, allow, stop: () => new Promise((resolve) => listener.close(resolve)) };
}

/** The settings with which a server signs people in there. */
export const settingsFor = ({ issuer }) => [
  "--oidc-issuer", issuer, "--oidc-client-id", CLIENT, "--oidc-client-secret", SECRET, "--oidc-label", "Sign in with Acme",
  "--oidc-domains", "acme.example", "--oidc-role-claim", "groups", "--oidc-roles", "warehouse=packer", "--oidc-create-users",
];

/** Signs people in and out. The server at `base` was started with `settingsFor` the provider, which allows `base`. */
export async function oidcJourney({ browser, base }) {
  const visit = async (person, path = "/orders") => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${base}/console${path}`);
    await page.getByRole("link", { name: "Sign in with Acme" }).click();
    await page.getByPlaceholder("Enter any login").fill(person);
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    return { context, page };
  };
  const ada = await visit("ada");
  await ada.page.getByRole("heading", { name: "Orders" }).first().waitFor();
  const me = await ada.page.evaluate(() => fetch("/me").then((answer) => answer.json()));
  assert.deepEqual([me.user.name, me.user.email_address, me.roles, me.session.began_with], ["Ada Lindqvist", "ada@acme.example", ["packer"], "openid_connect"]);
  assert.equal(await ada.page.evaluate(() => document.cookie), "", "a script of the page reads no cookie");
  await ada.page.goto(`${base}/console/account`);
  await ada.page.getByText("the identity provider").first().waitFor();
  await ada.context.close();

  for (const [person, problem] of [["eve", "another domain"], ["una", "not verified"]]) {
    const { context, page } = await visit(person);
    await page.getByRole("alert").getByText(problem).waitFor();
    assert.equal(await page.evaluate(() => fetch("/me").then((answer) => answer.status)), 401);
    await page.getByRole("link", { name: "Sign in with Acme" }).waitFor();
    await context.close();
  }
  // A callback that no browser began.
  const stranger = await browser.newContext();
  const page = await stranger.newPage();
  await page.goto(`${base}/oidc/callback?code=x&state=y`);
  await page.getByRole("alert").getByText("oidc_state").waitFor();
  await stranger.close();
  return 4;
}

async function main([binary, work, ...settings]) {
  const { chromium } = createRequire(join(process.env.CONSOLE_TOOLS, "package.json"))("playwright-core");
  const provider = await startProvider();
  const server = await start(binary, work, [...settings, ...settingsFor(provider)]);
  provider.allow(server.base);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server"] });
  try {
    console.log(`oidc: ${await oidcJourney({ browser, base: server.base })} journeys`);
  } finally {
    await browser.close();
    await provider.stop();
    await server.stop();
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
