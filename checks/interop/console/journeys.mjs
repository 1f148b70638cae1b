// What people do in the console, from the first sign-in to the manifest. Each step is printed, so that a failure names its place.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { HOSTILE } from "./shop.mjs";

const PASSWORD = "quiet harbour seven lanterns";
/** How soon a change of one browser is seen in another. */
const SEEN_MS = 1_000;

/** Writes an amount in pence. */
const pounds = (amount) => new Intl.NumberFormat("en-GB", { style: "currency", currency: "GBP" }).format(amount / 100);
const cost = (carrier, service, currency_code, net, counts = [1, 0]) => ({ day: null, carrier: { handle: carrier.toLowerCase(), name: carrier }, service: { handle: service.toLowerCase(), name: service }, location: null, currency_code, charged: net, voided: 0, net, shipments_count: counts[0], voided_count: counts[1], duplicates_count: 0 });
/** A report as no test world has it: three carriers, two currencies, and shipments without a price. */
const REPORT = {
  from: "2026-11-06", to: "2026-11-19", time_zone: "UTC", group_by: ["carrier", "service"], created_at: "2026-11-19T09:00:00.000000Z",
  totals: [cost("", "", null, 0, [2, 0]), cost("", "", "GBP", 4000), cost("", "", "JPY", 900)],
  groups: [cost("Own vehicles", "Van", null, 0, [2, 0]), cost("Own vehicles", "Van", "GBP", 1000), cost("Own vehicles", "Van", "JPY", 900), cost("UPS", "Ground", "GBP", 1500), cost("UPS", "Saver", "GBP", 900), cost("UPS", "Express", "GBP", 400), cost("UPS", "Standard", "GBP", 150), cost("UPS", "Expedited", "GBP", 50), cost("USPS", "Priority", "GBP", 0, [1, 1])],
};

