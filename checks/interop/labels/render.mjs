// Renders ZPL as a printer of 203 dpi would, or of 300 or 600 dpi if the file's name ends so (`7.fine-300.zpl`):
// `node render.mjs FILE…` makes FILE-1.png, FILE-2.png… of the labels in each.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// The package lies where ./test installed it, not beside this file.
const { ready } = createRequire(join(process.cwd(), "package.json"))("zpl-renderer-js");
const { api } = await ready;
const DOTS_PER_MM = { 203: 8, 300: 12, 600: 24 };

for (const file of process.argv.slice(2)) {
  const zpl = readFileSync(file, "utf8");
  const dotsPerMm = DOTS_PER_MM[file.match(/-(300|600)\.zpl$/)?.[1] ?? 203];
  const dots = (command) => Number(zpl.match(new RegExp(`\\^${command}(\\d+)`))[1]);
  const [width, height] = [dots("PW") / dotsPerMm, dots("LL") / dotsPerMm];
  const images = await api.zplToBase64MultipleAsync(zpl, width, height, dotsPerMm);
  images.forEach((image, index) => writeFileSync(`${file}-${index + 1}.png`, Buffer.from(image, "base64")));
}
// The renderer's own thread would keep the program alive.
process.exit(0);
