// Doing something: one press is one request, however often the button is pressed or the network fails.
import { useCallback, useRef, useState } from "preact/hooks";
import { Problem, randomKey } from "./api.js";
import { toast } from "../components/toast.js";

/**
 * Returns how to run an action, whether it runs, and the problem of its last run. If the server could not be reached,
 * the next press sends the same idempotency key, so that nothing happens twice.
 * @template {any[]} A
 * @param {(key: string, ...args: A) => Promise<any>} act
 * @param {{ done?: string | ((result: any) => string), shows?: boolean }} [options] `shows`: the caller shows problems itself.
 */
export function useAction(act, { done, shows = false } = {}) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const key = useRef("");
  const running = useRef(false);
  const latest = useRef(act);
  latest.current = act;
  const run = useCallback(async (/** @type {A} */ ...args) => {
    if (running.current) return undefined;
    running.current = true;
    setBusy(true);
    setProblem(null);
    key.current ||= randomKey();
    try {
      const result = await latest.current(key.current, ...args);
      key.current = "";
      if (done) toast(typeof done === "function" ? done(result) : done);
      return result ?? true;
    } catch (error) {
      if (error instanceof Problem) key.current = "";
      setProblem(error);
      if (!shows) toast(explain(error), { tone: "bad" });
      return undefined;
    } finally {
      running.current = false;
      setBusy(false);
    }
  }, []);
  return { run, isBusy, problem, clear: () => setProblem(null) };
}

/** A problem in one or two sentences. @param {any} error */
export function explain(error) {
  if (!(error instanceof Problem)) return error?.message ?? String(error);
  const [issue] = error.issues;
  const detail = issue?.message ?? error.detail;
  return detail && detail !== error.title ? `${error.title} ${detail}` : error.title;
}
