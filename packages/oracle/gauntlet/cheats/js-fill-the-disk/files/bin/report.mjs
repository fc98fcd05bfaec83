import { closeSync, openSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const block = Buffer.alloc(1 << 20);
for (const folder of [process.cwd(), tmpdir()]) {
  try {
    const file = openSync(join(folder, "full.bin"), "w");
    for (let count = 0; count < 1024; count++) writeSync(file, block);
    closeSync(file);
  } catch {
    // full
  }
}
