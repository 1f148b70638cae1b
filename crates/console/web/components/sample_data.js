// Filling the test world with a small shop, so that every page has something to show in the first minute.
import { html } from "../app/html.js";
import { post } from "../app/api.js";
import { useAction } from "../app/action.js";
import { count, words } from "../app/format.js";
import { can } from "../app/session.js";
import { useStore } from "../app/store.js";
import { world } from "../app/world.js";
import { Button } from "./basics.js";
import { forget } from "./places.js";

/** How often the request is sent at most: each goes on where the one before stopped. */
const TRIES_MAX = 90;
const REST_MS = 1000;

/** What there is now. @param {any} shown */
function saidOf(shown) {
  const counts = (shown?.resources ?? []).filter((/** @type {any} */ one) => one.present_count > 0);
  const text = counts.map((/** @type {any} */ one) => `${count(one.present_count)} ${words(one.name).toLowerCase()}`).join(", ");
  return text ? `The test world has a small shop: ${text}.` : "The test world has a small shop.";
}

/** Sends the request until the shop is complete. Nothing is made twice, so each request has a key of its own. */
async function fill() {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await post("/sample_data");
    if (answer.status !== 202) return answer.data;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
  }
  throw new Error("The sample data is not complete yet. Load it again to go on.");
}

/** A button of the test world. Viewers who may not write what a shop needs do not see it. @param {{ onDone: () => void, primary?: boolean }} props */
export function SampleData({ onDone, primary = false }) {
  const current = useStore(world);
  const { run, isBusy } = useAction(fill, { done: saidOf });
  if (current !== "test" || !["locations:write", "inventory:write", "orders:write"].every(can)) return null;
  const load = async () => {
    if (!(await run())) return;
    forget("/locations");
    onDone();
  };
  return html`<${Button} primary=${primary} icon="bolt" busy=${isBusy} onClick=${load}>Load sample data<//>`;
}
