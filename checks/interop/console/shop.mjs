// A small shop in the test world: what the pages show, with hostile names in it.

/** A name that would run if a page took it for markup. */
export const HOSTILE = `"><img src=x onerror="globalThis.hacked=1">`;

/** Fills the test world, and returns what the journeys need. */
export async function fill(call) {
  await call("POST", "/events/provision");
  const depot = await call("POST", "/locations", { name: "Bristol depot", address: { address: { line_1: "1 Quay Street", city: "Bristol", post_code: "BS1 4DJ", country_code: "GB" }, contact: { company: "Hallam", phone_number: "+441174960100" } } });
  await call("POST", "/location_configurations", { name: "Bristol", locations: { origin: { id: depot.id }, return: { id: depot.id } } });
  const items = [];
  for (const [place, [sku, name]] of [["MUG-OAT", "Enamel mug, oat"], ["TEA-ASM", "Assam, loose, 250 g"], ["LMP-BRS", HOSTILE]].entries()) {
    const item = await call("POST", "/inventory_items", { sku, name, mass: 0.3, barcodes: [`BAR-${place}`], unit_value: 1400, currency_code: "GBP" });
    await call("PUT", `/inventory_items/${item.id}/levels/${depot.id}`, { on_hand: 200, bin: `A-0${place}`, reorder_point: place === 2 ? 500 : 5 });
    items.push(item);
  }
  await call("POST", "/package_types", { name: "Box M", handle: "box-m", inner_dimensions: { length: 40, width: 30, height: 20 }, tare_mass: 0.2, mass_max: 25 });
  await call("POST", "/shipping_rules", { name: "Everything", action: { service: { carrier_account: "sandbox", carrier_service: "standard" } } });
  const orders = [];
  const order = async (reference, name, company, lines) => orders.push(await call("POST", "/orders", { reference, channel: "Shop", currency_code: "GBP", customer: { name, email_address: "a@example.org" }, lines, destination: { address: { line_1: "9 High Street", city: "Leeds", post_code: "LS1 4DY", country_code: "GB" }, contact: { name, company } } }));
  for (let place = 0; place < 6; place += 1) await order(`C-${100 + place}`, place === 3 ? HOSTILE : `Customer ${place}`, null, [{ item_id: items[place % 3].id, quantity: 2, unit_price: 1400 }]);
  await order("C-BAD", "Wrong Address", "SBX-ADDRESS-INVALID", [{ item_id: items[0].id, quantity: 1, unit_price: 1400 }]);
  await order("C-LOST", "Lost Answer", "SBX-LOST-FOREVER", [{ item_id: items[0].id, quantity: 1, unit_price: 1400 }]);
  await order("C-PACK", "Packed By Hand", null, [{ item_id: items[0].id, quantity: 2, unit_price: 1400 }, { item_id: items[1].id, quantity: 1, unit_price: 900 }]);
  return { depot, items, orders };
}

/** Makes what pages offer most actions for: an open order, and a batch of a wave of which one shipment is bought and one is not. Returns their ids. */
export async function prepareOffers(call, { items }) {
  const order = (reference, company) => call("POST", "/orders", { reference, currency_code: "GBP", customer: { name: "Role Model" }, lines: [{ item_id: items[0].id, quantity: 1, unit_price: 1400 }], destination: { address: { line_1: "9 High Street", city: "Leeds", post_code: "LS1 4DY", country_code: "GB" }, contact: { name: "Role Model", company } } });
  const [open, good, bad] = [await order("R-OPEN"), await order("R-1"), await order("R-2", "SBX-ADDRESS-INVALID")];
  const until = async (read, isDone) => {
    const end = Date.now() + 30_000;
    for (;;) {
      const found = await read();
      if (isDone(found)) return found;
      if (Date.now() > end) throw new Error(`waited in vain: ${JSON.stringify(found).slice(0, 500)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const { id: wave } = await call("POST", "/waves", { order_ids: [good.id, bad.id], steps: ["plan", "ship", "rate", "batch"] });
  const { batch_ids: [batch] } = await until(() => call("GET", `/waves/${wave}`), ({ status }) => status === "completed");
  await call("POST", `/batches/${batch}/purchase`);
  await until(() => call("GET", `/batches/${batch}`), ({ status, labels_pending_count: pending }) => status === "partially_purchased" && pending === 0);
  const shipments = (await call("GET", `/batches/${batch}/shipments`)).data;
  const [bought, draft] = [shipments.find(({ status }) => status === "purchased"), shipments.find(({ status }) => status !== "purchased")];
  return { order: open.id, wave, batch, draft: draft.id, bought: bought.id, item: items[0].id };
}
