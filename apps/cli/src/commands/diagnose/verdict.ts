/** Whether a running program can do its work, with an explanation for people. */
export type Verdict = { ok: boolean; detail: string };
