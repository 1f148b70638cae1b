// What each carrier asks for a shipment, to compare and to buy.
import { html } from "../app/html.js";
import { post } from "../app/api.js";
import { useAction } from "../app/action.js";
import { day, money, plural } from "../app/format.js";
import { can } from "../app/session.js";
import { Button, Empty, Panel, Tag } from "./basics.js";
import { confirm } from "./dialog.js";
import { Bar } from "./progress.js";
import { Table } from "./table.js";

/** @param {{ shipment: any, reload: () => Promise<void>, name: string }} props */
export function Rates({ shipment, reload, name }) {
  const ask = useAction((key) => post(`/shipments/${shipment.id}/rates`, undefined, { key }).then(reload));
  const rates = [...shipment.rates].sort((one, other) => one.rate - other.rate);
  const dearest = rates.at(-1)?.rate ?? 1;
  const isOld = (/** @type {any} */ rate) => new Date(rate.expires_at).getTime() < Date.now();
  const buy = (/** @type {any} */ rate) => {
    const price = money(rate.rate, rate.currency_code);
    confirm({
      title: `Buy a label for ${name}`,
      body: html`${rate.carrier.name} ${rate.carrier_service.name}. The label can be voided as long as the carrier allows it.`,
      sum: [["Paid by", rate.carrier_account?.name ?? rate.carrier.name], ["Price", price]],
      verb: `Buy, ${price}`,
      act: (key) => post(`/shipments/${shipment.id}/purchase`, { rate: rate.id }, { key }).then(reload),
    });
  };
  const button = can("shipments:write") && html`<${Button} compact primary=${rates.length === 0} busy=${ask.isBusy} onClick=${() => ask.run()}>${rates.length ? "Ask again" : "Ask for rates"}<//>`;
  if (rates.length === 0) return html`<${Panel} title="Rates"><${Empty} title="No rates yet" actions=${button}>All carrier accounts are asked at once what they would charge. Asking costs nothing.<//><//>`;
  return html`<${Panel} title="Rates" note=${plural(rates.length, "offer")} actions=${button}>
    <${Table} label="Rates" rows=${rates} columns=${[
      { name: "Service", place: "a1", cell: (/** @type {any} */ rate) => html`${rate.carrier.name}<span class="sub">${rate.carrier_service.name}</span>` },
      { name: "Account", at: "p2", class: "soft", cell: (/** @type {any} */ rate) => rate.carrier_account?.name ?? "–" },
      { name: "Arrives", place: "a4", cell: (/** @type {any} */ rate) => (isOld(rate) ? html`<${Tag} tone="warn" icon="clock">Ran out<//>` : html`${rate.delivery_date ? day(rate.delivery_date) : "–"}${rate.delivery_days !== null && rate.delivery_days !== undefined && html`<span class="sub">${plural(rate.delivery_days, "day")}</span>`}`) },
      { name: "Compared", at: "p3", cell: (/** @type {any} */ rate) => html`<${Bar} thin parts=${[{ name: "price", value: rate.rate, fill: rate === rates[0] ? "f-good" : "f-idle" }]} total=${dearest} label=${money(rate.rate, rate.currency_code)} />` },
      { name: "Price", end: true, place: "a2", cell: (/** @type {any} */ rate) => html`<span class="rate-price">${money(rate.rate, rate.currency_code)}</span>` },
      { name: html`<span class="unseen">Buy</span>`, end: true, place: "a5", cell: (/** @type {any} */ rate) => can("shipments:purchase") && html`<${Button} compact primary=${rate === rates[0]} why=${isOld(rate) ? "The price ran out. Ask again." : undefined} onClick=${() => buy(rate)}>Buy, ${money(rate.rate, rate.currency_code)}<//>` },
    ]} />
  <//>`;
}
