// The first minutes on an empty server: the link of the welcome, sample data by one press, and a day with it.
import assert from "node:assert/strict";

/** How long the server may take to make the sample shop, in milliseconds. A debug build on a busy machine takes a while. */
const SHOP_MS = 90_000;

export async function firstStart({ context, base, link, call }) {
  let steps = 0;
  const step = async (name, work) => {
    const from = Date.now();
    await work();
    steps += 1;
    console.log(`  first start: ${name} (${Date.now() - from} ms)`);
  };
  const page = await context.newPage();
  const open = (path) => page.goto(`${base}/console${path}`);
  const button = (name) => page.getByRole("button", { name });
  const heading = (name) => page.getByRole("heading", { name, exact: false }).first().waitFor();
  const dialog = page.getByRole("dialog");

  await step("the link of the welcome leads to an empty test world", async () => {
    await page.goto(link);
    await heading("Choose a password");
    await button("Later").click();
    await heading("Today");
    assert.equal(await button("Load sample data").count(), 0, "sample data is offered in the live world");
    await page.getByRole("radio", { name: "Test" }).check({ force: true });
    await page.getByText("TEST WORLD", { exact: true }).waitFor();
  });
  await step("one press fills it with a small shop", async () => {
    await button("Load sample data").first().click();
    await page.getByText("The test world has a small shop").waitFor({ timeout: SHOP_MS });
    await button("Load sample data").first().waitFor({ state: "detached" });
  });
  await step("every list has something to show", async () => {
    for (const path of ["/orders?view=all", "/shipments", "/batches", "/waves", "/manifests", "/stock", "/settings/locations", "/settings/packages", "/settings/rules"]) {
      await open(path);
      await page.locator("main [role=row] a, main table a, main li a, main .row").first().waitFor();
    }
  });
  await step("orders of the sample go from a wave to a manifest", async () => {
    const orders = (await call("GET", "/orders?fulfilment_status=unallocated&status=committed&on_hold=false&has_exception=false&limit=6")).data;
    assert.ok(orders.length > 0, "no order of the sample waits");
    const wave = await call("POST", "/waves", { name: "Sample wave", order_ids: orders.map(({ id }) => id) });
    // No stream is provisioned yet, so a page that opened earlier would ask again after ten seconds only.
    for (let look = 0; (await call("GET", `/waves/${wave.id}`)).status !== "completed"; look += 1) {
      assert.ok(look < 100, "the wave did not end within ten seconds");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await open(`/waves/${wave.id}`);
    await page.getByText("Completed").first().waitFor();
    await page.locator("main").getByRole("link", { name: "Open", exact: true }).first().click();
    await button(/^Buy \d+ labels?/).click();
    await dialog.getByRole("button", { name: /^Buy \d+ labels?/ }).click();
    await page.locator("h1").getByText("Purchased", { exact: true }).waitFor();
    await open("/manifests");
    await button("Close out the day").first().click();
    await button("Make the manifests").click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("table", { name: "Manifests" }).getByText("Created", { exact: true }).last().waitFor();
  });
  await page.close();
  return steps;
}
