/** Shapes of keys that never enter a log. Each is anchored so that words such as `ASIAPACIFIC` are left alone. */
const SHAPES: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\bAIza[0-9A-Za-z_-]{35}\b/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{30,}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

export const REDACTED = "[redacted]";

/** The text without anything shaped like a secret. */
export function redact(text: string): string {
  return SHAPES.reduce((redacted, shape) => redacted.replace(shape, REDACTED), text);
}
