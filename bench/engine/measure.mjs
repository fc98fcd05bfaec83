// One contender in a process of its own: node --expose-gc measure.mjs <module> <warm-up runs> <runs>. Prints JSON.
import { counts } from "./loop.mjs";

const [module, warmUp, runs] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const CALLS = 6;
const TESTS = 2;

const start = spent();
const { contender } = await import(`./${module}.mjs`);
const imported = spent(start);
const rss = process.memoryUsage().rss;
const run = await contender();
await checkedRun();
const firstRun = spent(start);
const { characters } = counts;
for (let nth = 1; nth < warmUp; nth++) await checkedRun();

const before = usedHeap();
const walls = [];
const measured = spent();
for (let nth = 0; nth < runs; nth++) {
  const began = performance.now();
  await checkedRun();
  walls.push(performance.now() - began);
}
const { cpuMs } = spent(measured);
const kept = (usedHeap() - before) / runs;
const peak = process.resourceUsage().maxRSS * 1024;
console.log(
  JSON.stringify({ imported, firstRun, characters, rss, peak, heap: before, walls, cpuMs: cpuMs / runs, kept }),
);
process.exit();

/** A run that did all that there is to do. */
async function checkedRun() {
  Object.assign(counts, { calls: 0, writes: 0, tests: 0, characters: 0 });
  const { passed, diagnoses, report } = await run();
  const asked = module === "bare" ? 0 : CALLS;
  const whole = passed && diagnoses.length === 1 && report.length > 0;
  if (!whole || counts.calls !== asked || counts.tests !== TESTS || counts.writes !== TESTS) {
    throw new Error(`${module} did not do the loop: ${JSON.stringify({ passed, diagnoses, report, counts })}`);
  }
}

function spent(since = { ms: 0, cpuMs: 0 }) {
  const { user, system } = process.cpuUsage();
  return { ms: performance.now() - since.ms, cpuMs: (user + system) / 1000 - since.cpuMs };
}

function usedHeap() {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
