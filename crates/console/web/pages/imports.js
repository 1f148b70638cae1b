// Files that become orders, stock or places: choose one, have it checked, import it.
import { html, useState } from "../app/html.js";
import { withQuery } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count } from "../app/format.js";
import { useList } from "../app/resource.js";
import { go, href, usePlace } from "../app/router.js";
import { can } from "../app/session.js";
import { Badge, Button, Empty, PageHead, Panel, ProblemNotice, Tag, Time } from "../components/basics.js";
import { Field } from "../components/form.js";
import { Icon } from "../components/icon.js";
import { nameOfType, resultOf, send, TYPES } from "../components/import_kinds.js";
import { ListPanel } from "../components/table.js";
import { ImportDetail } from "./import_detail.js";

/** @param {{ parts: (string | undefined)[] }} props */
export const Imports = ({ parts: [id] }) => (id ? html`<${ImportDetail} id=${id} key=${id} />` : html`<${List} />`);

function List() {
  const { query } = usePlace();
  const list = useList(withQuery("/imports", { cursor: query.get("cursor"), limit: 50 }), { kind: "import" });
  return html`
    <${PageHead} title="Imports" sub="Files of a spreadsheet or a shop, row by row" />
    ${can("imports:write") && html`<${Upload} />`}
    <div class="above-top"><${ListPanel} list=${list} label="Imports" noun="import" open=${(/** @type {any} */ row) => `/imports/${row.id}`} empty=${html`<${Empty} title="No imports yet" actions=${html`<a class="btn" href="/docs/guide/imports" target="_blank" rel="noopener">Read how files are read</a>`}>A file is first checked. What it would make is shown before anything is kept.<//>`} columns=${[
      { name: "Import", place: "a1", cell: (/** @type {any} */ row) => html`<a class="plain" href=${href(`/imports/${row.id}`)}>${nameOfType(row.type)}</a><span class="sub">${row.options?.dry_run ? "only checked" : (row.format ?? "csv").toUpperCase()}</span>` },
      { name: "State", place: "a4", cell: (/** @type {any} */ row) => html`<${Badge} state=${row.status} />${row.failed_count > 0 && html` <${Tag} tone="bad" icon="x">${count(row.failed_count)} refused<//>`}` },
      { name: "Result", place: "a3", wrap: true, cell: (/** @type {any} */ row) => resultOf(row) },
      { name: "Rows", end: true, place: "a2", cell: (/** @type {any} */ row) => count(row.rows_count) },
      { name: "Made", place: "a5", cell: (/** @type {any} */ row) => html`<${Time} at=${row.created_at} />` },
    ]} /></div>`;
}

function Upload() {
  const allowed = TYPES.filter(([, , scope]) => can(scope));
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  const [type, setType] = useState(allowed[0]?.[0] ?? "");
  const [conflict, setConflict] = useState("skip");
  const [locale, setLocale] = useState("");
  const [isOver, setOver] = useState(false);
  const { run, isBusy, problem, clear } = useAction((key, /** @type {boolean} */ isCheck) => {
    const format = /\.(ndjson|jsonl)$/i.test(file?.name ?? "") ? "ndjson" : undefined;
    return send(/** @type {File} */ (file), { type, format, on_conflict: conflict, locale, dry_run: isCheck ? "true" : undefined }, key);
  }, { shows: true });
  const start = async (/** @type {boolean} */ isCheck) => {
    const id = await run(isCheck);
    if (typeof id === "string") go(`/imports/${id}`);
  };
  const choose = (/** @type {File | undefined} */ next) => {
    clear();
    setFile(next ?? null);
  };
  const over = (/** @type {any} */ event) => {
    event.preventDefault();
    setOver(event.type === "dragover");
    if (event.type === "drop") choose(event.dataTransfer?.files[0]);
  };
  if (allowed.length === 0) return null;
  const why = file ? undefined : "Choose a file first";
  return html`<${Panel} title="Import a file" note="CSV from a spreadsheet or a shop, or one JSON object in each line"><form class="body stack loose" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); if (file) start(true); }}>
    <label class=${`drop ${isOver ? "over" : ""}`} onDragOver=${over} onDragLeave=${over} onDrop=${over}><input class="unseen" type="file" accept=".csv,.tsv,.txt,.ndjson,.jsonl" onChange=${(/** @type {any} */ event) => choose(event.target.files[0])} /><${Icon} name="upload" /><span>${file ? html`<b><bdi>${file.name}</bdi></b> <span class="soft">${count(Math.max(1, Math.round(file.size / 1000)))} kB</span>` : html`<b>Choose a file</b> <span class="soft">or drop it here</span>`}</span></label>
    <div class="form-grid">
      <${Field} label="Its rows are" name="type" type="select" value=${type} onChange=${setType} options=${allowed.map(([key, name]) => [key, name])} hint=${html`<a href=${`/imports/templates/${type}.csv`} download=${`${type}.csv`}>Download the template</a> with all columns and an example.`} />
      <${Field} label="What exists already" name="on_conflict" type="select" value=${conflict} onChange=${setConflict} options=${[["skip", "stays as it is"], ["update", "is changed as the row says"]]} />
      <${Field} label="Numbers as in" name="locale" type="select" value=${locale} onChange=${setLocale} options=${[["", "1,234.5 (English)"], ["de-DE", "1.234,5 (German)"], ["fr-FR", "1 234,5 (French)"]]} />
    </div>
    <${ProblemNotice} error=${problem} />
    <div class="row"><${Button} primary type="submit" icon="check" busy=${isBusy} why=${why}>Check the file<//><${Button} busy=${isBusy} why=${why} onClick=${() => start(false)}>Import without a check<//><span class="soft small">A check keeps nothing: it shows what each row would make.</span></div>
  </form><//>`;
}
