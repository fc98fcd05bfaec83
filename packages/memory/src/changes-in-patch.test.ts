import { expect, it } from "vitest";
import { changesInPatch } from "./changes-in-patch.ts";

it.each([
  ["", []],
  [
    "diff --git a/x.py b/x.py\nindex 1..2 100644\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,3 @@ def f():\n-1\n+2\n 3\n+++ 4\n",
    [{ path: "x.py", added: "2\n++ 4" }],
  ],
  ["diff --git a/my file b/é.txt b/my file b/é.txt\n", [{ path: "my file b/é.txt", added: "" }]],
  ["diff --git a/old name b/new name\nrename from old name\nrename to new name\n", [{ path: "new name", added: "" }]],
  ['diff --git "a/tab\\t" "b/tab\\t"\n@@ -0,0 +1 @@\n+1\ndiff --git a/b b/b\n', [{ path: "b", added: "" }]],
  [
    "diff --git a/x b/x\n@@ -1 +1 @@\n+diff --git a/y b/y\n diff --git a/z b/z\n",
    [{ path: "x", added: "diff --git a/y b/y" }],
  ],
])("%j", (patch, changes) => {
  expect(changesInPatch(patch)).toEqual(changes);
});
