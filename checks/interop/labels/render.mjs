// Renders ZPL as a printer of 203 dpi would: `node render.mjs FILE…` makes FILE-1.png, FILE-2.png… of the labels in each.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// The package lies where ./test installed it, not beside this file.
const { ready } = createRequire(join(process.cwd(), "package.json"))("zpl-renderer-js");
const { api } = await ready;
const DOTS_PER_MM = 8;

for (const file of process.argv.slice(2)) {
  const zpl = readFileSync(file, "utf8");
  const dots = (command) => Number(zpl.match(new RegExp(`\\^${command}(\\d+)`))[1]);
  const [width, height] = [dots("PW") / DOTS_PER_MM, dots("LL") / DOTS_PER_MM];
  const images = await api.zplToBase64MultipleAsync(zpl, width, height, DOTS_PER_MM);
  images.forEach((image, index) => writeFileSync(`${file}-${index + 1}.png`, Buffer.from(image, "base64")));
}
// The renderer's own thread would keep the program alive.
process.exit(0);
