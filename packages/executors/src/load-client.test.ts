import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "swarm-clients-"));
const src = fileURLToPath(new URL(".", import.meta.url));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The package where nothing is installed beside it but what it always needs. */
beforeAll(() => {
  cpSync(src, join(folder, "src"), { recursive: true });
  const scope = join(folder, "node_modules/@swarm");
  mkdirSync(scope, { recursive: true });
  symlinkSync(join(src, "../../core"), join(scope, "core"));
  symlinkSync(join(src, "../node_modules/zod"), join(folder, "node_modules/zod"));
});

const TEAM = '{ name: "any", version: "1", config: {}, make() {} }';
const WORKER = `(await import("./src/index.ts")).createWorker({ teams: [${TEAM}] })`;

test.each([
  ["bullmq.ts", "serveBullmq(WORKER, { connection: {} })", "bullmq and ioredis"],
  ["bullmq.ts", `bullmqExecutor({ connection: {} }).preflight(${TEAM}, {})`, "bullmq and ioredis"],
  ["restate.ts", "serveRestate(WORKER, { port: 0 })", "@restatedev/restate-sdk"],
  ["s3.ts", "s3Client()", "@aws-sdk/client-s3"],
])("%s: %s says what has to be installed", async (file, use, packages) => {
  const program = `const client = await import("./src/${file}");
    await client.${use.replace("WORKER", WORKER)}.catch(({ code, message }) => console.log(JSON.stringify([code, message])));`;
  const args = ["--conditions=@swarm/source", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  expect(JSON.parse(stdout)).toEqual(["CLIENT_MISSING", `install ${packages} beside @swarm/executors`]);
});
