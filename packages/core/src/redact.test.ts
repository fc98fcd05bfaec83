import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor, REDACTED, redactJson } from "./redact.ts";

const key = `sk-${"a1".repeat(20)}`;

test.each<[string, readonly string[], string, string]>([
  ["a shape", [], `key=${key}.`, `key=${REDACTED}.`],
  ...[
    `AIza${"a1".repeat(17)}b`,
    `AKIA${"A1".repeat(8)}`,
    `ASIA${"A1".repeat(8)}`,
    ...[..."pousr"].map((kind) => `gh${kind}_${"a1".repeat(15)}`),
    `github_pat_${"a1".repeat(15)}`,
    `xoxb-${"1".repeat(10)}`,
  ].map((secret): [string, string[], string, string] => [
    `the shape ${secret}`,
    [],
    `a ${secret} b`,
    `a ${REDACTED} b`,
  ]),
  ...["X-API-Key: ", "Bearer ", "https://a/?api_key=", "?apikey=", "?key=", "&ACCESS_TOKEN=", "&token="].map(
    (before): [string, string[], string, string] => {
      const secret = "a1".repeat(10);
      return [`what comes after ${before}`, [], before + secret, before + REDACTED];
    },
  ),
  ["a value", ["correct horse"], "a correct horse, a correct horse", `a ${REDACTED}, a ${REDACTED}`],
  ["values that overlap", ["aaaabbbbcccc", "ccccdddddddd"], "aaaabbbbccccdddddddd!", `${REDACTED}!`],
  ["a value inside a shape", ["a1a1a1a1a1"], `<${key}>`, `<${REDACTED}>`],
  ["a value in JSON text", ['quo"te\nline'], JSON.stringify({ s: 'quo"te\nline' }), `{"s":"${REDACTED}"}`],
  [
    "no word that only begins like one",
    [],
    "ASIAPACIFIC sk-short -----BEGIN PRIVATE KEY----- alone",
    "ASIAPACIFIC sk-short -----BEGIN PRIVATE KEY----- alone",
  ],
  [
    "a private key",
    [],
    "x\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\ny",
    `x\n${REDACTED}\ny`,
  ],
  [
    "a private key of which only the beginning was kept",
    [],
    `-----BEGIN PRIVATE KEY-----\n${"MIIEvQ".repeat(10)}\n[… 9 characters left out …]`,
    `${REDACTED}[… 9 characters left out …]`,
  ],
  ["nothing of a short value", ["abc"], "abcabc", "abcabc"],
])("takes out %s", (_, secrets, text, expected) => {
  expect(createRedactor(secrets)(text)).toBe(expected);
});

const random = "Ab3dEf6hIj9kLm2nOp5q";
test.each([
  `OPENAI_API_KEY=${random}\nPATH=/bin`,
  `AWS_SECRET_ACCESS_KEY=${random}`,
  `GH_TOKEN='${random}'`,
  `api_key = "${random}"`,
  `{"apiKey":"${random}"}`,
  `client_secret: ${random}`,
  `"access_token" : "${random}"`,
])("takes out what %s names as a secret", (text) => {
  expect(createRedactor()(text)).toBe(text.replace(random, REDACTED));
});

test.each([
  "api_key = settings.providers2.openai.api_key",
  "apiKey: process.env.OPENAI_API_KEY_2",
  "api_key = read_key_number_2(path)",
  "const ACCESS_TOKEN = authentication_header_name",
  "primary_key = 12345678901234567890",
  "MAX_TOKENS=16384",
  "sort_key=created_at_descending_2020",
  "the token: 0123456789abcdef0123456789abcdef",
])("leaves %s alone", (text) => {
  expect(createRedactor()(text)).toBe(text);
});

test("takes out the text of a field whose name says that it is one, whatever it looks like", () => {
  const secret = { api_key: "a", "X-Api-Key": "b", Authorization: "c", password: ["d", "e"], openaiApiKey: "f" };
  expect(redactJson({ config: secret, key: "0.1", tokens: { input: 1 }, password: "" }, createRedactor())).toEqual({
    config: {
      api_key: REDACTED,
      "X-Api-Key": REDACTED,
      Authorization: REDACTED,
      password: [REDACTED, REDACTED],
      openaiApiKey: REDACTED,
    },
    key: "0.1",
    tokens: { input: 1 },
    password: "",
  });
});

test.each([
  `sk-ant-${random}`,
  `AIza${random}${random.slice(0, 15)}`,
  `AKIA${random.toUpperCase().slice(0, 16)}`,
  `ASIA${random.toUpperCase().slice(0, 16)}`,
  `ghp_${random}${random}`,
  `github_pat_${random}${random}`,
  `xoxb-${random}`,
  `X-API-Key: ${random}`,
  `"x-api-key":"${random}"`,
  `Authorization: Bearer ${random}`,
  `https://a.example/v1?key=${random}`,
  `https://a.example/v1?q=1&API_KEY=${random}`,
  `https://a.example/v1?access_token=${random}`,
])("takes out the secret of %s wherever it stands", (text) => {
  const secret = /[\w-]+$/.exec(text.replace(/"$/, ""))![0];
  for (const whole of [text, `\n${text}\n`, `{ ${text} }`]) {
    expect(createRedactor()(whole)).not.toContain(secret);
    expect(createRedactor()(whole)).toContain(REDACTED);
  }
});

test("leaves no secret, and nothing to do a second time", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 8, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(3)),
      (secrets, order) => {
        const redact = createRedactor(secrets);
        const text = order.map((index) => secrets[index % secrets.length]).join("");
        const once = redact(text);
        fc.pre(secrets.every((secret) => !REDACTED.includes(secret) && !secret.includes("[") && !secret.includes("]")));
        expect(secrets.every((secret) => !once.includes(secret))).toBe(true);
        expect(redact(once)).toBe(once);
      },
    ),
  );
});
