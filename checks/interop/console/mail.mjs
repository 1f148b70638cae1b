// Invitations and forgotten passwords by e-mail: a mail server on the loopback, and a person who reads what it got.
//
// Alone: `node mail.mjs BINARY WORKDIR [SETTINGS]`, with CHROMIUM and CONSOLE_TOOLS set as run.sh sets them.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { people } from "./people.mjs";
import { caller, PATIENCE_MS, start } from "./server.mjs";

const PASSWORD = "quiet harbour seven lanterns";
/** Addresses of each kind whose requests are timed. One network address may send 60 requests in 15 minutes. */
const TIMED = 12;

/** Undoes quoted-printable, as a mail reader does. */
const readable = (text) => text.replaceAll("=\r\n", "").replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));

/** Starts a mail server that takes everything, without TLS. */
export async function startMailbox() {
  const mails = [];
  const server = createServer((socket) => {
    let [buffer, isMessage, mail] = ["", false, { to: "", text: "" }];
    const say = (line) => socket.write(`${line}\r\n`);
    say("220 mail.acme.example ESMTP");
    socket.on("error", () => {});
    socket.on("data", (piece) => {
      buffer += piece;
      for (let end = buffer.indexOf("\r\n"); end >= 0; end = buffer.indexOf("\r\n")) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        if (isMessage) {
          if (line !== ".") mail.text += `${line.replace(/^\./, "")}\r\n`;
          else {
            isMessage = false;
            mails.push({ to: mail.to, text: readable(mail.text) });
            mail = { to: "", text: "" };
            say("250 queued");
          }
        } else if (line.startsWith("DATA")) {
          isMessage = true;
          say("354 go on");
        } else if (line.startsWith("QUIT")) {
          say("221 bye");
          socket.end();
        } else {
          if (line.startsWith("RCPT")) mail.to = /<(.*)>/.exec(line)[1];
          say("250 ok");
        }
      }
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  /** Waits for the newest e-mail to an address, and forgets all e-mails to it. */
  const read = async (to) => {
    const end = Date.now() + PATIENCE_MS;
    while (!mails.some((mail) => mail.to === to)) {
      if (Date.now() > end) throw new Error(`no e-mail to ${to}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const found = mails.findLast((mail) => mail.to === to);
    for (let place = mails.length - 1; place >= 0; place -= 1) if (mails[place].to === to) mails.splice(place, 1);
    return { ...found, link: /^http\S+#dkl_\S+$/m.exec(found.text)[0] };
  };
  return { port: server.address().port, mails, read, stop: () => new Promise((resolve) => server.close(resolve)) };
}

/** The settings with which a server sends there. */
export const mailSettings = ({ port }) => ["--smtp-url", `smtp://127.0.0.1:${port}`, "--smtp-allow-plain", "--mail-from", "Acme Shipping <dockside@acme.example>"];

/** Presses Tab until the element with this name has the focus, and then Enter. */
async function reach(page, name) {
  for (let pressed = 0; pressed < 20; pressed += 1) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(() => document.activeElement?.textContent?.trim())) === name) return page.keyboard.press("Enter");
  }
  throw new Error(`the key Tab does not reach ${name}`);
}

/** What an invited person and one who has forgotten the password do. Returns the number of steps. */
export async function mailJourney({ browser, base, live, mailbox, pictures }) {
  let steps = 0;
  const step = async (name, run) => {
    const from = Date.now();
    await run();
    steps += 1;
    console.log(`  ${name} (${Date.now() - from} ms)`);
  };
  const crowd = people(base, live);
  const address = "ada@acme.example";
  const visit = async (options = {}) => (await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB", ...options })).newPage();
  const picture = (page, name) => page.screenshot({ path: join(pictures, `mail-${name}.png`) });
  let page = await visit();
  await step("an invited person opens the link of the e-mail, and chooses a password", async () => {
    await live("POST", "/users", { name: "Ada Lindqvist", email_address: address, roles: ["viewer"] });
    const mail = await mailbox.read(address);
    assert.match(mail.text, /Subject: You are invited to .* on Dockside/);
    assert.match(mail.text, /24 hours/);
    await page.goto(mail.link);
    await page.getByRole("heading", { name: "Sign in with your link" }).waitFor();
    assert.equal(new URL(page.url()).hash, "", "the token does not stay in the address");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByLabel("New password").fill("an early password of Ada");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByRole("heading", { name: "Today" }).waitFor();
  });
  const reset = await visit();
  let link = "";
  await step("a person who has forgotten it asks for a link by the keyboard", async () => {
    await reset.goto(`${base}/console/sign-in`);
    await reset.getByRole("link", { name: "Forgot your password?" }).waitFor();
    await picture(reset, "sign-in");
    await reach(reset, "Forgot your password?");
    await reset.getByRole("heading", { name: "Forgot your password?" }).waitFor();
    await reset.getByLabel("E-mail").focus();
    await reset.keyboard.type(address);
    await picture(reset, "forgot");
    await reset.keyboard.press("Enter");
    await reset.getByRole("heading", { name: "Look into your mailbox" }).waitFor();
    await picture(reset, "sent");
    const mail = await mailbox.read(address);
    assert.match(mail.text, /Subject: Reset your password for .* on Dockside/);
    assert.match(mail.text, /30 minutes/);
    link = mail.link;
  });
  await step("a program that only opens the link does not use it up", async () => {
    const scanner = await visit();
    await scanner.goto(link);
    await scanner.getByRole("button", { name: "Continue" }).waitFor();
    await picture(scanner, "link");
    await scanner.context().close();
  });
  await step("the link leads to a new password, which signs in and ends other sessions", async () => {
    await reset.goto("about:blank");
    await reset.goto(link);
    await reset.getByRole("button", { name: "Continue" }).waitFor();
    await reach(reset, "Continue");
    await reset.getByLabel("New password").waitFor();
    await picture(reset, "choose");
    await reset.getByLabel("New password").focus();
    await reset.keyboard.type(PASSWORD);
    await reset.keyboard.press("Enter");
    await reset.getByRole("heading", { name: "Today" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal((await crowd.signIn({ email_address: address, password: "an early password of Ada" })).status, 401);
    await page.getByLabel("E-mail").fill(address);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Today" }).waitFor();
  });
  await step("a used link says so, and leads to a new one", async () => {
    const late = await visit({ colorScheme: "dark", viewport: { width: 390, height: 844 } });
    await late.goto(link);
    await late.getByRole("button", { name: "Continue" }).click();
    await late.getByRole("heading", { name: "This link does not work" }).waitFor();
    await picture(late, "used-dark-phone");
    await late.getByRole("link", { name: "Ask for a new link" }).click();
    await late.getByRole("heading", { name: "Forgot your password?" }).waitFor();
    await picture(late, "forgot-dark-phone");
    await late.getByRole("link", { name: "Back to the sign-in" }).click();
    await late.getByRole("heading", { name: "Sign in" }).waitFor();
    await picture(late, "sign-in-dark-phone");
    await late.context().close();
  });
  await page.context().close();
  await reset.context().close();
  return steps;
}

/** Asks for links to addresses that users have and that none has, and compares what comes back. Returns the number of requests. */
export async function enumerationAttack({ base, live }) {
  const crowd = people(base, live);
  const known = [];
  for (let made = 0; made < TIMED; made += 1) {
    const user = await crowd.make(["viewer"], "known");
    await crowd.setPassword(user, PASSWORD);
    known.push(user.email_address);
  }
  const disabled = await crowd.make(["viewer"], "off");
  await crowd.setPassword(disabled, PASSWORD);
  await live("POST", `/users/${disabled.id}/disable`, {});
  const without = await crowd.make(["viewer"], "without");
  const ask = async (address) => {
    const from = performance.now();
    const answer = await fetch(`${base}/password_resets`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ email_address: address }) });
    const text = await answer.text();
    const headers = [...answer.headers.keys()].sort().join();
    return { seen: `${answer.status} ${headers} ${text}`, took: performance.now() - from };
  };
  const times = { known: [], unknown: [] };
  const seen = new Set();
  for (let place = 0; place < TIMED; place += 1) {
    const pair = [["known", known[place]], ["unknown", `nobody-${place}@elsewhere.example`]];
    // Each kind comes first in half of the pairs, so that what one leaves to be done burdens both alike.
    for (const [kind, address] of place % 2 === 0 ? pair : pair.toReversed()) {
      const answer = await ask(address);
      seen.add(answer.seen);
      times[kind].push(answer.took);
    }
  }
  for (const user of [disabled, without]) seen.add((await ask(user.email_address)).seen);
  assert.equal(seen.size, 1, `the answers differ: ${[...seen].join(" | ")}`);
  const middle = (all) => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)];
  const [one, other] = [middle(times.known), middle(times.unknown)];
  // An answer that waited for a link and an e-mail, or for a password's hash, would take far longer.
  assert.ok(Math.abs(one - other) < 10 + Math.min(one, other), `known ${one} ms, unknown ${other} ms`);
  console.log(`  ${2 * TIMED + 2} addresses answered alike: known ${one.toFixed(1)} ms, unknown ${other.toFixed(1)} ms`);
  return 2 * TIMED + 2;
}

/** Starts a server that sends to a mailbox, and does all of it. */
export async function mailPart({ browser, binary, folder, settings, pictures }) {
  const mailbox = await startMailbox();
  const own = await start(binary, folder, [...settings, ...mailSettings(mailbox)]);
  const world = { browser, base: own.base, live: caller(own.base, own.live), mailbox, pictures };
  try {
    const steps = await mailJourney(world);
    return { steps, refused: await enumerationAttack(world) };
  } finally {
    await own.stop();
    await mailbox.stop();
    assert.ok(!readFileSync(join(folder, "server.log"), "utf8").replaceAll(own.link, "").includes("dkl_"), "the log has a link");
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { chromium } = createRequire(join(process.env.CONSOLE_TOOLS, "package.json"))("playwright-core");
  const [binary, folder, ...settings] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server"] });
  try {
    const { steps, refused } = await mailPart({ browser, binary, folder, settings, pictures: folder });
    console.log(`mail: ${steps} steps, ${refused} requests compared`);
  } finally {
    await browser.close();
  }
}
