import fc from "fast-check";

/** A tool call that a generated program makes. What it does to files is named by `path` and `text`. */
export type Use = {
  tool: "look" | "append" | "remove" | "post" | "send";
  path: string;
  text: string;
  /** How it ends: well, with a refusal, or with an error after it has done half of its work. */
  ends: "well" | "refused" | "thrown";
};
export type Move =
  | { move: "ask"; ends: "well" | "transient" | "permanent" }
  | { move: "use"; calls: Use[] }
  | { move: "test" }
  | { move: "once"; name: string }
  | { move: "files" };
/** What one attempt does, and how it ends. */
export type Attempt = { moves: Move[]; ends: "done" | "retryable" | "final" | "thrown" };
export type StepPlan = { attempts: Attempt[]; diagnoses: boolean };
export type Deed =
  | { deed: "step"; step: StepPlan }
  | { deed: "all"; lanes: Deed[][] }
  /** At most one of the runners comes to a success, so that the winner does not hang on who is faster. */
  | { deed: "race"; runners: Move[][]; winner: number | null }
  | { deed: "freeze"; text: string }
  | { deed: "check" }
  | { deed: "note"; text: string };
/** A whole team: what its workflow does. As JSON, so that another process can make the same. */
export type Plan = { deeds: Deed[] };

/** How a life of a run ends before its work does, at a part of the events that are still to come. */
export type Crash = { how: "cut" | "torn" | "disk" | "abort"; at: number };

const text = fc.constantFrom("right", "wrong", "more", "less");
const path = fc.constantFrom("main.txt", "a.txt", "b/c.txt");

const use: fc.Arbitrary<Use> = fc.record({
  tool: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Use["tool"]>("look") },
    { weight: 3, arbitrary: fc.constant<Use["tool"]>("append") },
    { weight: 1, arbitrary: fc.constantFrom<Use["tool"]>("remove", "post", "send") },
  ),
  path,
  text,
  ends: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Use["ends"]>("well") },
    { weight: 1, arbitrary: fc.constantFrom<Use["ends"]>("refused", "thrown") },
  ),
});

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      move: fc.constant("ask" as const),
      ends: fc.constantFrom<"well" | "transient" | "permanent">(
        "well",
        "well",
        "well",
        "well",
        "transient",
        "permanent",
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ move: fc.constant("use" as const), calls: fc.array(use, { minLength: 1, maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.constant<Move>({ move: "test" }) },
  { weight: 1, arbitrary: fc.record({ move: fc.constant("once" as const), name: fc.constantFrom("time", "dice") }) },
  { weight: 1, arbitrary: fc.constant<Move>({ move: "files" }) },
);
const moves = fc.array(move, { minLength: 1, maxLength: 4 });

const step: fc.Arbitrary<StepPlan> = fc.record({
  attempts: fc.array(
    fc.record({
      moves,
      ends: fc.constantFrom<Attempt["ends"]>("done", "done", "retryable", "retryable", "final", "thrown"),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  diagnoses: fc.boolean(),
});

const race = fc.array(moves, { minLength: 1, maxLength: 3 }).chain((runners) =>
  fc.record({
    deed: fc.constant("race" as const),
    runners: fc.constant(runners),
    winner: fc.option(fc.nat({ max: runners.length - 1 })),
  }),
);

const { deeds } = fc.letrec<{ deeds: Deed[]; deed: Deed; all: Deed }>((tie) => ({
  all: fc.record({
    deed: fc.constant("all" as const),
    lanes: fc.array(tie("deeds"), { minLength: 1, maxLength: 3 }),
  }),
  deed: fc.oneof(
    { maxDepth: 2, depthIdentifier: "deed" },
    { weight: 5, arbitrary: fc.record({ deed: fc.constant("step" as const), step }) },
    { weight: 1, arbitrary: race },
    { weight: 1, arbitrary: fc.record({ deed: fc.constant("freeze" as const), text }) },
    { weight: 1, arbitrary: fc.constant<Deed>({ deed: "check" }) },
    { weight: 1, arbitrary: fc.record({ deed: fc.constant("note" as const), text }) },
    { weight: 1, arbitrary: tie("all") },
  ),
  deeds: fc.array(tie("deed"), { minLength: 1, maxLength: 3, depthIdentifier: "deed" }),
}));

export const plans: fc.Arbitrary<Plan> = fc.record({ deeds });

export const crashes: fc.Arbitrary<Crash[]> = fc.array(
  fc.record({
    how: fc.constantFrom<Crash["how"]>("cut", "torn", "disk", "abort"),
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  }),
  { minLength: 1, maxLength: 3 },
);
