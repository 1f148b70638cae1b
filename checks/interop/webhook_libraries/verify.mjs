// Verifies recorded deliveries with the official package of npm: `node verify.mjs RECORD`, where RECORD is what check.py
// wrote. It expects what check.py expects of the package of PyPI, and prints how much it checked.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// The package lies where ./test installed it, not beside this file.
const { Webhook } = createRequire(join(process.cwd(), "package.json"))("standardwebhooks");
const { cases } = JSON.parse(readFileSync(process.argv[2], "utf8"));

const isAccepted = ({ secret, headers, body }) => {
  try {
    new Webhook(secret).verify(Buffer.from(body, "base64"), headers);
    return true;
  } catch {
    return false;
  }
};

let accepted = 0;
let refused = 0;
for (const check of cases) {
  if (isAccepted(check) !== check.is_valid) {
    console.error(`npm's verifier ${check.is_valid ? "refuses" : "accepts"} ${check.what}`, check.headers);
    process.exit(1);
  }
  if (check.is_valid) accepted += 1;
  else refused += 1;
}
console.log(JSON.stringify({ accepted, refused }));
