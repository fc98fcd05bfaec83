import { usageError } from "../parse-command-line.ts";

/** The value of `--listen` or what stands for it. Throws for what is no host and port. */
export function addressFrom(flag: string, text: string): { host: string; port: number } {
  const [, host, port] =
    /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text)?.filter((part) => part !== undefined) ?? [];
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  throw usageError(flag, `has to be a host and a port, such as 127.0.0.1:7117, and is ${JSON.stringify(text)}`);
}
