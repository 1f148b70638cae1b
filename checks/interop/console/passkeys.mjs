// Passkeys with Chromium's virtual authenticator: a person adds one, signs in with it and takes it away; and attacks with real signatures.
import assert from "node:assert/strict";

const PASSWORD = "quiet harbour seven lanterns";

/** Gives the page a device that keeps passkeys and says that it has verified the person. */
async function device(context, page, options = {}) {
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", { options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true, ...options } });
  return { session, authenticatorId, keys: async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials };
}

/** Adds a passkey on the page of the account, and waits until it is listed. */
async function add(page, base, name) {
  await page.goto(`${base}/console/account`);
  await page.getByRole("button", { name: "Add a passkey" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill(name);
  await page.getByRole("dialog").getByRole("button", { name: "Go on" }).click();
  await page.getByRole("table", { name: "Passkeys" }).getByText(name, { exact: true }).waitFor();
}

const signOut = async (page) => {
  await page.goto(new URL("/console/account", page.url()).href);
  await page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
};

export async function passkeyJourney({ browser, base, crowd, live, watch, faults }) {
  let steps = 0;
  const step = async (name, work) => {
    const from = Date.now();
    await work();
    steps += 1;
    console.log(`  ${name} (${Date.now() - from} ms)`);
  };
  const user = await crowd.make(["viewer"], "passkey");
  const context = await crowd.context(browser, user.cookie);
  faults.push(watch(context, base));
  const page = await context.newPage();
  await page.goto(`${base}/console`);
  const own = await device(context, page);
  await step("a person without a password adds a passkey", async () => {
    await add(page, base, "Packing desk");
    const [key] = await own.keys();
    assert.deepEqual([key.rpId, key.isResidentCredential], [new URL(base).hostname, true]);
    const made = await live("GET", `/events?type=passkey.created&actor=${user.id}&limit=1`);
    assert.equal(made.data[0].data.object.name, "Packing desk");
  });
  await step("the same device makes no second one", async () => {
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Go on" }).click();
    await page.getByRole("dialog").getByText("has a passkey of yours already").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Back" }).click();
  });
  await step("the passkey signs in without an address, and leads to the wanted page", async () => {
    await signOut(page);
    await page.goto(`${base}/console/sign-in?next=%2Forders%3Fview%3Dlate`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(/\/console\/orders\?view=late$/);
    const me = await page.evaluate(() => fetch("/me").then((answer) => answer.json()));
    assert.deepEqual([me.user.id, me.session.began_with], [user.id, "passkey"]);
    assert.equal(await page.evaluate(() => document.cookie), "", "a script of the page reads no cookie");
  });
  await step("a device that does not verify the person can't sign in", async () => {
    await signOut(page);
    await own.session.send("WebAuthn.setUserVerified", { authenticatorId: own.authenticatorId, isUserVerified: false });
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("alert").getByText("Nothing was signed").waitFor();
    await own.session.send("WebAuthn.setUserVerified", { authenticatorId: own.authenticatorId, isUserVerified: true });
  });
  await step("a copied key is noticed by its counter", async () => {
    const [key] = await own.keys();
    await own.session.send("WebAuthn.removeCredential", { authenticatorId: own.authenticatorId, credentialId: key.credentialId });
    await own.session.send("WebAuthn.addCredential", { authenticatorId: own.authenticatorId, credential: { ...key, signCount: 0 } });
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("alert").getByText("The sign-in failed").waitFor();
    await own.session.send("WebAuthn.removeCredential", { authenticatorId: own.authenticatorId, credentialId: key.credentialId });
    await own.session.send("WebAuthn.addCredential", { authenticatorId: own.authenticatorId, credential: { ...key, signCount: 1000 } });
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Today" }).first().waitFor();
  });
  await step("an administrator sees the passkey and the session, and ends the session", async () => {
    const admin = await crowd.make(["admin"], "keeper");
    const theirs = await crowd.context(browser, admin.cookie);
    faults.push(watch(theirs, base));
    const desk = await theirs.newPage();
    await desk.goto(`${base}/console/users`);
    await desk.getByRole("button", { name: `Actions for ${user.name}`, exact: true }).click();
    await desk.getByRole("menuitem", { name: "Sessions and passkeys" }).click();
    const dialog = desk.getByRole("dialog");
    await dialog.getByText("Packing desk").waitFor();
    await dialog.getByText("with a passkey").first().waitFor();
    for (;;) {
      const open = (await live("GET", `/sessions?user_id=${user.id}`)).data.length;
      if (open === 0) break;
      await dialog.getByRole("button", { name: "End", exact: true }).first().click();
      await desk.getByRole("button", { name: "End the session", exact: true }).click();
      await dialog.getByRole("button", { name: "End", exact: true }).nth(open - 1).waitFor({ state: "detached" });
    }
    await dialog.getByText("No browser is signed in").waitFor();
    await theirs.close();
    await page.goto(`${base}/console/account`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Your account" }).waitFor();
  });
  await step("a deleted passkey can't sign in", async () => {
    await page.goto(`${base}/console/account`);
    await page.getByRole("button", { name: "Delete Packing desk" }).click();
    await page.getByRole("dialog").getByText("You have no password, and no other passkey").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the passkey" }).click();
    await page.getByText("No passkeys yet").waitFor();
    await signOut(page);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("alert").getByText("The sign-in failed").waitFor();
  });
  await context.close();
  return steps;
}

/** Sends a proof with the cookie of the browser that asked for the challenge. */
async function send(crowd, cookie, proof, headers = {}) {
  return crowd.signIn({ passkey: proof }, { ...(cookie ? { Cookie: `dockside_passkey=${cookie}` } : {}), ...headers });
}

/** Signatures of real passkeys, for other users, sites, challenges and browsers. Returns how many were tried and refused. */
export async function forgedPasskeys({ browser, base, crowd }) {
  const [victim, mallory] = [await crowd.make(["viewer"], "held"), await crowd.make(["viewer"], "mallory")];
  await crowd.setPassword(victim, PASSWORD);
  const held = async (user) => {
    const context = await crowd.context(browser, user.cookie);
    const page = await context.newPage();
    await page.goto(`${base}/console`);
    await device(context, page);
    await add(page, base, "Key");
    return page;
  };
  const [theirs, own] = [await held(victim), await held(mallory)];
  const start = async () => {
    const answer = await fetch(`${base}/sessions/challenge`, { method: "POST" });
    return { ...(await answer.json()), cookie: /dockside_passkey=([^;]+)/.exec(answer.headers.get("set-cookie"))[1] };
  };
  /** What the page's passkey signs for a challenge, through the console's own module. */
  const sign = (page, challenge) => page.evaluate(async (wanted) => {
    const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const credential = await navigator.credentials.get({ publicKey: { challenge: bytes(wanted), rpId: location.hostname, userVerification: "required" } });
    const { response } = credential;
    return { credential_id: text(credential.rawId), client_data: text(response.clientDataJSON), authenticator_data: text(response.authenticatorData), signature: text(response.signature), user_handle: text(response.userHandle) };
  }, challenge);
  const asText = (value) => Buffer.from(value).toString("base64url");
  const altered = (proof, change) => ({ ...proof, client_data: asText(change(Buffer.from(proof.client_data, "base64url").toString())) });
  let refused = 0;
  const refuse = async (what, answer) => {
    assert.equal((await answer).status, 401, what);
    assert.equal((await answer).cookie, "", what);
    refused += 1;
  };
  const asked = await start();
  const [proof, mine] = [await sign(theirs, asked.challenge), await sign(own, asked.challenge)];
  await refuse("another browser's challenge", send(crowd, (await start()).cookie, proof));
  await refuse("no cookie", send(crowd, "", proof));
  await refuse("the name of another user", send(crowd, asked.cookie, { ...mine, user_handle: proof.user_handle }));
  await refuse("the passkey of another user", send(crowd, asked.cookie, { ...mine, user_handle: proof.user_handle, credential_id: proof.credential_id }));
  await refuse("the signature of another passkey", send(crowd, asked.cookie, { ...proof, signature: mine.signature }));
  await refuse("another site", send(crowd, asked.cookie, altered(proof, (text) => text.replace(base, "https://evil.example"))));
  await refuse("another challenge", send(crowd, asked.cookie, altered(proof, (text) => text.replace(asked.challenge, asText("a challenge of one's own")))));
  await refuse("another purpose", send(crowd, asked.cookie, altered(proof, (text) => text.replace("webauthn.get", "webauthn.create"))));
  await refuse("a challenge that was made up", send(crowd, asked.cookie, await sign(theirs, asText("made up, and signed all the same"))));
  const registration = await (await crowd.send(victim.cookie, "POST", "/passkeys/challenge", { world: "live" })).json();
  await refuse("a challenge for a new passkey", send(crowd, asked.cookie, await sign(theirs, registration.challenge)));
  for (const [name, value] of [["signature", "AAAA"], ["authenticator_data", proof.authenticator_data.slice(0, -2)], ["credential_id", "AAAA"], ["user_handle", "AAAA"], ["client_data", "e30"]]) await refuse(`an altered ${name}`, send(crowd, asked.cookie, { ...proof, [name]: value }));
  const fresh = await start();
  const good = await sign(theirs, fresh.challenge);
  const foreign = await send(crowd, fresh.cookie, good, { "Sec-Fetch-Site": "cross-site" });
  assert.equal(foreign.status, 403, "a page of another site");
  const together = await Promise.all([1, 2, 3].map(() => send(crowd, fresh.cookie, good)));
  assert.equal(together.filter(({ status }) => status === 201).length, 1, "an answer that is sent three times at once signs in other than once");
  await refuse("a replay", send(crowd, fresh.cookie, good));
  for (const page of [theirs, own]) await page.context().close();
  return refused + 3;
}
