export const EXIT = { ok: 0, notPassed: 1, refused: 2, SIGINT: 130, SIGTERM: 143 } as const;

/** Every exit code, and when: what `--help` prints and the documentation is compared with. */
export const EXIT_CODES: readonly { code: number; when: string }[] = [
  {
    code: EXIT.ok,
    when: "The run passed, or the work was accepted (`verify`); any other command did what it was asked for.",
  },
  {
    code: EXIT.notPassed,
    when: "The run did not pass or the work was not accepted, and `outcome` says why; a run came out otherwise (`verify --log`), or to no verdict, or too few passed (`batch`). Or: its log, files or output could not be written; runs are not possible (`doctor`); what is to perform its steps elsewhere is not there (`--executor`); a bug in swarm.",
  },
  {
    code: EXIT.refused,
    when: "Refused: a wrong flag, setting, task or log, a patch that does not apply, a missing key, or a workspace that another run works for. Nothing was called, and nothing is left behind.",
  },
  { code: EXIT.SIGINT, when: "Interrupted (SIGINT). The log is complete." },
  { code: EXIT.SIGTERM, when: "Terminated (SIGTERM). The log is complete." },
];
