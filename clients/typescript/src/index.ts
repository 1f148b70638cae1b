// A client of Dockside's API.
export type { ClientCredentials, Credentials } from "./auth.js";
export { type Dockside, type DocksideOptions, createDockside } from "./client.js";
export { type Data, type Problem, RefusedError, StreamEndedError, WebhookVerificationError, unwrap } from "./errors.js";
export type { components, operations, paths } from "./generated/schema.js";
export { type Entry, type ListParameters, type ListPath, paginate } from "./pages.js";
export type { Retries, Send } from "./retry.js";
export { type Event, type VerifyOptions, type WebhookHeaders, verifyWebhook } from "./webhooks.js";
