// Drawings of 20 by 20 units: each a list of SVG elements with their attributes.
import { h } from "preact";

/** @type {Record<string, [string, Record<string, string>][]>} */
const DRAWINGS = {
  "batches": [["path",{"d":"M10 3l7 3.5-7 3.5-7-3.5z"}],["path",{"d":"M3 10l7 3.5 7-3.5M3 13.5L10 17l7-3.5"}]],
  "bolt": [["path",{"d":"M11 2.5L4.5 11.5H10l-1 6 6.5-9H10z"}]],
  "check": [["path",{"d":"M4 10.5l4 4 8-9"}]],
  "clock": [["circle",{"cx":"10","cy":"10","r":"7"}],["path",{"d":"M10 6v4.3l2.7 1.6"}]],
  "copy": [["path",{"d":"M7 7h9.500v9.500H7z"}],["path",{"d":"M13 7V3.500H3.500V13H7"}]],
  "developers": [["path",{"d":"M7 6l-4 4 4 4M13 6l4 4-4 4M11.2 4.5l-2.4 11"}]],
  "dots": [["path",{"d":"M4.5 10h.01M10 10h.01M15.5 10h.01","stroke-width":"2.6"}]],
  "down": [["path",{"d":"M10 4v12M5 11l5 5 5-5"}]],
  "download": [["path",{"d":"M10 3v9.5M6 9l4 4 4-4M3.5 16.5h13"}]],
  "edit": [["path",{"d":"M12.5 4.5l3 3L7 16l-3.5.5L4 13z"}]],
  "help": [["circle",{"cx":"10","cy":"10","r":"7"}],["path",{"d":"M8 8c.2-2.3 4-2.2 4 .2 0 1.5-2 1.6-2 3.1M10 14v.1"}]],
  "info": [["circle",{"cx":"10","cy":"10","r":"7"}],["path",{"d":"M10 9.3v4.2M10 6.5v.1"}]],
  "key": [["circle",{"cx":"6.5","cy":"13","r":"3"}],["path",{"d":"M8.7 10.8L16.5 3M13.5 6l2.5 2.5"}]],
  "left": [["path",{"d":"M12.5 4.5L7 10l5.5 5.5"}]],
  "manifests": [["path",{"d":"M6 4H4.5v13h11V4H14"}],["path",{"d":"M7 2.75h6v2.5H7zM7.5 9h5M7.5 12.5h3"}]],
  "menu": [["path",{"d":"M3 6h14M3 10h14M3 14h14"}]],
  "orders": [["path",{"d":"M5 3h10v14l-2.5-1.5L10 17l-2.5-1.5L5 17z"}],["path",{"d":"M8 7h4M8 10.5h4"}]],
  "out": [["path",{"d":"M8 4H4v12h12v-4M11.5 3.5h5v5M16.5 3.5L9.5 10.5"}]],
  "pack": [["path",{"d":"M3 7V4h3M14 4h3v3M17 13v3h-3M6 16H3v-3"}],["path",{"d":"M6.5 7.5v5M9 7.5v5M11 7.5v5M13.5 7.5v5"}]],
  "pause": [["path",{"d":"M7 5v10M13 5v10"}]],
  "pin": [["path",{"d":"M10 17.5c3.5-4 5-6.4 5-8.8a5 5 0 0 0-10 0c0 2.4 1.5 4.8 5 8.8z"}],["circle",{"cx":"10","cy":"8.7","r":"1.7"}]],
  "play": [["path",{"d":"M6 4l10 6-10 6z"}]],
  "plus": [["path",{"d":"M10 4.5v11M4.5 10h11"}]],
  "print": [["path",{"d":"M6 7V3h8v4M6 14H3.5V7h13v7H14"}],["path",{"d":"M6 11.5h8V17H6z"}]],
  "refresh": [["path",{"d":"M16 10a6 6 0 1 1-2-4.500M14.500 2.500v3.500H11"}]],
  "review": [["path",{"d":"M10 2.5l7.5 7.5-7.5 7.5L2.5 10z"}],["path",{"d":"M8.4 8.3c.3-1.8 3.3-1.6 3.2.2 0 1.1-1.6 1.2-1.6 2.4M10 13.2v.1"}]],
  "right": [["path",{"d":"M7.5 4.5L13 10l-5.5 5.5"}]],
  "s-full": [["circle",{"cx":"10","cy":"10","r":"6.5","fill":"currentColor"}]],
  "s-half": [["circle",{"cx":"10","cy":"10","r":"6.5"}],["path",{"d":"M10 3.5a6.5 6.5 0 0 1 0 13z","fill":"currentColor"}]],
  "s-move": [["path",{"d":"M4 10h11M10.5 5l5 5-5 5"}]],
  "s-none": [["circle",{"cx":"10","cy":"10","r":"6.5","stroke-dasharray":"2.5 3.3"}]],
  "s-ring": [["circle",{"cx":"10","cy":"10","r":"6.5"}]],
  "search": [["circle",{"cx":"9","cy":"9","r":"5.5"}],["path",{"d":"M13 13l4 4"}]],
  "setup": [["path",{"d":"M3 6h7M14 6h3M3 14h3M10 14h7"}],["circle",{"cx":"12","cy":"6","r":"2"}],["circle",{"cx":"8","cy":"14","r":"2"}]],
  "shipments": [["path",{"d":"M3 6.5L10 3l7 3.5v7L10 17l-7-3.5z"}],["path",{"d":"M3 6.5l7 3.5 7-3.5M10 10v7"}]],
  "signout": [["path",{"d":"M8 4H4v12h4M8.500 10h8M13 6.500l3.500 3.500-3.500 3.500"}]],
  "sort": [["path",{"d":"M10 16V4M5.5 8.5L10 4l4.5 4.5"}]],
  "sound": [["path",{"d":"M3 8v4h3l4 3.500v-11L6 8zM13 7.500a4 4 0 0 1 0 5M15 5a7.500 7.500 0 0 1 0 10"}]],
  "spinner": [["path",{"d":"M10 3a7 7 0 1 1-7 7"}]],
  "stock": [["path",{"d":"M3.5 3v14M16.5 3v14M3.5 9h13M3.5 15.5h13"}],["path",{"d":"M6.5 5.5h3V9h-3zM10.5 12h3.5v3.5h-3.5z"}]],
  "stop": [["path",{"d":"M6.7 2.5h6.6l4.2 4.2v6.6l-4.2 4.2H6.7l-4.2-4.2V6.7z"}],["path",{"d":"M7 7l6 6M13 7l-6 6"}]],
  "tag": [["path",{"d":"M3 3.5h6.5L17 11l-6 6-7.5-7.5z"}],["path",{"d":"M6.7 7v.1"}]],
  "theme": [["circle",{"cx":"10","cy":"10","r":"6.5"}],["path",{"d":"M10 3.5v13M10 6.5h5.5M10 10h6.5M10 13.5h5.5"}]],
  "today": [["path",{"d":"M3 15a7 7 0 1 1 14 0"}],["path",{"d":"M10 15l3-5M3 15h14"}]],
  "trash": [["path",{"d":"M4 6h12M8 6V3.500h4V6M5.500 6l.7 10.500h7.600L14.500 6"}]],
  "truck": [["path",{"d":"M2.5 5h9v9h-9zM11.5 8h3.5l2.5 3v3h-6"}],["circle",{"cx":"6","cy":"15","r":"1.7"}],["circle",{"cx":"14.5","cy":"15","r":"1.7"}]],
  "undo": [["path",{"d":"M4 8h8a4.5 4.5 0 0 1 0 9H8M4 8l3.5-3.5M4 8l3.5 3.5"}]],
  "up": [["path",{"d":"M10 16V4M5 9l5-5 5 5"}]],
  "upload": [["path",{"d":"M10 12.5V3M6 6.5l4-4 4 4M3.5 16.5h13"}]],
  "users": [["circle",{"cx":"8","cy":"7","r":"3"}],["path",{"d":"M2.5 16.5c.6-3.4 3-5 5.5-5s4.9 1.6 5.5 5M13 4.3a3 3 0 0 1 0 5.4M15 12c1.5.7 2.3 2.3 2.5 4.5"}]],
  "warn": [["path",{"d":"M10 3L2.5 16.5h15z"}],["path",{"d":"M10 8v4M10 14.3v.1"}]],
  "waves": [["path",{"d":"M2.5 7c2.5-2.5 5 2.5 7.5 0s5 2.5 7.5 0M2.5 13c2.5-2.5 5 2.5 7.5 0s5 2.5 7.5 0"}]],
  "x": [["path",{"d":"M5 5l10 10M15 5L5 15"}]],
};

/**
 * A drawing beside words. It says nothing by itself, so screen readers skip it.
 * @param {{ name: string, class?: string }} props
 */
export function Icon({ name, class: classes = "icon" }) {
  const parts = DRAWINGS[name] ?? [];
  return h("svg", { class: classes, viewBox: "0 0 20 20", "aria-hidden": "true" }, parts.map(([tag, attributes]) => h(tag, attributes)));
}

/** The mark of Dockside. */
export function Mark() {
  return h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, [
    h("rect", { x: "1", y: "1", width: "22", height: "22", rx: "6", fill: "currentColor" }),
    h("path", { d: "M6 6.500h5.500a5 5 0 0 1 0 10H6z", class: "mark-hull" }),
    h("path", { d: "M4.500 20c1.300-1.200 2.500-1.200 3.800 0s2.500 1.200 3.700 0 2.500-1.200 3.800 0 2.500 1.200 3.700 0", class: "mark-water" }),
  ]);
}
