/** The value of a flag that counts something. Ends the process with code 2 where it is none. */
export function wholeNumber(flag: string, value: string): number {
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  console.error(`--${flag}: ${JSON.stringify(value)} is no whole number above 0`);
  process.exit(2);
}
