// The list of items in stock.
import { html, useState } from "../app/html.js";
import { withQuery } from "../app/api.js";
import { mass, money } from "../app/format.js";
import { useList } from "../app/resource.js";
import { go, href, usePlace } from "../app/router.js";
import { can } from "../app/session.js";
import { Button, Empty, PageHead, TagList, Time } from "../components/basics.js";
import { EditDialog } from "../components/edit_dialog.js";
import { ExportButton } from "../components/export_button.js";
import { Filters, filterValues } from "../components/filters.js";
import { ITEM_FIELDS } from "../components/item_fields.js";
import { ListPanel } from "../components/table.js";

const FILTERS = [{ name: "sku", label: "SKU" }, { name: "barcode", label: "Barcode" }, { name: "name", label: "Name" }];

export function Stock() {
  const { query } = usePlace();
  const [isMaking, setMaking] = useState(false);
  const isLow = query.get("low_stock") === "true";
  const values = filterValues(FILTERS, query);
  const list = useList(withQuery("/inventory_items", { ...values, low_stock: isLow ? "true" : null, cursor: query.get("cursor"), limit: 50 }), { kind: "inventory_item" });
  const columns = [
    { name: "Item", place: "a1", wrap: true, cell: (/** @type {any} */ item) => html`<a class="plain" href=${href(`/stock/${item.id}`)}><bdi>${item.name}</bdi></a>` },
    { name: "SKU", place: "a3", class: "mono", cell: (/** @type {any} */ item) => item.sku },
    { name: "Barcodes", at: /** @type {"p2"} */ ("p2"), class: "mono", cell: (/** @type {any} */ item) => (item.barcodes ?? []).join(", ") || "–" },
    { name: "Mass", end: true, at: /** @type {"p2"} */ ("p2"), cell: (/** @type {any} */ item) => mass(item.mass) },
    { name: "Worth", end: true, place: "a2", cell: (/** @type {any} */ item) => money(item.unit_value, item.currency_code) },
    { name: "Tags", at: /** @type {"p3"} */ ("p3"), wrap: true, cell: (/** @type {any} */ item) => html`<${TagList} codes=${item.tags} />` },
    { name: "Changed", place: "a5", cell: (/** @type {any} */ item) => html`<${Time} at=${item.updated_at} />` },
  ];
  const make = can("inventory:write") && html`<${Button} primary icon="plus" onClick=${() => setMaking(true)}>New item<//>`;
  const isFiltered = isLow || Object.keys(values).length > 0;
  return html`
    <${PageHead} title="Stock" sub="What can be sent, and from where"><${ExportButton} type="inventory_levels" label="Export levels" /><${ExportButton} type="inventory_items" parameters=${{ ...values, low_stock: isLow ? "true" : null }} label="Export items" /><${Button} icon="check" href=${href("/stock/audit")}>Audit<//>${make}<//>
    <nav class="tabs" aria-label="Views"><a href=${href("/stock")} aria-current=${isLow ? undefined : "page"}>All items</a><a href=${href("/stock?low_stock=true")} aria-current=${isLow ? "page" : undefined}>Low stock</a></nav>
    <${Filters} filters=${FILTERS} />
    <${ListPanel} list=${list} columns=${columns} label="Items" noun="item" open=${(/** @type {any} */ item) => `/stock/${item.id}`} empty=${isFiltered ? html`<${Empty} title=${isLow ? "No item is low" : "No item matches"} actions=${html`<${Button} href=${href("/stock")}>Show all items<//>`}>${isLow ? "An item is low at a location when fewer are available than its reorder point." : ""}<//>` : html`<${Empty} title="No items yet" actions=${make}>Items are what orders name by their SKU. Their levels say how many are where.<//>`} />
    ${isMaking && html`<${EditDialog} title="New item" path="/inventory_items" fields=${ITEM_FIELDS} onClose=${() => setMaking(false)} onDone=${(/** @type {any} */ item) => go(`/stock/${item.id}`)} />`}`;
}
