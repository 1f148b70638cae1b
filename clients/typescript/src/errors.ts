// What can go wrong. A server that can't be reached is the `TypeError` of `fetch`.
import type { components } from "./generated/schema.js";

/** What the server says of a request that it refused. */
export type Problem = components["schemas"]["Problem"];

/** An answer that is no success. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  /** The cause in a word for programs, such as `validation_failed`. `/docs/errors` of the server explains each. */
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** What the server says; `undefined` if the answer is not of Dockside, such as that of a proxy. */
  readonly problem: Problem | undefined;

  constructor(response: Response, problem: unknown) {
    const said = isProblem(problem) ? problem : undefined;
    super(said === undefined ? `The server answered with the status ${response.status}.` : sentence(said));
    this.status = response.status;
    this.code = said?.code;
    this.requestId = response.headers.get("X-Request-Id") ?? undefined;
    this.problem = said;
  }
}

/** A webhook that was not signed with the secret, or too long ago. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** The stream has ended for good. `code` is one of the guide's table, or 0 if the program was too slow. */
export class StreamEndedError extends Error {
  override readonly name = "StreamEndedError";

  constructor(
    readonly code: number,
    readonly reason: string,
  ) {
    super(`The stream ended with the code ${code}: ${reason}.`);
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "code" in value && "detail" in value && "errors" in value;
}

function sentence({ status, code, detail, errors }: Problem): string {
  return `${status} ${code}: ${detail}${errors.map(({ field, message }) => `\n  ${field}: ${message}`).join("")}`;
}

/** The object of a successful answer. */
export type Data<Answer> = Answer extends { error?: never; data: infer Value } ? Value : never;

/** Returns the object of an answer, or throws a `RefusedError`. */
export async function unwrap<Answer extends { data?: unknown; error?: unknown; response: Response }>(
  answer: Promise<Answer>,
): Promise<Data<Answer>> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new RefusedError(response, error);
  return data as Data<Answer>;
}
