// Writes the generated parts of the TypeScript library: the types of all paths, and which changes take no idempotency key.
//
//   node typescript.mjs DOCUMENT FOLDER TOOLS
//
// DOCUMENT is what document.py wrote, TOOLS the folder whose node_modules have openapi-typescript.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [source, folder, tools] = process.argv.slice(2);
const required = createRequire(join(tools, "package.json"));
const { default: openapiTS, astToString } = required("openapi-typescript");
const ts = required("typescript");

const HEAD = "// Generated from openapi.json by clients/generate.sh: change that, and not this file.\n\n";
const METHODS = ["post", "put", "patch", "delete"];
const FILES = new Set(["text/csv", "application/x-ndjson", "application/octet-stream"]);
const FILE = "dockside-file";

/** Marks the bodies that are files, which in JavaScript are more than texts. */
function markFiles(operations) {
  for (const { requestBody } of operations) {
    for (const [type, content] of Object.entries(requestBody?.content ?? {})) {
      if (FILES.has(type)) content.schema = { type: "string", format: FILE };
    }
  }
}

const reference = (name) => ts.factory.createTypeReferenceNode(name);
const file = ts.factory.createUnionTypeNode([reference("string"), reference("Blob"), reference("ArrayBuffer")]);

const document = JSON.parse(readFileSync(source, "utf8"));
markFiles(Object.values(document.paths).flatMap((item) => METHODS.map((method) => item[method]).filter(Boolean)));
const transform = (schema) => (schema.format === FILE ? file : undefined);
const types = astToString(await openapiTS(document, { transform, defaultNonNullable: false }));

const withoutKey = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method] && !item[method].parameters.some(({ name }) => name === "Idempotency-Key")).map(
    (method) => `${method.toUpperCase()} ${path}`,
  ),
);
const listed = withoutKey.map((each) => `  ${JSON.stringify(each)},\n`).join("");

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "schema.ts"), HEAD + types);
writeFileSync(
  join(folder, "without_key.ts"),
  `${HEAD}/** The changes that take no idempotency key, by method and path. */\nexport const WITHOUT_KEY: ReadonlySet<string> = new Set([\n${listed}]);\n`,
);
