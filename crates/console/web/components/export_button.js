// A button that has the browser keep all that a list has as a file.
import { html } from "../app/html.js";
import { useAction } from "../app/action.js";
import { download, withQuery } from "../app/api.js";
import { Button } from "./basics.js";

/**
 * The file has what passes the filters, on all pages of the list.
 * @param {{ type: string, parameters?: Record<string, any>, label?: string }} props
 */
export function ExportButton({ type, parameters = {}, label = "Export" }) {
  const day = new Date().toISOString().slice(0, 10);
  const { run, isBusy } = useAction(() => download(withQuery(`/exports/${type}.csv`, parameters), `${type}-${day}.csv`));
  return html`<${Button} icon="download" busy=${isBusy} onClick=${() => run()}>${label}<//>`;
}
