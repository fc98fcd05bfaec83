import { DOMParser, type Element } from "@xmldom/xmldom";
import type { Format, ReportedTest } from "./format.ts";

/**
 * JUnit XML, a format without a standard: `testcase` elements at any depth, each passed unless a `failure`, `error` or
 * `skipped` is in it. What pytest marks as an expected failure is one.
 */
export const junit: Format = (text) => {
  const parser = new DOMParser({
    // Those of XML 1.0: the parser's own are of 1.1, and would change a name that holds one.
    normalizeLineEndings: (source) => source.replace(/\r\n?/g, "\n"),
    onError(level, message) {
      if (level !== "warning") throw new Error(String(message));
    },
  });
  const document = parser.parseFromString(text, "text/xml");
  const suites = [...document.getElementsByTagName("testsuite")];
  if (suites.length === 0) throw new Error("it has no element testsuite");
  const short = suites.find((suite) => Number(suite.getAttribute("tests")) > casesIn(suite).length);
  return {
    tests: [...document.getElementsByTagName("testcase")].map(readCase),
    problem: short
      ? `its suite ${short.getAttribute("name")} counts ${short.getAttribute("tests")} tests and holds ${casesIn(short).length}`
      : null,
  };
};

function casesIn(element: Element): Element[] {
  return [...element.getElementsByTagName("testcase")];
}

function readCase(element: Element): ReportedTest {
  const of = (tag: string) => element.getElementsByTagName(tag)[0];
  const told = of("error") ?? of("failure") ?? of("skipped");
  const line = Number.parseInt(element.getAttribute("line") ?? "", 10);
  return {
    names: ["classname", "name"].flatMap((name) => element.getAttribute(name) || []),
    file: element.getAttribute("file") || null,
    status: told ? statusOf(told) : "passed",
    message: told ? messageOf(told) : null,
    errorType: told?.tagName === "skipped" ? null : told?.getAttribute("type") || null,
    line: Number.isNaN(line) ? null : line,
    ms: (Number.parseFloat(element.getAttribute("time") ?? "") || 0) * 1_000,
    output: ["system-out", "system-err"]
      .map((tag) => of(tag)?.textContent?.trim() ?? "")
      .join("\n")
      .trim(),
  };
}

function statusOf(told: Element): ReportedTest["status"] {
  if (told.tagName !== "skipped") return told.tagName === "error" ? "error" : "failed";
  return told.getAttribute("type") === "pytest.xfail" ? "xfailed" : "skipped";
}

/** The message, and the text below it unless that says the same. */
function messageOf(told: Element): string {
  const message = told.getAttribute("message")?.trim() ?? "";
  const text = told.textContent?.trim() ?? "";
  return text.includes(message) ? text : [message, text].filter(Boolean).join("\n");
}
