import type { Flow } from './flow.js';

export const RUN_STATUSES = [
  'ready',
  'running',
  'awaiting_issue_followup',
  'awaiting_feedback',
  'blocked',
  'merged',
  'closed',
  'failed',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** A run that is over frees its issue for another one. */
const LIVE_RUN_STATUSES: readonly RunStatus[] = [
  'ready',
  'running',
  'awaiting_issue_followup',
  'awaiting_feedback',
  'blocked',
];

export function isLiveRun({ status }: { status: RunStatus }): boolean {
  return LIVE_RUN_STATUSES.includes(status);
}

/** The name of a run that survives the loss of the database: it stands in what we post. */
export function renderRunName(run: { issueNumber: number; flow: Flow; ordinal: number }): string {
  return `${run.issueNumber}/${run.flow}/${run.ordinal}`;
}
