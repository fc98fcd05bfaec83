/** A test file as other checks need it. */
export type Variants = {
  /** With its equalities wrapped, `__SWARM_TWIN_SIDE__` where the changed side stands; null without one. */
  twin: string | null;
  /** With what keeps code under test from reading the tests. */
  blind: string | null;
  /** Names of test functions that cannot end without having asked a wrapped equality. */
  direct: string[];
};
export type SuiteVariants = Record<string, Variants>;
