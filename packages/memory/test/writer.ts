/** A process that writes `count` runs to a memory: node writer.ts <file> <name> <count> */
import { sqliteMemory } from "@swarm/memory";

const [file = "", name = "", count = "0"] = process.argv.slice(2);
const memory = sqliteMemory({ file });
for (let nth = 0; nth < Number(count); nth++) {
  await memory.remember({
    runId: `${name}-${nth}`,
    task: `Task ${name}${nth} of many.`,
    outcome: "verified",
    plan: [],
    files: [],
    functions: {},
    summary: "",
  });
}
await memory.close();
