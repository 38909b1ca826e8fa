/**
 * Where an issue stands, for people. `question`: MergeXO asked something and waits for a reply on the issue.
 * `review`: every comment is answered, and the pull request waits for a review or the merge.
 */
export const WORK_STAGES = [
  'blocked',
  'question',
  'review',
  'running',
  'queued',
  'merged',
  'closed',
  'failed',
] as const;
export type WorkStage = (typeof WORK_STAGES)[number];

/** The stages that wait for a person, most urgent first. */
export const ATTENTION_STAGES = ['blocked', 'question', 'review'] as const satisfies WorkStage[];
export const ENDED_STAGES = ['merged', 'closed', 'failed'] as const satisfies WorkStage[];
