#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs";

const [source, target] = process.argv.slice(2);
try {
  const cents = {};
  const [header, ...lines] = readFileSync(source, "utf8").split("\n");
  if (header.trim() !== "city,amount") throw new Error(`${source}:1: the header is not "city,amount"`);
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    const sale = /^([^,]+),(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(line.trim());
    if (sale === null) throw new Error(`${source}:${index + 2}: this is no sale`);
    const [, city, sign, whole, decimals = ""] = sale;
    cents[city] = (cents[city] ?? 0n) + BigInt(sign + whole + decimals.padEnd(2, "0"));
  });
  const totals = Object.keys(cents)
    .sort()
    .map((city) => [city, asText(cents[city])]);
  writeFileSync(target, `${JSON.stringify(Object.fromEntries(totals), null, 2)}\n`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function asText(cents) {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
