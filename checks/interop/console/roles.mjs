// What each role may do: every operation of the API, and what the pages offer. Both follow from the scopes in the API's own document.
import assert from "node:assert/strict";

const METHODS = ["get", "post", "put", "patch", "delete"];
const ROLES = ["manager", "packer", "viewer"];
/** Where an id belongs in a path, one that has the right form and means nothing. */
const NO_ID = "00000000000000000000000000";

/** Returns the operations that need a scope: id, method, path and scope. */
export async function operations(base) {
  const contract = await (await fetch(`${base}/openapi.json`)).json();
  return Object.entries(contract.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => ({ id: methods[method].operationId, method: method.toUpperCase(), path, scope: methods[method].security?.[0]?.bearer?.[0] })),
  ).filter(({ scope }) => scope);
}

/** What pages offer: the page, the words of the button or link, and the operation that it leads to. `menu`: an entry of "More actions". */
function offers({ order, draft, bought, batch, wave, item }) {
  return [
    ["/orders", "New order", "create_order"], ["/orders", "Start a wave", "create_wave"],
    [`/orders/${order}`, "Hold", "hold_order"], [`/orders/${order}`, "Allocate", "plan_order_allocations"], [`/orders/${order}`, "Add", "create_order_note"], [`/orders/${order}`, "Cancel the order", "cancel_order", "menu"],
    ["/waves", "Start a wave", "create_wave"], [`/waves/${wave}`, "Pick list", "create_wave_pick_lists"],
    ["/batches", "New batch", "create_batch"], [`/batches/${batch}`, /^Buy \d+ label/, "purchase_batch"], [`/batches/${batch}`, "Make the manifest", "create_batch_manifests"], [`/batches/${batch}`, "Packing slips", "create_batch_packing_slips", "menu"],
    [`/shipments/${draft}`, "Ask for rates", "rate_shipment"], [`/shipments/${draft}`, "Pack", "create_shipment_scan"],
    [`/shipments/${bought}`, /^Void, /, "void_shipment"], [`/shipments/${bought}`, "Make a packing slip", "create_shipment_packing_slip", "menu"],
    [`/shipments/${bought}`, "Print the label", "create_print_job"],
    ["/manifests", "Close out the day", "create_manifests"],
    ["/stock", "New item", "create_inventory_item"], [`/stock/${item}`, "Adjust", "adjust_inventory_level"], [`/stock/${item}`, "Edit", "update_inventory_item"],
    ["/imports", "Check the file", "create_import"],
    ["/settings/locations", "New location", "create_location"], ["/settings/configurations", "New configuration", "create_location_configuration"], ["/settings/packages", "New package type", "create_package_type"],
    ["/settings/rules", "New rule", "create_shipping_rule"], ["/settings/carriers", "New account", "create_carrier_account"], ["/settings/carriers", "Test", "test_carrier_account"], ["/settings/printers", "New printer", "create_printer"], ["/settings/organisation", "Edit", "update_organisation"],
    ["/developers/tokens", "New token", "create_access_token"], ["/developers/webhooks", "New endpoint", "create_webhook_endpoint"],
    ["/users", "Invite a user", "create_user"], ["/users/roles", "New role", "create_role"],
  ];
}

/** Has each role try each operation of the API that its scopes do not allow. Returns how many tries were made and refused. */
export async function refusals({ base, crowd }) {
  const all = await operations(base);
  let checks = 0;
  for (const role of ROLES) {
    const user = await crowd.make([role], role);
    const { scopes } = await (await crowd.send(user.cookie, "GET", "/me")).json();
    for (const { id, method, path, scope } of all) {
      if (scopes.includes(scope)) continue;
      // What is refused writes nothing, so the live world is safe here.
      const answer = await crowd.send(user.cookie, method, path.replace(/\{[^}]+\}/g, NO_ID), { world: "live", headers: id === "set_import_content" ? { "Content-Type": "text/csv" } : {} });
      const { code } = await answer.json();
      assert.deepEqual([answer.status, code], [403, "insufficient_scope"], `${role}: ${id} needs ${scope}`);
      checks += 1;
    }
  }
  return checks;
}

/** Opens the pages as each role: what its scopes allow is offered, and nothing else. An administrator is offered everything. */
export async function pages({ browser, base, crowd, shop }) {
  const scopeOf = new Map((await operations(base)).map(({ id, scope }) => [id, scope]));
  const rows = offers(shop);
  let checks = 0;
  for (const role of ["admin", ...ROLES]) {
    const user = await crowd.make([role], role);
    const { scopes } = await (await crowd.send(user.cookie, "GET", "/me")).json();
    const context = await crowd.context(browser, user.cookie);
    const page = await context.newPage();
    for (const path of new Set(rows.map(([path]) => path))) {
      await page.goto(`${base}/console${path}`);
      await page.waitForSelector("h1, .empty h2", { state: "attached" });
      await page.waitForLoadState("networkidle");
      const menu = page.getByRole("button", { name: "More actions" });
      for (const [, words, operation, kind] of rows.filter(([one]) => one === path)) {
        assert.ok(scopeOf.has(operation), `no operation ${operation}`);
        const isAllowed = scopes.includes("*") || scopes.includes(scopeOf.get(operation));
        if (kind === "menu" && (await menu.count()) > 0) await menu.click();
        const main = page.locator("main");
        const found = kind === "menu" ? main.getByRole("menuitem", { name: words }) : main.getByRole("button", { name: words, exact: true }).or(main.getByRole("link", { name: words, exact: true }));
        assert.equal((await found.count()) > 0, isAllowed, `${role} on ${path}: "${words}" needs ${scopeOf.get(operation)}`);
        if (kind === "menu") await page.keyboard.press("Escape");
        checks += 1;
      }
    }
    await context.close();
  }
  return checks;
}
