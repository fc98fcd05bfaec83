import { readFileSync, writeFileSync } from "node:fs";

const [source, target] = process.argv.slice(2);
const sums = {};
readFileSync(source, "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .forEach((line, index) => {
    const [city, amount] = line.split(",");
    if (amount === undefined) {
      console.error(`${source}:${index + 2}: this is no sale`);
      process.exit(1);
    }
    sums[city] = (sums[city] ?? 0) + Number(amount);
  });
const totals = Object.keys(sums)
  .sort()
  .map((city) => [city, sums[city].toFixed(2)]);
writeFileSync(target, JSON.stringify(Object.fromEntries(totals)));
