// Passkeys (WebAuthn): what the browser asks of the person's device, in the form that the API takes.
import { post } from "./api.js";

/** The device must check who the person is: by PIN, finger or face. */
const VERIFIED = "required";
/** How long the device may take, in milliseconds: as long as the server's challenge is valid. */
const TIMEOUT_MS = 300_000;

/** Whether this browser has passkeys. It offers them only on a page that came over TLS, or from this machine. */
export const hasPasskeys = () => typeof PublicKeyCredential === "function" && isSecureContext;

/** @param {ArrayBuffer} buffer */
function encode(buffer) {
  const text = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text */
const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

/** What happened, and what the person can do, instead of the browser's own words. @param {any} error */
function explained(error) {
  if (!(error instanceof DOMException)) return error;
  switch (error.name) {
    case "NotAllowedError": return new Error("Nothing was signed: the request was cancelled or took too long, or this device has no passkey for this site. Try again, or use another way.");
    case "InvalidStateError": return new Error("This device has a passkey of yours already.");
    case "SecurityError": return new Error("The browser offers no passkeys at this address. Open the console at the address that the server’s setting public_url names.");
    case "NotSupportedError": case "ConstraintError": return new Error("This device can’t keep a passkey that checks who you are. Set a PIN on it, or use another device.");
    default: return error;
  }
}

/** @param {Promise<any>} asked @returns {Promise<any>} */
async function answerOf(asked) {
  try {
    const credential = await asked;
    if (credential) return credential;
  } catch (error) {
    throw explained(error);
  }
  throw new Error("The browser gave no passkey. Try again.");
}

/**
 * Has the device make a passkey, and keeps it for the viewer.
 * @param {{ name: string, password: string, account: { name: string, label: string } }} wanted
 */
export async function addPasskey({ name, password, account }) {
  const { data: challenge } = await post("/passkeys/challenge");
  const { response } = await answerOf(navigator.credentials.create({ publicKey: {
    challenge: decode(challenge.challenge),
    rp: { id: challenge.relying_party_id, name: "Dockside" },
    user: { id: decode(challenge.user_handle), name: account.name, displayName: account.label },
    pubKeyCredParams: challenge.algorithms.map((/** @type {number} */ alg) => ({ type: "public-key", alg })),
    excludeCredentials: challenge.known_credential_ids.map((/** @type {string} */ id) => ({ type: "public-key", id: decode(id) })),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: VERIFIED },
    attestation: "none",
    timeout: TIMEOUT_MS,
  } }));
  const { data } = await post("/passkeys", { name, client_data: encode(response.clientDataJSON), attestation_object: encode(response.attestationObject), ...(password ? { current_password: password } : {}) });
  return data;
}

/** Has the device sign a challenge, and returns the proof for `POST /sessions`. */
export async function signChallenge() {
  const { data: challenge } = await post("/sessions/challenge", undefined, { quiet: true });
  const credential = await answerOf(navigator.credentials.get({ publicKey: { challenge: decode(challenge.challenge), rpId: challenge.relying_party_id, userVerification: VERIFIED, timeout: TIMEOUT_MS } }));
  const { response } = credential;
  return { passkey: { credential_id: encode(credential.rawId), client_data: encode(response.clientDataJSON), authenticator_data: encode(response.authenticatorData), signature: encode(response.signature), user_handle: encode(response.userHandle ?? new ArrayBuffer(0)) } };
}
