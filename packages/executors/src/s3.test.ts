import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { type Blobs, NotFoundError, sha256 } from "@swarm/core";
import { s3Blobs } from "@swarm/executors/s3";
import { localSandbox } from "@swarm/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type S3Server, s3Server } from "../test/s3-server.ts";

const directory = mkdtempSync(join(tmpdir(), "swarm-s3-"));
let server: S3Server | string;
let blobs: Blobs;

beforeAll(async () => {
  server = await s3Server(join(directory, "s3"));
  if (typeof server === "string") return console.warn(`NOTHING IS TRIED ON A REAL S3 SERVER HERE: ${server}`);
  blobs = s3Blobs({ ...server, prefix: "swarm/" });
}, 150_000);
afterAll(async () => {
  if (typeof server !== "string") await server.stop();
  rmSync(directory, { recursive: true, force: true });
}, 30_000);

describe("blobs in S3", () => {
  test("are found by their content, also from another machine", async () => {
    if (typeof server === "string") return;
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    const id = await blobs.put(bytes);
    expect(id).toBe(sha256(bytes));
    expect(await blobs.put(bytes)).toBe(id);
    expect(Buffer.from(await s3Blobs({ ...server, prefix: "swarm/" }).get(id))).toEqual(bytes);
    expect([await blobs.has(id), await blobs.has(sha256("none")), await s3Blobs(server).has(id)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(Buffer.from(await blobs.get(await blobs.put(""))).toString()).toBe("");
  });

  test("reject where one is missing, damaged, or the storage refuses", async () => {
    if (typeof server === "string") return;
    const { client, bucket } = server;
    await expect(blobs.get(sha256("none"))).rejects.toThrow(NotFoundError);
    const id = sha256("whole");
    const Key = `swarm/${id.slice(0, 2)}/${id.slice(2)}`;
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: "other" }));
    await expect(blobs.get(id)).rejects.toThrow(/damaged/);
    await expect(s3Blobs({ client, bucket: "no-such-bucket" }).put("text")).rejects.toThrow();
  });

  test("carry a workspace from one machine to another", async () => {
    if (typeof server === "string") return;
    const machine = (name: string) => localSandbox({ store: join(directory, name), shared: blobs, isolation: "none" });
    const base = await machine("here").snapshots.put({ files: { "a.txt": "a\n", "d/b.txt": "b\n" } });
    const { signal } = new AbortController();
    await using workspace = await machine("there").open({ snapshot: base, lane: "run" }, { signal });
    await workspace.write("d/c.txt", "c\n");
    const files = await machine("elsewhere").snapshots.files(await workspace.snapshot());
    expect(files).toEqual({ "a.txt": "a\n", "d/b.txt": "b\n", "d/c.txt": "c\n" });
  });
});
