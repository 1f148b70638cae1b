// Attacks on signing in with OpenID Connect: a provider that is told what to write into its tokens, and answers that no browser asked for.
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";

const CLIENT = "dockside";
const SECRET = "a secret of forty characters or even more";
const HOUR_S = 3600;

const encode = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const pair = () => generateKeyPairSync("rsa", { modulusLength: 2048 });

/** Signs claims as the provider does, unless `header` or `by` say otherwise. */
function token(claims, keys, { header = {}, by } = {}) {
  const head = { alg: "RS256", kid: "one", typ: "JWT", ...header };
  const text = `${encode(head)}.${encode(claims)}`;
  const signature = by ? by(text) : sign("sha256", Buffer.from(text), keys.privateKey).toString("base64url");
  return `${text}.${signature}`;
}

/** Starts the provider. `flow.nonce` is what the present attempt asked for, `flow.write` makes its token. */
async function startProvider() {
  const [keys, others] = [pair(), pair()];
  /** @type {{ nonce: string, write: (claims: any) => string }} */
  const flow = { nonce: "", write: (claims) => token(claims, keys) };
  let issuer = "";
  const server = createServer((request, response) => {
    const json = (body) => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    const now = Math.floor(Date.now() / 1000);
    if (request.url === "/.well-known/openid-configuration") return json({ issuer, authorization_endpoint: `${issuer}/authorise`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys`, response_types_supported: ["code"], subject_types_supported: ["public"], id_token_signing_alg_values_supported: ["RS256"], code_challenge_methods_supported: ["S256"] });
    if (request.url === "/keys") return json({ keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" }] });
    const claims = { iss: issuer, aud: CLIENT, sub: "ada", email: "ada@acme.example", email_verified: true, name: "Ada", nonce: flow.nonce, iat: now, exp: now + HOUR_S };
    if (request.url === "/token") return json({ access_token: "unused", token_type: "Bearer", id_token: flow.write(claims) });
    return response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${server.address().port}`;
  return { issuer, keys, others, flow, stop: () => new Promise((resolve) => server.close(resolve)) };
}

/** The tokens that are refused: what is wrong with each, how it is made, and the code that the page explains. */
function forgeries({ keys, others, issuer }) {
  const now = () => Math.floor(Date.now() / 1000);
  const changed = (change) => (claims) => token({ ...claims, ...change }, keys);
  const hmac = (text) => createHmac("sha256", keys.publicKey.export({ type: "spki", format: "pem" })).update(text).digest("base64url");
  return [
    ["another nonce", changed({ nonce: "another" }), "oidc_token_nonce"],
    ["no nonce", changed({ nonce: undefined }), "oidc_token_nonce"],
    ["another audience", changed({ aud: "another-client" }), "oidc_token_audience"],
    ["several audiences without an authorised party", changed({ aud: [CLIENT, "another-client"] }), "oidc_token_audience"],
    ["another issuer", changed({ iss: "https://evil.example" }), "oidc_token_issuer"],
    ["an issuer with a slash more", changed({ iss: `${issuer}/` }), "oidc_token_issuer"],
    ["an expired token", (claims) => token({ ...claims, iat: now() - 2 * HOUR_S, exp: now() - HOUR_S }, keys), "oidc_token_expired"],
    ["a token without an end", changed({ exp: undefined }), "oidc_token_expired"],
    ["a token of another day", (claims) => token({ ...claims, iat: now() - 24 * HOUR_S }, keys), "oidc_token_issued_at"],
    ["a token that is not valid yet", (claims) => token({ ...claims, nbf: now() + HOUR_S }, keys), "oidc_token_not_yet_valid"],
    ["the key of a stranger", (claims) => token(claims, others), "oidc_token_signature"],
    ["an unknown key", (claims) => token(claims, others, { header: { kid: "two" } }), "oidc_token_key"],
    ["no signature", (claims) => token(claims, keys, { header: { alg: "none" }, by: () => "" }), "oidc_token_algorithm"],
    ["a signature with the public key as the secret", (claims) => token(claims, keys, { header: { alg: "HS256" }, by: hmac }), "oidc_token_algorithm"],
    ["claims that were changed after signing", (claims) => token(claims, keys).replace(/\.[^.]+\./, `.${encode({ ...claims, email: "admin@acme.example" })}.`), "oidc_token_signature"],
    ["no subject", changed({ sub: "" }), "oidc_token_subject"],
  ];
}

/** Begins a sign-in as a browser does. Returns what it was sent to the provider with, and its cookie. */
async function begin(base) {
  const answer = await fetch(`${base}/oidc/start`, { redirect: "manual" });
  const url = new URL(answer.headers.get("location") ?? "");
  return { state: url.searchParams.get("state") ?? "", nonce: url.searchParams.get("nonce") ?? "", cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] };
}

/** Comes back from the provider. Returns the code of the refusal, or nothing if a session began. */
async function back(base, cookie, query) {
  const answer = await fetch(`${base}/oidc/callback?${new URLSearchParams(query)}`, { redirect: "manual", headers: { Cookie: cookie } });
  assert.equal(answer.status, 303);
  const problem = new URL(answer.headers.get("location") ?? "", base).searchParams.get("problem");
  const hasSession = /dockside_session=[^;]/.test(answer.headers.get("set-cookie") ?? "");
  assert.equal(hasSession, problem === null, `a refusal ${problem} with a session`);
  return problem;
}

/** Tries them all on a server of its own: `run` starts one with settings and passes its address. Returns how many were refused. */
export async function forgedTokens(run) {
  const provider = await startProvider();
  const settings = ["--oidc-issuer", provider.issuer, "--oidc-client-id", CLIENT, "--oidc-client-secret", SECRET, "--oidc-domains", "acme.example", "--oidc-create-users"];
  let refused = 0;
  try {
    await run(settings, async (base) => {
      const { flow } = provider;
      const genuine = flow.write;
      const attempt = async (write) => {
        const started = await begin(base);
        Object.assign(flow, { nonce: started.nonce, write });
        return { started, problem: await back(base, started.cookie, { code: "code", state: started.state }) };
      };
      const refuse = (what, problem, expected) => {
        assert.equal(problem, expected, what);
        refused += 1;
      };
      for (const [what, write, expected] of forgeries(provider)) refuse(what, (await attempt(write)).problem, expected);
      const { started, problem } = await attempt(genuine);
      assert.equal(problem, null, "what is genuine signs in");
      refuse("an answer that comes twice", await back(base, started.cookie, { code: "code", state: started.state }), "oidc_state");
      const [one, other] = [await begin(base), await begin(base)];
      refuse("another state", await back(base, one.cookie, { code: "code", state: `${one.state.slice(0, -2)}AA` }), "oidc_state");
      refuse("the state of another browser", await back(base, one.cookie, { code: "code", state: other.state }), "oidc_state");
      refuse("no state", await back(base, one.cookie, { code: "code" }), "oidc_state");
      refuse("no cookie", await back(base, "a=b", { code: "code", state: one.state }), "oidc_state");
      refuse("an altered cookie", await back(base, `${one.cookie.slice(0, -3)}AAA`, { code: "code", state: one.state }), "oidc_state");
      refuse("the answer of another provider", await back(base, one.cookie, { code: "code", state: one.state, iss: "https://evil.example" }), "oidc_token_issuer");
    });
  } finally {
    await provider.stop();
  }
  return refused;
}
