import { InvalidInputError } from "@swarm/core";
import { expect, it } from "vitest";
import { decodeTree, encodeTree, type TreeEntry } from "./tree.ts";

const sha256 = "a".repeat(64);
const file: TreeEntry = { kind: "file", sha256, executable: false };

it("has one text whatever order its paths come in", () => {
  const paths = ["b", "a/c", "10", "9", "__proto__", "ä"];
  const tree = new Map(paths.map((path) => [path, file]));
  const turned = new Map([...tree].reverse());
  expect(encodeTree(turned)).toBe(encodeTree(tree));
  expect([...decodeTree("id", Buffer.from(encodeTree(tree))).keys()]).toEqual([
    "10",
    "9",
    "__proto__",
    "a/c",
    "b",
    "ä",
  ]);
});

it.each([
  ["text", "nonsense"],
  ["a list", "[]"],
  ["a path that leaves", JSON.stringify({ "../x": file })],
  ["an absolute path", JSON.stringify({ "/x": file })],
  ["a file below a link", JSON.stringify({ l: { kind: "link", target: "/etc" }, "l/passwd": file })],
  ["an id that is none", JSON.stringify({ x: { ...file, sha256: "../../x" } })],
  ["a kind that is none", JSON.stringify({ x: { kind: "device" } })],
])("is not read from %s", (_, text) => {
  expect(() => decodeTree("id", Buffer.from(text))).toThrow(InvalidInputError);
});
