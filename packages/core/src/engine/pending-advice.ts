import type { Turn } from "../contracts/model.ts";
import type { Advice } from "../contracts/step.ts";
import { compareKeys } from "../log/canonical.ts";

/** What is still to be told in an attempt: each advice once, to the first model that is asked after its place. */
export class PendingAdvice {
  #pending: readonly Advice[];

  constructor(advice: readonly Advice[] = []) {
    this.#pending = advice;
  }

  /** What the call with this key is to be told. */
  take(key: string): string[] {
    const isDue = ({ after }: Advice) => after === null || compareKeys(after, key) < 0;
    const due = this.#pending.filter(isDue);
    this.#pending = this.#pending.filter((advice) => !isDue(advice));
    return due.map(({ text }) => text);
  }
}

/** The conversations of one role, with the advice in them that it was given: each at the place where it was told. */
export class AdvisedTurns {
  readonly #told: { place: number; turn: Turn }[] = [];

  /** The turns that `asked` stands for, now that `advice` is told too. */
  of(asked: readonly Turn[], advice: readonly string[]): Turn[] {
    for (const text of advice)
      this.#told.push({ place: asked.length, turn: { role: "user", parts: [{ type: "text", text }] } });
    return [...asked, null].flatMap((turn, place) => {
      const own = turn === null ? [] : [turn];
      // between a tool call and its result nothing may stand, as it could in another conversation of the role
      if (turn?.role === "user") return own;
      return [...this.#told.filter((told) => told.place === place).map((told) => told.turn), ...own];
    });
  }
}
