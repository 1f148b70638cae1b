// The program under test: started in a folder of its own, with what its welcome says.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** The longest that anything here may take, in milliseconds. */
export const PATIENCE_MS = 60_000;

/** Returns a port that no program listens on. */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Starts the program, and returns its address, its welcome and how to stop it. */
export async function start(binary, work, settings) {
  const port = await freePort();
  // Browsers offer passkeys for a name, and not for an address.
  const base = `http://localhost:${port}`;
  // The review comes soon, so that a purchase without an answer is seen within the run.
  const flags = ["serve", "--listen", `127.0.0.1:${port}`, "--public-url", base, "--rate-per-second", "0", "--purchase-review-seconds", "3", "--printer-networks", "192.0.2.0/24", ...settings];
  const child = spawn(binary, flags, { cwd: work, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (piece) => (log += piece));
  const end = Date.now() + PATIENCE_MS;
  while (!log.includes("listening on")) {
    if (Date.now() > end || child.exitCode !== null) throw new Error(`the server does not listen:\n${log}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const welcome = readFileSync(join(work, "dockside-data", "welcome.txt"), "utf8");
  const stop = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    writeFileSync(join(work, "server.log"), log);
    if (log.includes("panicked at")) throw new Error("the server panicked; see server.log");
  };
  return { base, stop, link: /https?:\S+\/console\/sign-in#\S+/.exec(welcome)?.[0], token: /dk_test_\w+/.exec(welcome)?.[0], live: /dk_live_\w+/.exec(welcome)?.[0] };
}

/** Returns a caller of the API in the test world. */
export function caller(base, token) {
  return async (method, path, body) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const answer = await fetch(base + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${text}`);
    return text ? JSON.parse(text) : null;
  };
}
