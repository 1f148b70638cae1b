// When a request is sent again, and after how long.

/** Sends a request. */
export type Send = (request: Request) => Promise<Response>;

/** How often a request is sent, at most, and how long is waited between, in all. */
export interface Retries {
  readonly attemptsMax: number;
  readonly secondsMax: number;
}

export const RETRIES: Retries = { attemptsMax: 8, secondsMax: 60 };

// Refused before it was carried out, or not known to be: of both it is safe to repeat a read, or a change that has a key.
const REPEATED = new Set([408, 429, 500, 502, 503, 504]);
const FIRST_WAIT_SECONDS = 0.25;
const WAIT_SECONDS_MAX = 20;

/** Returns whether the request may be sent twice: it changes nothing, or has a key. Only JSON can be repeated, a file may be large. */
export function isRepeatable(request: Request): boolean {
  const type = request.headers.get("Content-Type");
  const isSmall = request.body === null || /^application\/(merge-patch\+)?json\b/.test(type ?? "");
  return isSmall && (request.method === "GET" || request.headers.has("Idempotency-Key"));
}

/** Sends a request until it has an answer that does not pass by itself. */
export function withRetries(send: Send, retries: Retries): Send {
  return async (request) => {
    if (!isRepeatable(request)) return send(request);
    let waited = 0;
    for (let attempt = 1; ; attempt++) {
      const wait = (response?: Response) => waitSeconds(retries, attempt, waited, response);
      let seconds: number | undefined;
      try {
        // What is sent has no body any more.
        const response = await send(request.clone());
        seconds = (await isPassing(response)) ? wait(response) : undefined;
        if (seconds === undefined) return response;
        await response.body?.cancel();
      } catch (error) {
        seconds = request.signal.aborted ? undefined : wait();
        if (seconds === undefined) throw error;
      }
      await sleep(seconds, request.signal);
      waited += seconds;
    }
  };
}

/** Returns whether the same request may succeed later. */
async function isPassing(response: Response): Promise<boolean> {
  if (REPEATED.has(response.status)) return true;
  if (response.status !== 409) return false;
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return typeof problem === "object" && problem !== null && "code" in problem && problem.code === "idempotency_in_progress";
}

function waitSeconds(retries: Retries, attempt: number, waited: number, response?: Response): number | undefined {
  if (attempt >= retries.attemptsMax) return undefined;
  const longest = Math.min(FIRST_WAIT_SECONDS * 2 ** (attempt - 1), WAIT_SECONDS_MAX);
  // Spread, so that clients that were refused together do not come back together.
  const spread = longest * (0.5 + Math.random() / 2);
  const asked = Number(response?.headers.get("Retry-After") ?? 0);
  const wait = Math.max(spread, Number.isFinite(asked) ? asked : 0);
  return waited + wait <= retries.secondsMax ? wait : undefined;
}

function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, seconds * 1000);
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Ends a request whose answer does not begin in time. What follows may take longer: an export is a long answer. */
export function withTimeout(send: Send, seconds: number): Send {
  return async (request) => {
    const late = new AbortController();
    const reason = new DOMException(`No answer within ${seconds} seconds.`, "TimeoutError");
    const timer = setTimeout(() => late.abort(reason), seconds * 1000);
    try {
      return await send(new Request(request, { signal: AbortSignal.any([request.signal, late.signal]) }));
    } finally {
      clearTimeout(timer);
    }
  };
}
