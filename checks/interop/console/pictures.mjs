// Draws the pictures of the guide: `node pictures.mjs BINARY WORKDIR FOLDER`. A small shop works through a morning in the test world.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { people } from "./people.mjs";
import { caller, start } from "./server.mjs";

const { chromium } = createRequire(join(process.env.CONSOLE_TOOLS, "package.json"))("playwright-core");
const [binary, work, folder] = process.argv.slice(2);
const ITEMS = [["MUG-OAT", "Enamel mug, oat", 1400], ["TEA-ASM", "Assam, loose, 250 g", 900], ["LMP-BRS", "Brass desk lamp", 6900], ["BLK-WOL", "Wool blanket, moss", 8500], ["NTB-GRD", "Notebook, grid", 600]];
const BUYERS = [["Ada Byron", "Leeds", "LS1 4DY"], ["Grace Murray", "York", "YO1 7HH"], ["Alan Mathison", "Bristol", "BS1 5TY"], ["Edsger Wybe", "Oxford", "OX1 1AA"], ["Barbara Jane", "Bath", "BA1 1LZ"], ["Donald Ervin", "Cardiff", "CF10 1EP"], ["Radia Joy", "Exeter", "EX1 1HS"], ["Leslie Barry", "Durham", "DH1 3HP"]];
const DAY_MS = 86_400_000;

/** Makes the shop. Returns the orders. */
async function open(call) {
  await call("POST", "/events/provision");
  const depot = await call("POST", "/locations", { name: "Bristol depot", address: { address: { line_1: "1 Quay Street", city: "Bristol", post_code: "BS1 4DJ", country_code: "GB" }, contact: { company: "Hallam", phone_number: "+441174960100" } } });
  await call("POST", "/location_configurations", { name: "Bristol", locations: { origin: { id: depot.id }, return: { id: depot.id } } });
  const items = [];
  for (const [place, [sku, name, value]] of ITEMS.entries()) {
    const item = await call("POST", "/inventory_items", { sku, name, mass: 0.3 + 0.2 * place, barcodes: [`501234500000${place}`], unit_value: value, currency_code: "GBP" });
    await call("PUT", `/inventory_items/${item.id}/levels/${depot.id}`, { on_hand: place === 2 ? 6 : 120, bin: `A-0${place + 1}`, reorder_point: 8 });
    items.push(item);
  }
  await call("POST", "/package_types", { name: "Box M", handle: "box-m", inner_dimensions: { length: 40, width: 30, height: 20 }, tare_mass: 0.2, mass_max: 25 });
  await call("POST", "/shipping_rules", { name: "Everything", action: { service: { carrier_account: "sandbox", carrier_service: "standard" } } });
  const orders = [];
  for (let place = 0; place < 18; place += 1) {
    const [name, city, code] = BUYERS[place % BUYERS.length];
    const lines = [0, 1].map((turn) => items[(place * 2 + turn * 3) % items.length]).map((item, turn) => ({ item_id: item.id, quantity: 1 + ((place + turn) % 2), unit_price: item.unit_value }));
    const isWrong = place === 9;
    orders.push(await call("POST", "/orders", { reference: String(10482 + place), channel: place % 3 ? "Shop" : "Telephone", currency_code: "GBP", ship_by: new Date(Date.now() + (place === 2 ? -1 : 2) * DAY_MS).toISOString(), customer: { name, email_address: "orders@example.com" }, lines, destination: { address: { line_1: isWrong ? "House and street" : `${place + 2} High Street`, city, post_code: code, country_code: "GB" }, contact: { name, ...(isWrong ? { company: "SBX-ADDRESS-INVALID" } : {}) } } }));
  }
  return orders;
}

const server = await start(binary, work, []);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server"] });
try {
  mkdirSync(folder, { recursive: true });
  const [call, live] = [caller(server.base, server.token), caller(server.base, server.live)];
  const crowd = people(server.base, live);
  const orders = await open(call);
  const user = await live("POST", "/users", { name: "Pat Okafor", email_address: "pat@example.com", roles: ["admin"] });
  const { cookie } = await crowd.signIn({ link_token: user.sign_in_link.split("#")[1] });
  const context = await crowd.context(browser, cookie, { viewport: { width: 1180, height: 720 }, colorScheme: "light" });
  const page = await context.newPage();
  const go = async (path) => {
    await page.goto(`${server.base}/console${path}`);
    await page.locator("h1").first().waitFor({ state: "attached" });
    await page.waitForLoadState("networkidle");
  };
  const keep = async (name) => {
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(folder, `${name}.png`) });
  };
  const button = (name) => page.getByRole("button", { name });
  // The morning: twelve orders become a wave and are bought; one address is wrong.
  await go("/orders");
  for (const order of orders.slice(-12)) await page.locator(`#row-${order.id} input[type=checkbox]`).check();
  await keep("orders");
  await page.getByRole("region", { name: "Selected orders" }).getByRole("button", { name: "Start a wave" }).click();
  await page.getByLabel("Name").fill("Thursday morning");
  await button("Start the wave").click();
  await page.getByText("Completed").first().waitFor();
  await page.getByRole("link", { name: "Open the batch" }).click();
  await button(/^Buy \d+ labels/).click();
  await page.getByRole("dialog").getByRole("button", { name: /^Buy / }).click();
  await page.getByText("The carrier does not know the address").waitFor();
  await page.waitForTimeout(8000);
  await keep("batch");
  const [shipment] = (await call("GET", `/shipments?order_id=${orders[6].id}`)).data;
  await go(`/shipments/${shipment.id}`);
  await page.getByRole("img", { name: /^Label of/ }).waitFor();
  await keep("shipment");
  // A parcel that is packed by scanner.
  await call("POST", `/allocations/orders/${orders[1].id}/plan?apply=true`);
  const [parcel] = (await call("POST", `/orders/${orders[1].id}/shipments`, {})).data;
  await go(`/pack/${parcel.id}`);
  await page.waitForFunction(() => document.activeElement?.id === "code");
  const [line] = parcel.packages[0].items;
  const { barcodes } = await call("GET", `/inventory_items/${line.id}`);
  await page.keyboard.type(barcodes[0]);
  await page.keyboard.press("Enter");
  await page.locator(".verdict.right, .verdict.done").waitFor();
  await keep("pack");
  await call("POST", `/orders/${orders[4].id}/hold`, { reason: "The customer asks to wait" });
  await go("/");
  await keep("today");
  await go("/imports");
  const file = ["Order Number,Shipping Name,Address 1,City,Zip,Country,SKU,Qty,Price,Currency", ...BUYERS.map(([name, city, code], place) => `${20000 + place},${name},${place + 1} High Street,${city},${code},GB,${ITEMS[place % 5][0]},${place === 5 ? "many" : 2},12.50,GBP`)].join("\n");
  await page.locator("input[type=file]").setInputFiles({ name: "orders.csv", mimeType: "text/csv", buffer: Buffer.from(file) });
  await button("Check the file").click();
  await page.getByText("1 row would be refused").waitFor();
  await page.waitForLoadState("networkidle");
  await keep("import");
} finally {
  await browser.close();
  await server.stop();
}
