// From an order to its manifest with the keyboard alone: nothing here moves a pointer.
import assert from "node:assert/strict";

/** How often `Tab` is pressed on the way to something, at most. */
const TABS_MAX = 120;

export async function keyboard({ context, base, call }) {
  const page = await context.newPage();
  let steps = 0;
  const step = async (name, work) => {
    const from = Date.now();
    await work();
    steps += 1;
    console.log(`  keyboard: ${name} (${Date.now() - from} ms)`);
  };
  const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const heading = (name) => page.locator("h1").getByText(name, { exact: true }).first().waitFor();
  /** Presses `Tab` until the element has the focus, which must then be seen. */
  const reach = async (locator) => {
    const target = locator.first();
    await target.waitFor();
    for (let count = 0; count < TABS_MAX; count += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) {
        const ring = await target.evaluate((element) => {
          const styles = [element, element.closest("label, .choice"), element.nextElementSibling].filter(Boolean).map((one) => getComputedStyle(one));
          return styles.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1);
        });
        assert.ok(ring, "the focus is not seen");
        return;
      }
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not lead to ${locator}`);
  };
  const use = async (locator) => {
    await reach(locator);
    await press("Enter");
  };
  const fill = async (label, text) => {
    await reach(page.getByLabel(label, { exact: true }));
    await page.keyboard.type(text);
  };
  const button = (name) => page.getByRole("button", { name });
  const dialog = page.getByRole("dialog");

  await step("an order is written", async () => {
    await page.goto(`${base}/console`);
    await heading("Today");
    await press("g", "o");
    await heading("Orders");
    await use(page.getByRole("link", { name: "New order" }));
    await heading("New order");
    await fill("SKU", "MUG-OAT");
    await reach(page.getByLabel("Units"));
    await press("ArrowUp");
    await fill("Address", "9 High Street");
    await fill("Post code", "LS1 4DY");
    await fill("City", "Leeds");
    await reach(page.getByLabel("Country"));
    await page.keyboard.type("United Kingdom");
    await reach(page.getByLabel("Reference"));
    await page.keyboard.type("K-1");
    await use(button("Commit the order"));
    await heading("K-1");
  });
  await step("it is found in the list, ticked and put into a wave", async () => {
    await press("g", "o");
    await heading("Orders");
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "K-1", exact: true }) });
    await row.waitFor();
    for (let count = 0; count < 60 && !/\bat\b/.test((await row.getAttribute("class")) ?? ""); count += 1) await press("j");
    await press("x");
    await use(page.getByRole("region", { name: "Selected orders" }).getByRole("button", { name: "Start a wave" }));
    await reach(dialog.getByLabel("Name"));
    await page.keyboard.type("By keyboard");
    await use(dialog.getByRole("button", { name: "Start the wave" }));
    await heading("By keyboard");
    await page.getByText("Completed").first().waitFor();
  });
  await step("its label is bought", async () => {
    await use(page.getByRole("link", { name: "Open the batch" }));
    await use(button("Buy 1 label"));
    await dialog.waitFor();
    await use(dialog.getByRole("button", { name: "Buy 1 label" }));
    await dialog.waitFor({ state: "detached" });
    await page.locator("h1").getByText("Purchased", { exact: true }).waitFor();
  });
  await step("the label is looked at", async () => {
    await use(page.getByRole("navigation", { name: "Parts of the batch" }).getByRole("link", { name: /^Shipments/ }));
    await page.getByRole("table", { name: "Shipments" }).waitFor();
    await press("j", "Enter");
    await page.getByRole("img", { name: /^Label of/ }).waitFor();
    await use(button("More actions"));
    await page.getByRole("menuitem").first().waitFor();
    await press("ArrowDown", "Escape");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-haspopup")), "menu", "the focus does not come back from a menu");
  });
  await step("the day is closed out", async () => {
    await press("g", "m");
    await heading("Manifests");
    const before = new Set((await call("GET", "/manifests?limit=100")).data.map(({ id }) => id));
    await use(button("Close out the day"));
    await use(dialog.getByRole("button", { name: "Make the manifests" }));
    await dialog.waitFor({ state: "detached" });
    const end = Date.now() + 20_000;
    let made;
    while ((made = (await call("GET", "/manifests?limit=100")).data.find(({ id }) => !before.has(id)))?.status !== "created") assert.ok(Date.now() < end, "no manifest was made");
    await page.locator(`#row-${made.id}`).getByText("Created", { exact: true }).waitFor();
  });
  await step("a dialog keeps the focus, and Esc gives it back", async () => {
    await use(button("Close out the day"));
    await dialog.waitFor();
    for (let count = 0; count < 12; count += 1) {
      await press("Tab");
      assert.ok(await page.evaluate(() => document.activeElement === document.body || !!document.activeElement?.closest("dialog")), "the focus left the dialog");
    }
    await press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), "Close out the day");
    await press("?");
    await dialog.getByRole("heading", { name: "Keys" }).waitFor();
    await press("Escape");
  });
  await page.close();
  return steps;
}
