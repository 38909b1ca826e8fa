export const REPO = 'alice/app';
export const IGNORE = 'agent:ignore';
/** People whose comments count. Alice and bob are operators too. */
export const ALLOWED: readonly string[] = ['alice', 'bob'];
export const POSTER = 'robot';
/** The secret that signs MergeXO's comments. */
export const SECRET = 'k'.repeat(64);
/** Shorter than in production, so that a schedule needs fewer polls. All other waits are as in production. */
export const WINDOW_MS = 20_000;
/** GitHub's lag is shorter than the visibility window, as the docs promise to tolerate. */
export const WORST_LAG_SECONDS = 16;
export const LABELS = {
  design_doc: 'agent:design',
  bugfix: 'agent:bugfix',
  small_job: 'agent:small-job',
} as const;
export type StartFlow = keyof typeof LABELS;
