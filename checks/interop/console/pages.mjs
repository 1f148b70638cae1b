// Every page in both themes, on a desk and on a phone: judged by axe, no wider than the screen, and kept as a picture.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Returns the address of every page, with one of each thing. */
async function addresses(call) {
  const first = async (path) => (await call("GET", `${path}${path.includes("?") ? "&" : "?"}limit=1`)).data[0]?.id;
  const [order, shipment, draft, batch, wave, item, manifest, imported] = await Promise.all(["/orders", "/shipments?status=purchased", "/shipments?status=purchase_failed", "/batches", "/waves", "/inventory_items", "/manifests", "/imports"].map(first));
  return ["/", "/orders", "/orders?view=all", "/orders/new", `/orders/${order}`, "/shipments", `/shipments/${shipment}`, `/shipments/${draft}`, "/batches", `/batches/${batch}`, "/waves", `/waves/${wave}`, "/manifests", `/manifests/${manifest}`, "/pack", `/pack/${shipment}`, "/review", "/stock", `/stock/${item}`, "/stock/audit", "/settings/locations", "/settings/configurations", "/settings/packages", "/settings/rules", "/settings/carriers", "/settings/printers", "/settings/branding", "/settings/organisation", "/developers/tokens", "/developers/webhooks", "/developers/events", "/imports", `/imports/${imported}`, "/users", "/users/roles", "/account", "/search?q=C-10", "/nowhere"].filter((path) => !path.includes("undefined"));
}

/** Pages that a person sees who has not signed in. */
const STRANGERS = ["/sign-in", "/sign-in?problem=oidc_domain", "/sign-in/forgot", "/sign-in/mail"];

/** Names the picture of a page: its place in the list tells two of a kind apart. */
const nameOf = (path, paths) => `${String(paths.indexOf(path) + 1).padStart(2, "0")}-${path.replace(/[a-z]+_[0-9a-z]{26}/, "one").replace(/[^a-z]+/gi, "-").replace(/^-|-$/g, "") || "today"}`;

/** How many pages are looked at at once: each waits most of the time. */
const AT_ONCE = 3;

export async function judge({ browser, base, call, crowd, cookie, pictures, tools, watch }) {
  const axe = readFileSync(join(tools, "node_modules/axe-core/axe.min.js"), "utf8");
  const paths = [...(await addresses(call)), ...STRANGERS];
  const faults = [];
  let [pages, shots] = [0, 0];
  for (const width of [1440, 390]) {
    // The policy of the pages would refuse axe itself; the journeys run under it. A colour that still changes has no contrast of its own.
    const options = { viewport: { width, height: 900 }, bypassCSP: true, reducedMotion: "reduce" };
    const context = await crowd.context(browser, cookie, options);
    const stranger = await browser.newContext(options);
    faults.push(watch(context, base), watch(stranger, base));
    const left = [...paths];
    const look = async () => {
      for (let path = left.shift(); path; path = left.shift()) {
        const page = await (STRANGERS.includes(path) ? stranger : context).newPage();
        await page.goto(`${base}/console${path}`);
        await page.waitForSelector("h1", { state: "attached" });
        await page.waitForLoadState("networkidle");
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wider > 0) faults.push([`${path} is ${wider} pixels too wide at ${width}`]);
        await page.evaluate(axe);
        for (const theme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme: theme });
          // A phone has the colours of a desk, so its pages are judged in one theme.
          if (width === 1440 || theme === "light") {
            const { violations } = await page.evaluate((standards) => globalThis.axe.run(document, { runOnly: standards }), STANDARDS);
            for (const { id, nodes } of violations) faults.push([`${path}, ${theme}, ${width}: ${id}: ${nodes[0].html.slice(0, 200)}`]);
            pages += 1;
          }
          await page.screenshot({ path: join(pictures, `${nameOf(path, paths)}-${theme}-${width}.png`), fullPage: true });
          shots += 1;
        }
        await page.close();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, look));
    await Promise.all([context.close(), stranger.close()]);
  }
  return { faults: faults.flat(), pages, pictures: shots };
}
