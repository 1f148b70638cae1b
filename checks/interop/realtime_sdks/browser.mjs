// Opens a page in a real browser: `node browser.mjs ADDRESS FOLDER`. It prints what the page shows each time that changes,
// a line of JSON each, until its standard input ends. FOLDER is for the browser's own files.
import { createRequire } from "node:module";
import { join } from "node:path";

// The package lies where ./test installed it, not beside this file.
const { chromium } = createRequire(join(process.cwd(), "package.json"))("playwright-core");
const [address, folder] = process.argv.slice(2);

const browser = await chromium.launchPersistentContext(folder, {
  executablePath: process.env.CHROMIUM,
  headless: true,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
  ],
});
const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const page = await browser.newPage();
page.on("console", (message) => tell({ console: message.text() }));
page.on("pageerror", (error) => tell({ error: String(error) }));
page.on("request", (request) => tell({ request: request.url() }));
await page.exposeFunction("tell", tell);
await page.addInitScript(() => {
  addEventListener("DOMContentLoaded", () => {
    const shown = () => ({
      state: document.getElementById("state").textContent,
      list: [...document.querySelectorAll("#list li")].map((item) => item.textContent),
    });
    new MutationObserver(() => globalThis.tell(shown())).observe(document.body, { childList: true, subtree: true });
  });
});
await page.goto(address);
process.stdin.resume().on("close", async () => {
  await browser.close();
  process.exit(0);
});
