/** Whether a running program can do its work, with a sentence for people. */
export type Verdict = { ok: boolean; detail: string };