export async function journeys({ context, base, link, call, shop, browser, crowd }) {
  let steps = 0;
  const step = async (name, work) => {
    const from = Date.now();
    await work();
    steps += 1;
    console.log(`  ${name} (${Date.now() - from} ms)`);
  };
  const page = await context.newPage();
  const open = (path) => page.goto(`${base}/console${path}`);
  const button = (name) => page.getByRole("button", { name, exact: false });
  const heading = (name) => page.getByRole("heading", { name, exact: false }).first();

  await step("a stranger is sent to sign in", async () => {
    await open("/orders?view=late");
    await heading("Sign in").waitFor();
    assert.match(page.url(), /sign-in\?next=%2Forders%3Fview%3Dlate$/);
    await page.getByLabel("E-mail").fill("stranger@example.org");
    await page.getByLabel("Password").fill("not the right password");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").waitFor();
  });
  await step("the link of the welcome signs in, and leaves no trace in the address", async () => {
    await page.goto(link);
    await heading("Choose a password").waitFor();
    assert.equal(new URL(page.url()).hash, "");
    await page.getByLabel("New password").fill("short");
    await page.getByText("characters; 7 are missing").waitFor();
    await page.getByLabel("New password").fill(PASSWORD);
    await button("Set the password").click();
    await heading("Today").waitFor();
  });
  await step("the link works once", async () => {
    const other = await browser.newContext();
    const stranger = await other.newPage();
    await stranger.goto(link);
    await stranger.getByRole("heading", { name: "This link does not work" }).waitFor();
    await other.close();
  });
  await step("the test world is one switch away", async () => {
    await page.getByRole("radio", { name: "Test" }).check({ force: true });
    await page.getByText("TEST WORLD").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await heading("Orders").waitFor();
    await page.getByRole("link", { name: "C-100" }).waitFor();
  });
  await step("hostile names are text", async () => {
    await page.getByText(HOSTILE).first().waitFor();
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  });
  await step("another client's change appears by itself", async () => {
    const order = shop.orders[1];
    await page.getByText("Up to date").waitFor();
    await call("POST", `/orders/${order.id}/hold`, { reason: "Held elsewhere" });
    await page.locator(`#row-${order.id}`).getByText("On hold").waitFor();
    await call("POST", `/orders/${order.id}/release`);
    await page.locator(`#row-${order.id}`).getByText("On hold").waitFor({ state: "detached" });
  });
  await step("two browsers see each other's changes within a second", async () => {
    const order = shop.orders[1];
    const user = await crowd.make(["manager"], "colleague");
    const theirs = await crowd.context(browser, user.cookie);
    const other = await theirs.newPage();
    for (const one of [page, other]) {
      await one.goto(`${base}/console/orders/${order.id}`);
      await one.getByText("Up to date").waitFor();
    }
    const main = (one) => one.getByRole("main");
    await main(other).getByRole("button", { name: "Hold" }).click();
    await other.getByLabel("Reason").fill("Held by a colleague");
    const delays = [];
    /** Does it in one browser, and waits for it in the other. The time goes from the answer that the first browser got. */
    const seen = async (act, from, path, awaited) => {
      const answered = from.waitForResponse((answer) => answer.url().endsWith(path)).then(() => performance.now());
      await Promise.all([awaited.then(async () => delays.push(performance.now() - (await answered))), act()]);
    };
    await seen(() => other.getByRole("dialog").getByRole("button", { name: "Hold" }).click(), other, "/hold", main(page).getByText("On hold: Held by a colleague").waitFor());
    // A page reads anew once a second at most: what came before is over.
    await page.waitForTimeout(1200);
    await seen(() => main(page).getByRole("button", { name: "Release" }).click(), page, "/release", main(other).getByText("On hold: Held by a colleague").waitFor({ state: "detached" }));
    console.log(`    seen after ${delays.map((ms) => `${Math.round(ms)} ms`).join(" and ")}`);
    assert.ok(Math.max(...delays) < SEEN_MS, `seen after ${delays.join(" and ")} ms`);
    await theirs.close();
    await open("/orders?view=all");
    await page.getByRole("link", { name: "C-100" }).waitFor();
  });
  await step("a filter is in the address", async () => {
    await page.keyboard.press("f");
    await page.getByLabel("Value").fill("C-102");
    await button("Show").click();
    await page.getByRole("link", { name: "C-102" }).waitFor();
    await page.getByRole("link", { name: "C-100" }).waitFor({ state: "detached" });
    assert.match(page.url(), /reference=C-102/);
    await button("Remove the filter").click();
  });
  await step("an edit that came second shows what the first changed", async () => {
    const order = shop.orders[2];
    await open(`/orders/${order.id}`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("Reference").waitFor();
    await call("PATCH", `/orders/${order.id}`, { channel: "Changed elsewhere" });
    // The page reads the order anew; the form keeps what it began with.
    await page.getByLabel("Reference").fill("C-102b");
    await button("Save").click();
    await page.getByRole("alert").getByText("It was changed while you edited it").waitFor();
    assert.equal((await call("GET", `/orders/${order.id}`)).reference, "C-102", "the stale edit was saved");
    await button("Save mine on top").click();
    await heading("C-102b").waitFor();
    const now = await call("GET", `/orders/${order.id}`);
    assert.deepEqual([now.reference, now.channel], ["C-102b", "Changed elsewhere"]);
  });
  await step("a wave makes shipments and a batch", async () => {
    await open("/orders?view=all");
    await page.getByRole("link", { name: "C-100" }).waitFor();
    for (const order of shop.orders.slice(0, 8)) await page.locator(`#row-${order.id} input[type=checkbox]`).check();
    await page.getByText("8 orders").waitFor();
    await page.getByRole("region", { name: "Selected orders" }).getByRole("button", { name: "Start a wave" }).click();
    await page.getByLabel("Name").fill("Morning");
    await button("Start the wave").click();
    await heading("Morning").waitFor();
    await page.getByText("Completed").first().waitFor();
    await page.getByRole("link", { name: "Open the batch" }).click();
    await page.getByRole("button", { name: /^Buy 8 labels/ }).waitFor();
  });
  await step("buying asks once, names the number, and shows progress", async () => {
    await page.getByRole("button", { name: /^Buy 8 labels/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("8", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Buy 8 labels" }).click();
    await page.getByText("Partly purchased").first().waitFor();
    await page.getByText("The carrier does not know the address").waitFor();
  });
  await step("a wrong address is repaired in its row", async () => {
    const [shipment] = (await call("GET", `/shipments?order_id=${shop.orders[6].id}`)).data;
    const row = page.locator(".repair li").first();
    await row.getByLabel("Address").fill("10 High Street");
    await row.getByRole("button", { name: "Save" }).click();
    // What is repaired is no failure any more, so the row goes away with the batch's next state.
    await row.getByLabel("Address").waitFor({ state: "detached" });
    const repaired = await call("GET", `/shipments/${shipment.id}`);
    assert.equal(repaired.addresses.destination.address.line_1, "10 High Street");
  });
  await step("a purchase without an answer is decided by a person", async () => {
    await open("/review");
    await page.getByText("What Dockside knows").waitFor();
    await page.getByText("It was not bought").click();
    await page.getByLabel("Reason").fill("Asked the carrier on the telephone");
    await button("Record as not bought").click();
    await heading("Nothing needs review").waitFor();
  });
  await step("a label is seen, and can be voided for its price", async () => {
    const [shipment] = (await call("GET", `/shipments?order_id=${shop.orders[0].id}`)).data;
    await open(`/shipments/${shipment.id}`);
    const label = page.getByRole("img", { name: /^Label of/ });
    await label.waitFor();
    assert.ok(await label.evaluate((picture) => picture.naturalWidth > 100));
    await page.getByRole("button", { name: /^Void, £/ }).first().click();
    await page.getByRole("dialog").getByText("Comes back").waitFor();
    await page.getByRole("button", { name: "Back", exact: true }).click();
  });
  await step("an order is allocated and becomes a shipment", async () => {
    const order = shop.orders[8];
    await open(`/orders/${order.id}`);
    await button("Allocate").first().click();
    await page.getByRole("button", { name: "Ship 3 units" }).click();
    await page.getByRole("button", { name: "Ship 3 units" }).waitFor({ state: "detached" });
  });
  await step("the pack station tells right from wrong by scanner alone", async () => {
    const [shipment] = (await call("GET", `/shipments?order_id=${shop.orders[8].id}`)).data;
    await open("/pack");
    const scan = async (code) => {
      await page.waitForFunction(() => document.activeElement?.id === "code");
      await page.keyboard.type(code);
      await page.keyboard.press("Enter");
    };
    await scan("C-PACK");
    await page.waitForURL(new RegExp(`/pack/${shipment.id}$`));
    await scan("BAR-2");
    await page.getByRole("alert").getByText("Not in this parcel").waitFor();
    await scan("BAR-0");
    await page.locator(".verdict.right").waitFor();
    await page.keyboard.press("F2");
    await page.getByText("The last scan does not count").waitFor();
    for (const code of ["BAR-0", "BAR-0", "BAR-1"]) {
      await scan(code);
      await page.locator(".verdict.right, .verdict.done").waitFor();
    }
    await page.getByText("All packed").waitFor();
    const end = Date.now() + 20_000;
    while ((await call("GET", `/shipments/${shipment.id}`)).status !== "purchased") assert.ok(Date.now() < end, "the last scan did not buy");
  });
  await step("the day is closed out", async () => {
    await open("/manifests");
    await button("Close out the day").first().click();
    await button("Make the manifests").click();
    await page.getByRole("table", { name: "Manifests" }).getByText("Created", { exact: true }).last().waitFor();
  });
  await step("the chart of costs shows what the report says", async () => {
    const report = await call("GET", "/reports/costs?group_by=carrier");
    assert.equal(report.totals.length, 1, "the sandbox charges in one currency");
    const [sandbox] = report.groups;
    assert.ok(sandbox.net > 0);
    await open("/");
    const panel = page.getByRole("region", { name: "Cost by carrier" });
    // Labels that are bought meanwhile would be in the later of the two.
    await panel.getByRole("img", { name: `Sandbox: ${pounds(sandbox.net)}`, exact: true }).waitFor();
    await panel.getByText(`${sandbox.shipments_count} shipment`).waitFor();
    assert.match(await panel.getByRole("heading").locator("..").innerText(), new RegExp(`${pounds(sandbox.net).replace(".", "\\.")} in 14 days`));
    const widths = await panel.locator(".bar rect").evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("width"))));
    assert.ok(Math.abs(widths.reduce((sum, width) => sum + width, 0) - 100) < 0.05, `the dearest carrier fills the width: ${widths}`);
    const services = (await call("GET", "/reports/costs?group_by=service")).groups.filter((group) => group.net > 0);
    // A single service has its name alone below the bar, and with its costs in the bar's title.
    if (services.length === 1) await panel.getByText(services[0].service.name, { exact: true }).waitFor();
    else for (const { service, net } of services.slice(0, 3)) await panel.getByText(`${service.name} ${pounds(net)}`).waitFor();
  });
  await step("currencies have scales of their own, and no costs are said in words", async () => {
    const other = await context.newPage();
    let answer = REPORT;
    await other.route("**/reports/costs?*", (route) => route.fulfill({ json: answer }));
    await other.goto(`${base}/console/`);
    const panel = other.getByRole("region", { name: "Cost by carrier" });
    await panel.getByRole("heading", { name: "GBP £40.00" }).waitFor();
    await panel.getByRole("heading", { name: "JPY JP¥900" }).waitFor();
    await panel.getByText("2 shipments are not in the sums").waitFor();
    const ends = await panel.locator(".cost").evaluateAll((lists) => lists.map((list) => Math.max(...[...list.querySelectorAll(".bar rect")].map((bar) => Number(bar.getAttribute("x")) + Number(bar.getAttribute("width"))))));
    assert.deepEqual(ends, [100, 100]);
    assert.deepEqual(await panel.locator(".cost li > b").allInnerTexts(), ["£30.00", "£10.00", "£0.00", "JP¥900"]);
    await panel.getByText("2 other services £2.00").waitFor();
    answer = { ...REPORT, totals: [], groups: [] };
    await other.reload();
    await panel.getByText("No label was bought on these days.").waitFor();
    await other.close();
  });
  await step("a file is checked, imported, and its refused row comes back", async () => {
    const rows = ["SKU,Name,Weight (g)", `IMP-1,"${HOSTILE.replaceAll('"', '""')}",350`, "IMP-2,Teapot,much", "IMP-3,Tray,900"].join("\n");
    await open("/imports");
    await page.locator("input[type=file]").setInputFiles({ name: "items.csv", mimeType: "text/csv", buffer: Buffer.from(rows) });
    await page.getByLabel("Its rows are").selectOption({ label: "Items" });
    await button("Check the file").click();
    await page.getByText("1 row would be refused").waitFor();
    await page.getByRole("table", { name: "Refused rows" }).getByText("much").waitFor();
    assert.equal((await call("GET", "/inventory_items?sku=IMP-1")).data.length, 0, "a check kept something");
    await button("Import the other rows").click();
    await heading("Import of items").waitFor();
    await page.getByRole("link", { name: "Show the items" }).waitFor();
    assert.equal((await call("GET", "/inventory_items?sku=IMP-1")).data.length, 1);
    const [file] = await Promise.all([page.waitForEvent("download"), button("Download the refused rows").click()]);
    assert.match(readFileSync(await file.path(), "utf8"), /IMP-2,Teapot,much/);
  });
  await step("a carrier account is tested, and nothing is bought", async () => {
    const before = (await call("GET", "/shipments?limit=1")).data[0]?.id;
    await open("/settings/carriers");
    await page.getByRole("main").getByRole("button", { name: "Test", exact: true }).first().click();
    await page.getByText(/^Connected: \d+ prices? for a parcel of 1 kg, in /).waitFor();
    assert.equal((await call("GET", "/shipments?limit=1")).data[0]?.id, before);
  });
  await step("rules are put in order by dragging, and tested against an order", async () => {
    const names = ["Abroad", "Home"];
    const made = [];
    for (const [place, country] of [["US", "CA"], ["GB"]].entries()) made.push(await call("POST", "/shipping_rules", { name: names[place], conditions: { destination_countries: country }, action: { hold: { reason: "Look at it" } } }));
    const order = async () => (await call("GET", "/shipping_rules?limit=100")).data.map(({ name }) => name);
    assert.deepEqual(await order(), ["Everything", ...names]);
    await open("/settings/rules");
    const rows = page.locator("main ol.list > li");
    await rows.nth(2).waitFor();
    await Promise.all([page.waitForResponse((answer) => answer.url().endsWith("/shipping_rules/order")), rows.nth(2).dragTo(rows.nth(0))]);
    await page.getByText("The order of the rules is changed.").waitFor();
    assert.deepEqual(await order(), ["Home", "Everything", "Abroad"]);
    await Promise.all([page.waitForResponse((answer) => answer.url().endsWith("/shipping_rules/order")), page.getByRole("button", { name: "Move Abroad up" }).click()]);
    assert.deepEqual(await order(), ["Home", "Abroad", "Everything"]);
    await page.getByLabel("Order’s reference").fill("C-101");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    const reasons = page.locator(".reasons li");
    await reasons.nth(2).waitFor();
    assert.deepEqual(await reasons.evaluateAll((all) => all.map((one) => one.className === "no")), [false, true, false], "which rules match");
    for (const { id } of made) await call("DELETE", `/shipping_rules/${id}`);
  });
  await step("the search finds an order by its beginning", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("C-10");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "C-100" }).first().waitFor();
  });
  await step("a packer is invited, and is offered nothing that buys", async () => {
    await open("/users");
    await button("Invite a user").first().click();
    await page.getByLabel("Name").fill("Pat Packer");
    await page.getByLabel("E-mail").fill("pat@example.com");
    await button("Make a sign-in link").click();
    const invitation = await page.locator(".secret code").textContent();
    const theirs = await browser.newContext();
    const packer = await theirs.newPage();
    await packer.goto(invitation);
    await packer.getByRole("heading", { name: "Choose a password" }).waitFor();
    await packer.getByRole("button", { name: "Later" }).click();
    await packer.getByRole("heading", { name: "Today" }).waitFor();
    assert.equal(await packer.getByRole("link", { name: "Developers" }).count(), 1, "events are for every role");
    assert.equal(await packer.getByRole("link", { name: "Users and roles" }).count(), 0);
    await packer.goto(`${base}/console/shipments`);
    await packer.getByRole("heading", { name: "Shipments", exact: true }).waitFor();
    assert.equal(await packer.getByRole("button", { name: /Buy|batch/ }).count(), 0);
    await theirs.close();
  });
  await step("the page says when it is not live, and works all the same", async () => {
    const cut = await context.newPage();
    await cut.routeWebSocket(/connection\/websocket/, (socket) => socket.close());
    await cut.goto(`${base}/console/orders?view=all`);
    await cut.getByText("Not live, reads every 30 s").waitFor();
    await cut.getByRole("link", { name: "C-100" }).waitFor();
    await cut.close();
    await open("/orders?view=all");
    await page.getByText("Up to date").waitFor();
  });
  await page.close();
  return steps;
}
