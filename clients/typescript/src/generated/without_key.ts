// Generated from openapi.json by clients/generate.sh: change that, and not this file.

/** The changes that take no idempotency key, by method and path. */
export const WITHOUT_KEY: ReadonlySet<string> = new Set([
  "POST /carrier_accounts/{carrier_account_id}/webhook",
  "PUT /me/password",
  "POST /oauth/token",
  "POST /passkeys",
  "POST /passkeys/challenge",
  "POST /password_resets",
  "POST /sessions",
  "POST /sessions/challenge",
]);
