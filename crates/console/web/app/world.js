// Which world the viewer looks at: live, or test, where nothing costs money.
import { createStore } from "./store.js";

const KEY = "dockside.world";

function kept() {
  try {
    return localStorage.getItem(KEY) === "test" ? "test" : "live";
  } catch {
    return "live";
  }
}

export const world = createStore(kept());

/** @param {string} next */
export function chooseWorld(next) {
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Without storage the choice holds for this page.
  }
  world.set(next);
  document.documentElement.dataset.world = next;
}

document.documentElement.dataset.world = world.get();
