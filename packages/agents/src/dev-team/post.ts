import type { JsonObject, RunContext } from "@swarm/core";
import { type Advertisement, Broker, type Exchange } from "../a2a/broker.ts";
import type { Message } from "../a2a/message.ts";

const AGENTS: readonly Advertisement[] = [
  {
    agent: "coder",
    accepts: [
      { intent: "fix_instruction", from: "qa" },
      { intent: "approved", from: "qa" },
      { intent: "final_report", from: "qa" },
    ],
  },
  { agent: "qa", accepts: [{ intent: "review_request", from: "coder" }] },
];

/** The messages of a run: kept by its workflow, each in the log with what became of it. */
export class Post {
  readonly #run: RunContext;
  readonly #broker = new Broker();
  /** Messages that were discarded. */
  rejected = 0;

  private constructor(run: RunContext) {
    this.#run = run;
  }

  static async open(run: RunContext): Promise<Post> {
    const post = new Post(run);
    for (const { agent, accepts } of AGENTS) {
      post.#broker.advertise({ agent, accepts });
      await run.note(agent, { a2a: { agent, accepts: [...accepts] } });
    }
    return post;
  }

  begin(exchange: Exchange): void {
    this.#broker.open(exchange);
  }

  /** Whatever is sent from here on answers nothing: it is discarded, and recorded. */
  close(): void {
    this.#broker.close();
  }

  async send(from: string, outbox: readonly JsonObject[]): Promise<void> {
    for (const receipt of this.#broker.send(from, outbox)) {
      if (!receipt.delivered) this.rejected++;
      await this.#run.note(from, { a2a: receipt });
    }
  }

  take(agent: string): Message[] {
    return this.#broker.take(agent);
  }
}
