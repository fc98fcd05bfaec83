import { test } from "node:test";

test("order is by number", () => {});
test("the array is left as it was", () => {});
test("both ends are quantiles", () => {});
test("one value has no deviation", () => {});
test("an empty array has nothing", () => {});
