// Lays the pictures of pages beside each other on one sheet: `node sheet.mjs PICTURES SHEET.png [WIDTH] [WORD…]`. With words, only pictures with one of them in their names.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { writeFileSync } from "node:fs";

const { chromium } = createRequire(join(process.env.CONSOLE_TOOLS, "package.json"))("playwright-core");
const [folder, sheet, width = "320", ...words] = process.argv.slice(2);
const names = readdirSync(folder).filter((name) => name.endsWith(".png") && (words.length === 0 || words.some((word) => name.includes(word)))).sort();
const figures = names.map((name) => `<figure><figcaption>${name.replace(".png", "")}</figcaption><img src="${pathToFileURL(join(resolve(folder), name))}"></figure>`);
const style = `body { margin: 16px; display: grid; grid-template-columns: repeat(auto-fill, ${width}px); gap: 16px; align-items: start; background: #888; font: 12px sans-serif; }
figure { margin: 0; } img { display: block; width: ${width}px; max-height: ${Number(width) * 1.2}px; object-fit: cover; object-position: top; }`;
const page = join(resolve(folder), "sheet.html");
writeFileSync(page, `<!doctype html><title>Console</title><style>${style}</style>${figures.join("")}`);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
const view = await browser.newPage({ viewport: { width: 6 * (Number(width) + 16) + 32, height: 900 } });
await view.goto(pathToFileURL(page).href);
await view.waitForLoadState("load");
await view.screenshot({ path: sheet, fullPage: true });
await browser.close();
console.log(`${sheet}: ${names.length} pictures`);
