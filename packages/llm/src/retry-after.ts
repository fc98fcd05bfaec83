const NUMBER = /^\d+(\.\d+)?$/;
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/;

/**
 * How many milliseconds a provider asked to wait, by `retry-after-ms`, or by `Retry-After` in seconds or as an HTTP date.
 * Null where it did not say, and where what it said is not a positive wait.
 */
export function retryAfterMs(headers: Headers): number | null {
  const ms = headers.get("retry-after-ms");
  if (ms !== null && NUMBER.test(ms)) return Number(ms);
  const after = headers.get("retry-after");
  if (after === null) return null;
  if (NUMBER.test(after)) return Number(after) * 1000;
  // Date.parse takes almost anything, "-5" too, so that the form is checked first.
  if (!HTTP_DATE.test(after)) return null;
  // Measured by the server's own clock where it tells it: ours may be wrong.
  const wait = Date.parse(after) - (Date.parse(headers.get("date") ?? "") || Date.now());
  return wait > 0 ? wait : null;
}
