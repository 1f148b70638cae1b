// Which page an address shows. Pages are loaded when they are first opened.

/**
 * @typedef {{ pattern: RegExp, load: () => Promise<any>, name: string, bare?: boolean }} PageRow
 * @type {PageRow[]}
 */
export const ROWS = [
  { pattern: /^\/$/, load: () => import("../pages/today.js"), name: "Today" },
  { pattern: /^\/orders$/, load: () => import("../pages/orders.js"), name: "Orders" },
  { pattern: /^\/orders\/new$/, load: () => import("../pages/order_new.js"), name: "OrderNew" },
  { pattern: /^\/orders\/([^/]+)$/, load: () => import("../pages/order.js"), name: "Order" },
  { pattern: /^\/shipments$/, load: () => import("../pages/shipments.js"), name: "Shipments" },
  { pattern: /^\/shipments\/([^/]+)$/, load: () => import("../pages/shipment.js"), name: "Shipment" },
  { pattern: /^\/batches$/, load: () => import("../pages/batches.js"), name: "Batches" },
  { pattern: /^\/batches\/([^/]+)$/, load: () => import("../pages/batch.js"), name: "Batch" },
  { pattern: /^\/waves$/, load: () => import("../pages/waves.js"), name: "Waves" },
  { pattern: /^\/waves\/([^/]+)$/, load: () => import("../pages/wave.js"), name: "Wave" },
  { pattern: /^\/manifests(?:\/([^/]+))?$/, load: () => import("../pages/manifests.js"), name: "Manifests" },
  { pattern: /^\/pack(?:\/([^/]+))?$/, load: () => import("../pages/pack.js"), name: "Pack", bare: true },
  { pattern: /^\/review(?:\/([^/]+))?$/, load: () => import("../pages/review.js"), name: "Review" },
  { pattern: /^\/stock$/, load: () => import("../pages/stock.js"), name: "Stock" },
  { pattern: /^\/stock\/audit$/, load: () => import("../pages/stock_audit.js"), name: "StockAudit" },
  { pattern: /^\/stock\/([^/]+)$/, load: () => import("../pages/stock_item.js"), name: "StockItem" },
  { pattern: /^\/imports(?:\/([^/]+))?$/, load: () => import("../pages/imports.js"), name: "Imports" },
  { pattern: /^\/settings\/([^/]+)(?:\/([^/]+))?$/, load: () => import("../pages/settings.js"), name: "Settings" },
  { pattern: /^\/settings$/, load: () => import("../pages/settings.js"), name: "Settings" },
  { pattern: /^\/developers(?:\/([^/]+))?(?:\/([^/]+))?$/, load: () => import("../pages/developers.js"), name: "Developers" },
  { pattern: /^\/users(?:\/([^/]+))?$/, load: () => import("../pages/users.js"), name: "Users" },
  { pattern: /^\/account$/, load: () => import("../pages/account.js"), name: "Account" },
  { pattern: /^\/search$/, load: () => import("../pages/search.js"), name: "SearchResults" },
];

/** @param {string} path */
export function find(path) {
  for (const row of ROWS) {
    const match = row.pattern.exec(path);
    if (match) return { row, parts: match.slice(1).map((part) => (part === undefined ? undefined : decodeURIComponent(part))) };
  }
  return null;
}
