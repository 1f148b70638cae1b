// Compares the packages that the console ships with what was published under their versions: `node vendored.mjs VENDOR TOOLS`.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [vendor, tools] = process.argv.slice(2);
const FILES = {
  "preact/preact.mjs": "preact/dist/preact.mjs",
  "preact/hooks.mjs": "preact/hooks/dist/hooks.mjs",
  "preact/LICENSE": "preact/LICENSE",
  "htm/htm.mjs": "htm/dist/htm.mjs",
  "htm/LICENSE": "htm/LICENSE",
  "centrifuge/centrifuge.js": "centrifuge/dist/centrifuge.js",
  "centrifuge/LICENSE": "centrifuge/LICENSE",
};
const withoutMap = (text) => text.replace(/^\/\/# sourceMappingURL=.*\n?/m, "");

for (const [ours, theirs] of Object.entries(FILES)) {
  const published = readFileSync(join(tools, "node_modules", theirs), "utf8");
  if (withoutMap(published).trimEnd() !== readFileSync(join(vendor, ours), "utf8").trimEnd()) {
    console.error(`vendor/${ours} is not what was published as ${theirs}`);
    process.exitCode = 1;
  }
}
