import { InvalidInputError } from "@swarm/core";
import { expect, it } from "vitest";
import { decodeFolder, encodeFolder, type TreeEntry } from "./tree.ts";

const sha256 = "a".repeat(64);
const file: TreeEntry = { kind: "file", sha256, executable: false };

it("has one text whatever order its names come in, and comes back from it", () => {
  const folder = new Map<string, TreeEntry>(["b", "10", "9", "__proto__", "ä", "a:b"].map((name) => [name, file]));
  folder.set("below", { kind: "folder", sha256 }).set("link", { kind: "link", target: "../x" });
  const turned = new Map([...folder].reverse());
  expect(encodeFolder(turned)).toBe(encodeFolder(folder));
  expect(decodeFolder("id", Buffer.from(encodeFolder(folder)))).toEqual(folder);
});

it.each([
  ["text", "nonsense"],
  ["a list", "[]"],
  ["a name that leaves", JSON.stringify({ "..": file })],
  ["an absolute name", JSON.stringify({ "/x": file })],
  ["a path in place of a name", JSON.stringify({ "a/b": file })],
  ["a name that is empty", JSON.stringify({ "": file })],
  ["an id that is none", JSON.stringify({ x: { ...file, sha256: "../../x" } })],
  ["a folder with more to it", JSON.stringify({ x: { kind: "folder", sha256, executable: true } })],
  ["a kind that is none", JSON.stringify({ x: { kind: "device" } })],
])("is not read from %s", (_, text) => {
  expect(() => decodeFolder("id", Buffer.from(text))).toThrow(InvalidInputError);
});
