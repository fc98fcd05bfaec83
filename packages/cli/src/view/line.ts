/** One line for a person. `tone` is how it is shown where there is colour. */
export type Line = { text: string; tone?: Tone };
export type Tone = "bold" | "dim" | "green" | "red" | "yellow";

export function line(text: string, tone?: Tone): Line {
  return tone ? { text, tone } : { text };
}

const CONTROLS = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Without characters that steer a terminal: models and tests write what is shown here. */
export function clean(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(CONTROLS, "\ufffd");
}

/** `text` on one line of at most `most` characters. */
export function oneLine(text: string, most = 120): string {
  const joined = clean(text.trim().replaceAll(/\s+/g, " "));
  return joined.length <= most ? joined : `${joined.slice(0, most - 1).trimEnd()}…`;
}

/** The first line of `text` that is not empty. */
export function firstLine(text: string, most = 120): string {
  return oneLine(text.split("\n").find((part) => part.trim() !== "") ?? "", most);
}
