/** Ids and author of the suites that come with a task. */
export const GIVEN = "given";
export const HIDDEN = "hidden";
export const TASK = "task";
