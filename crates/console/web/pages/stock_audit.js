// The audit of the stock: whether levels, allocations and orders agree.
import { html } from "../app/html.js";
import { count, words } from "../app/format.js";
import { useResource } from "../app/resource.js";
import { Button, Facts, Loaded, Notice, PageHead, Panel } from "../components/basics.js";

export function StockAudit() {
  const audit = useResource("/inventory/audit");
  return html`
    <${PageHead} title="Audit" crumbs=${[["Stock", "/stock"]]} sub="Whether levels, allocations and orders agree"><${Button} icon="refresh" onClick=${audit.reload}>Audit again<//><//>
    <${Loaded} of=${audit}>${(/** @type {any} */ data) => html`<div class="stack-5">
      ${data.is_clean ? html`<${Notice} tone="good" icon="check" title="Everything agrees">No level counts more or less than the orders and allocations say.<//>` : html`<${Notice} tone="bad" icon="warn" role="alert" title=${`${count(data.differences.length)} differences`}>Each says what was expected and what is stored. This is a fault of the program or of the database: keep this page, and ask for help.<//>`}
      <${Panel} title="Compared"><div class="body"><${Facts} rows=${Object.entries(data.checked ?? {}).map(([name, value]) => [words(name), typeof value === "number" ? count(value) : String(value)])} /></div><//>
      ${data.differences.map((/** @type {any} */ difference, /** @type {number} */ place) => html`<${Panel} key=${place} title=${words(difference.kind ?? difference.code ?? "Difference")}><div class="body"><${Facts} rows=${Object.entries(difference).map(([name, value]) => [words(name), typeof value === "object" ? JSON.stringify(value) : String(value)])} /></div><//>`)}
    </div>`}<//>`;
}
