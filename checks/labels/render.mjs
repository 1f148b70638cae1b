// Renders ZPL as a printer of 203 dpi would: `node render.mjs DIRECTORY` makes N.zpl.png of each N.zpl in it.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// The package lies where ./test installed it, not beside this file.
const { ready } = createRequire(join(process.cwd(), "package.json"))("zpl-renderer-js");
const { api } = await ready;
const [directory] = process.argv.slice(2);
const [WIDTH_MM, HEIGHT_MM, DOTS_PER_MM] = [101.5, 152.25, 8];

for (const name of readdirSync(directory).filter((name) => name.endsWith(".zpl"))) {
  const zpl = readFileSync(join(directory, name), "utf8");
  const image = await api.zplToBase64Async(zpl, WIDTH_MM, HEIGHT_MM, DOTS_PER_MM);
  writeFileSync(join(directory, `${name}.png`), Buffer.from(image, "base64"));
}
// The renderer's own thread would keep the program alive.
process.exit(0);
