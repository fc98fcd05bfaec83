import type { Child } from "./child.ts";

/** What brings steps to workers, started on this machine. */
export type Server = {
  /** In words, such as `Restate`. */
  name: string;
  child: Child;
  /** What `--executor-url` takes. */
  url: string;
  /** Further addresses, by name. */
  also: Record<string, string>;
  /** Flags of `swarm worker` for its workers. */
  workerFlags: readonly string[];
  /** Whether it takes requests by now. */
  answers(): Promise<boolean>;
  /** Tells the server of its workers, once there are some: `urls` gives the present ones. */
  register(urls: () => readonly string[]): Promise<void>;
  /** Gives back what it holds beside its process. */
  close(): void;
};

/** Where a server listens, and what it is given. */
export type ServerPlace = {
  /** An empty folder for its data. */
  folder: string;
  port: string | undefined;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
};
