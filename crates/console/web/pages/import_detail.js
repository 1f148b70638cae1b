// One import: its progress, what came of its rows, and those that were refused.
import { html } from "../app/html.js";
import { download, post, withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, plural } from "../app/format.js";
import { useList, useResource } from "../app/resource.js";
import { go, href, usePlace } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, Facts, Identifier, Loaded, Notice, PageHead, Panel, Tag, Time } from "../components/basics.js";
import { confirm } from "../components/dialog.js";
import { nameOfType, resultOf, send, sent } from "../components/import_kinds.js";
import { Progress } from "../components/progress.js";
import { ListPanel } from "../components/table.js";

const ENDED = ["completed", "failed", "cancelled"];
/** Where to look at what the rows became. */
const PLACES = /** @type {Record<string, string>} */ ({ orders: "/orders?view=all", inventory_items: "/stock", inventory_levels: "/stock", locations: "/settings/locations", package_types: "/settings/packages", shipments: "/shipments" });
const DELIMITERS = /** @type {Record<string, string>} */ ({ ",": "commas", ";": "semicolons", "\t": "tabs" });

/** @param {{ id: string }} props */
export function ImportDetail({ id }) {
  const one = useResource(`/imports/${id}`, (event) => event.data?.object?.id === id);
  return html`<${Loaded} of=${one}>${(/** @type {any} */ data) => html`<${Detail} data=${data} reload=${one.reload} />`}<//>`;
}

/** @param {{ data: any, reload: () => Promise<void> }} props */
function Detail({ data, reload }) {
  const isOver = ENDED.includes(data.status);
  const isCheck = !!data.options?.dry_run;
  const what = nameOfType(data.type).toLowerCase();
  const kept = sent.get(data.id);
  const again = useAction((key) => send(/** @type {any} */ (kept).file, { ...kept?.options, dry_run: undefined }, key).then((id) => go(`/imports/${id}`)));
  const rows = useAction(() => download(`/imports/${data.id}/errors.csv`, `${data.type}-refused.csv`));
  const cancel = () => confirm({ title: "Cancel the import", body: "Rows that were written stay. The others are left out.", verb: "Cancel the import", danger: true, act: (key) => post(`/imports/${data.id}/cancel`, undefined, { key }).then(reload) });
  const size = data.file?.size ?? 0;
  const isUseful = data.status === "completed" && data.rows_count > data.failed_count;
  return html`
    <${PageHead} title=${isCheck ? `Check of ${what}` : `Import of ${what}`} crumbs=${[["Imports", "/imports"]]} badge=${html`<${Badge} big state=${data.status} />`} sub=${html`<${Time} at=${data.created_at} />`}>
      ${!isOver && can("imports:write") && html`<${Button} onClick=${cancel}>Cancel the import<//>`}
      ${data.failed_count > 0 && isOver && html`<${Button} icon="download" busy=${rows.isBusy} onClick=${() => rows.run()}>Download the refused rows<//>`}
      ${isOver && !isCheck && PLACES[data.type] && html`<${Button} primary href=${href(PLACES[data.type])}>Show the ${what}<//>`}
    <//>
    ${data.error && html`<div class="above"><${Notice} tone="bad" icon="stop" title=${html`The file was not read to its end <code class="tiny">${data.error.code}</code>`}>${data.error.message}<//></div>`}
    ${isCheck && isOver && !data.error && html`<div class="above"><${Notice} tone=${data.failed_count > 0 ? "warn" : "good"} icon=${data.failed_count > 0 ? "warn" : "check"} title=${data.failed_count > 0 ? `${plural(data.failed_count, "row")} would be refused` : "Every row would go in"} actions=${can("imports:write") && isUseful && (kept ? html`<${Button} compact primary busy=${again.isBusy} onClick=${() => again.run()}>${data.failed_count > 0 ? "Import the other rows" : "Import the file"}<//>` : html`<${Button} compact href=${href("/imports")}>Choose the file again to import it<//>`)}>Nothing was kept: this was a check.${data.failed_count > 0 ? " Correct the rows below in the file, or import the others now and the corrected ones later." : ""}<//></div>`}
    <${Panel} title=${isOver ? "Result" : "Reading the file"} note=${isOver ? null : "You may leave this page: the import goes on."}><div class="body"><${Progress} parts=${[
      { name: isCheck ? "Would be created" : "Created", value: data.created_count, fill: "f-good" },
      { name: isCheck ? "Would be updated" : "Updated", value: data.updated_count, fill: "f-info" },
      { name: "Unchanged or skipped", value: data.unchanged_count + data.skipped_count, fill: "f-idle" },
      { name: "Refused", value: data.failed_count, fill: "f-bad" },
    ]} total=${Math.max(1, data.created_count + data.updated_count + data.unchanged_count + data.skipped_count + data.failed_count)} more=${[["Rows read", count(data.rows_count)], ...(isOver ? [] : [["Of the file", size > 0 ? `${Math.floor((100 * data.bytes_read) / size)} %` : "–"]])]} /></div><//>
    <div class="columns above-top"><div>
      ${data.failed_count > 0 ? html`<${Refused} data=${data} />` : html`<${Panel}><${Empty} title=${isOver ? "No row was refused" : "No row is refused so far"}>${isOver ? resultOf(data) : "Rows that can’t be used appear here, with what to do."}<//><//>`}
    </div><div>
      <${Panel} title="File"><div class="body"><${Facts} rows=${[["Rows are", nameOfType(data.type)], ["Format", (data.format ?? "csv").toUpperCase()], data.file && ["Size", `${count(Math.max(1, Math.round(size / 1000)))} kB`], data.file && ["Text", data.file.encoding.toUpperCase()], data.file?.delimiter && ["Separated by", DELIMITERS[data.file.delimiter]], ["What exists", data.options?.on_conflict === "update" ? "is changed" : "stays as it is"], ["Ended", html`<${Time} at=${data.ended_at} />`], ["Id", html`<${Identifier} id=${data.id} />`]]} /></div><//>
      ${data.columns.length > 0 && html`<${Panel} title="Columns" note="what each was taken for"><div class="body"><${Facts} rows=${data.columns.map((/** @type {any} */ column) => [html`<bdi>${column.header || "no name"}</bdi>`, column.column ? html`<code>${column.column}</code>` : html`<${Tag} tone="warn" icon="warn">not read<//>`])} /></div><//>`}
    </div></div>`;
}

/** @param {{ data: any }} props */
function Refused({ data }) {
  const { query } = usePlace();
  const list = useList(withQuery(`/imports/${data.id}/errors`, { cursor: query.get("cursor"), limit: 50 }), { also: ["import"] });
  return html`<${ListPanel} list=${list} label="Refused rows" noun="row" id=${(/** @type {any} */ row) => `${row.row}-${row.field ?? ""}-${row.code}`} empty=${html`<${Empty} title="No row was refused" />`} columns=${[
    { name: "Row", place: "a1", cell: (/** @type {any} */ row) => count(row.row) },
    { name: "Column", place: "a4", cell: (/** @type {any} */ row) => (row.column ? html`<bdi>${row.column}</bdi>` : html`<span class="soft">whole row</span>`) },
    { name: "Value", at: /** @type {"p2"} */ ("p2"), wrap: true, cell: (/** @type {any} */ row) => (row.value ? html`<bdi class="mono">${row.value}</bdi>` : html`<span class="soft">empty</span>`) },
    { name: "What is wrong", place: "a3", wrap: true, cell: (/** @type {any} */ row) => html`${row.message}<span class="sub"><code>${row.code}</code></span>` },
  ]} />`;
}
