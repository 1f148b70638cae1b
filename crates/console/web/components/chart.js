// Charts: SVG of one hue; a sentence says what the picture says. Labels are HTML, so that they do not shrink.
import { html } from "../app/html.js";
import { count, day } from "../app/format.js";

/** A round number at or above the largest value, of which every quarter is whole. @param {number} value */
function ceiling(value) {
  const quarter = Math.max(1, value / 4);
  const power = 10 ** Math.floor(Math.log10(quarter));
  return 4 * ([1, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= quarter) ?? Math.ceil(quarter));
}

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short" });

/** @param {{ days: { date: string, value: number }[] }} props */
export function DayChart({ days }) {
  const top = ceiling(Math.max(...days.map((one) => one.value), 0));
  const width = days.length * 10;
  const highest = days.reduce((best, one) => (one.value > best.value ? one : best), days[0] ?? { date: "", value: 0 });
  const last = days.at(-1);
  return html`<div class="chart">
    <div class="y" aria-hidden="true">${[4, 3, 2, 1, 0].map((part) => html`<span key=${part}>${count((top * part) / 4)}</span>`)}</div>
    <svg class="plot" viewBox=${`0 0 ${width} 100`} preserveAspectRatio="none" role="img" aria-label=${days.length ? `Bought per day: highest ${count(highest.value)} on ${day(highest.date)}, today ${count(last?.value)} so far.` : "No days yet."}>
      ${[0, 25, 50, 75, 100].map((y) => html`<line key=${y} x1="0" x2=${width} y1=${y} y2=${y} />`)}
      ${days.map((one, place) => html`<rect key=${one.date} class=${place === days.length - 1 ? "f-1" : "f-2"} x=${place * 10 + 1.6} width="6.8" y=${(100 - (100 * one.value) / top).toFixed(1)} height=${((100 * one.value) / top).toFixed(1)}><title>${day(one.date)}: ${count(one.value)}</title></rect>`)}
    </svg>
    <div class="x" aria-hidden="true">${days.map((one) => {
      const date = new Date(`${one.date.slice(0, 10)}T12:00:00`);
      return html`<span key=${one.date}>${weekday.format(date)}<br />${date.getDate()}</span>`;
    })}</div>
  </div>`;
}
