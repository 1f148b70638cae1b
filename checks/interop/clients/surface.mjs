// Fails if a type of the installed library has an `any`, or takes one from a place that can't be found.
//
//   node surface.mjs FOLDER    where the library is installed, with TypeScript
import { createRequire } from "node:module";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
const ts = createRequire(join(folder, "package.json"))("typescript");
const library = join(folder, "node_modules/dockside-client/dist");
const found = [];
let files = 0;

function look(node, source) {
  if (node.kind === ts.SyntaxKind.AnyKeyword) {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    found.push(`${source.fileName}:${line + 1}`);
  }
  ts.forEachChild(node, (child) => look(child, source));
}

for (const name of readdirSync(library, { recursive: true })) {
  if (!name.endsWith(".d.ts")) continue;
  const source = ts.createSourceFile(name, readFileSync(join(library, name), "utf8"), ts.ScriptTarget.Latest, true);
  look(source, source);
  files += 1;
}
if (files === 0 || found.length > 0) {
  console.error(`${files} files with declarations, and \`any\` in ${found.join(", ") || "none"}`);
  process.exit(1);
}
