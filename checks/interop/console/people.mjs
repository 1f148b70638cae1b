// Users of the console who are no administrators: made by the API, and signed in by the link that the API answers with.

/** Returns how to make users, and how to send requests by their cookies. */
export function people(base, live) {
  let made = 0;
  const name = base.replace(/\W+/g, "-");

  /** Signs in with a proof, and returns the session's cookie and the answer. */
  async function signIn(proof, headers = {}) {
    const answer = await fetch(`${base}/sessions`, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(proof) });
    const cookie = /dockside_session=([^;]+)/.exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? "";
    return { status: answer.status, cookie, text: await answer.text(), setCookie: answer.headers.get("set-cookie") ?? "" };
  }

  /** Makes a user, and signs in by the link. */
  async function make(roles, label = "user") {
    made += 1;
    const user = await live("POST", "/users", { name: `${label} ${made}`, email_address: `${label}-${made}${name}@example.com`, roles });
    const token = user.sign_in_link.split("#")[1];
    const { cookie, status } = await signIn({ link_token: token });
    if (status !== 201 || !cookie) throw new Error(`the link of a new user answers ${status}`);
    return { ...user, token, cookie };
  }

  /** Sends a request by cookie, as a page of the server does unless `headers` say otherwise. */
  function send(cookie, method, path, { body, world = "test", headers = {} } = {}) {
    const own = { Cookie: `dockside_session=${cookie}`, "Dockside-World": world, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json", ...headers };
    return fetch(base + path, { method, redirect: "manual", headers: Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null)), body: method === "GET" ? undefined : JSON.stringify(body ?? {}) });
  }

  /** Sets a password, which is possible without the old one after a sign-in by link. */
  async function setPassword(user, password) {
    const answer = await send(user.cookie, "PUT", "/me/password", { body: { new_password: password }, world: "live" });
    if (answer.status !== 204) throw new Error(`setting a password answers ${answer.status}: ${await answer.text()}`);
  }

  /** Returns a browser's context that is signed in with this cookie, in the test world. */
  async function context(browser, cookie, options = {}) {
    const view = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB", ...options });
    await view.addCookies([{ name: "dockside_session", value: cookie, url: base, httpOnly: true, sameSite: "Lax" }]);
    await view.addInitScript(() => {
      // An empty page and a frame of another site have no storage.
      if (location.pathname.startsWith("/console")) localStorage.setItem("dockside.world", "test");
    });
    return view;
  }

  return { signIn, make, send, setPassword, context };
}
