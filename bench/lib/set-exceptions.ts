/** Tasks that their set gets wrong, each with the reason for which its solution is not accepted or its starter is. */
export const SET_EXCEPTIONS: Readonly<Record<string, string>> = {};
