import { readFile, writeFile } from "node:fs/promises";
import { argv, exit } from "node:process";
import { totals } from "#totals";

const [, , source, target] = argv;
let text;
try {
  text = await readFile(source, "utf8");
} catch {
  console.error(`${source}: cannot be read`);
  exit(1);
}
const { problem, result } = totals(text);
if (problem !== undefined) {
  console.error(`${source}:${problem}`);
  exit(1);
}
await writeFile(target, JSON.stringify(result));
exit(0);
