// Progress of a job that has a total: a bar and the numbers. Widths are attributes of SVG, because the content security
// policy allows no style attributes.
import { html } from "../app/html.js";
import { count } from "../app/format.js";

/**
 * @typedef {{ name: string, value: number, fill: string }} Part `fill` is a class such as `f-good`.
 * @param {{ parts: Part[], total: number, thin?: boolean, label?: string }} props
 */
export function Bar({ parts, total, thin = false, label }) {
  let x = 0;
  const said = label ?? `${parts.filter(({ value }) => value > 0).map(({ name, value }) => `${count(value)} ${name.toLowerCase()}`).join(", ") || "nothing yet"} of ${count(total)}`;
  return html`<svg class=${`bar ${thin ? "thin" : "thick"}`} viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=${said}>
    ${parts.filter(({ fill }) => fill !== "f-rest").map(({ name, value, fill }) => {
      // What exists is seen, however little it is.
      const width = total > 0 && value > 0 ? Math.max(0.4, (100 * value) / total) : 0;
      const rect = html`<rect key=${name} class=${fill} x=${x.toFixed(2)} width=${width.toFixed(2)} height="10" />`;
      x += width;
      return rect;
    })}
  </svg>`;
}

/** @param {{ parts: Part[], total: number, more?: [string, any][] }} props */
export function Progress({ parts, total, more = [] }) {
  return html`<div class="stack loose">
    <${Bar} parts=${parts} total=${total} />
    <dl class="counts">
      ${parts.map(({ name, value, fill }) => html`<div key=${name}><dt><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect class=${fill} width="10" height="10" rx="2" /></svg>${name}</dt><dd>${count(value)}</dd></div>`)}
      ${more.length > 0 && html`<div class="spring"></div>`}
      ${more.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>
  </div>`;
}

/** @param {{ done: number, of: number, what: string }} props */
export const Share = ({ done, of, what }) => html`<span class="share"><${Bar} thin parts=${[{ name: what, value: done, fill: "f-good" }]} total=${of} label=${`${count(done)} of ${count(of)} ${what}`} />${count(done)} of ${count(of)}</span>`;
