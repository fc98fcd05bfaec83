import { readFileSync } from "node:fs";
import { defineConfig } from "tsup";

/** One configuration for all packages: an entry for each source that a package's `exports`, `bin` or `swarm.entries` name. */
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, string | { "@swarm/source": string }>;
  bin?: Record<string, string>;
  swarm?: { entries?: string[] };
};
const exported = Object.values(manifest.exports).flatMap((e) => (typeof e === "string" ? [] : [e["@swarm/source"]]));
const programs = Object.values(manifest.bin ?? {}).map((path) =>
  path.replace(/^\.\/dist\//, "./src/").replace(/\.js$/, ".ts"),
);

export default defineConfig({
  entry: Object.fromEntries(
    [...exported, ...programs, ...(manifest.swarm?.entries ?? [])].map((path) => [
      path.replace(/^\.\/src\//, "").replace(/\.ts$/, ""),
      path,
    ]),
  ),
  format: "esm",
  target: "node22",
  platform: "node",
  dts: false,
  sourcemap: true,
  clean: true,
  splitting: true,
  removeNodeProtocol: false, // some modules, such as node:sqlite, have no other name
});
