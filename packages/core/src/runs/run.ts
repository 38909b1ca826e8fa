import { FLOWS, type Flow } from '../flows/flow.js';

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

/** Describes a run's status on the dashboard and in replies. */
export const RUN_STATUS_NAMES: Readonly<Record<RunStatus, string>> = {
  ready: 'ready to start',
  running: 'in progress',
  awaiting_issue_followup: 'waiting for a reply on the issue',
  awaiting_feedback: 'waiting for feedback',
  blocked: 'blocked',
  merged: 'merged',
  closed: 'closed',
  failed: 'failed',
};

/** True if the run has not ended. An ended run frees its issue for another run. */
export function isLiveRun({ status }: { status: RunStatus }): boolean {
  return status !== 'merged' && status !== 'closed' && status !== 'failed';
}

/** Parses the text that `renderRunName` returns; undefined for any other text. */
export function parseRunName(name: string): { issueNumber: number; flow: Flow; ordinal: number } | undefined {
  const [, issueNumber, word, ordinal] = /^(\d{1,12})\/([a-z_]{1,40})\/(\d{1,6})$/.exec(name) ?? [];
  const flow = FLOWS.find((known) => known === word);
  if (flow === undefined) return undefined;
  return { issueNumber: Number(issueNumber), flow, ordinal: Number(ordinal) };
}

/** Renders a name that identifies the run even after a database loss, because MergeXO's posts contain the name. */
export function renderRunName(run: { issueNumber: number; flow: Flow; ordinal: number }): string {
  return `${run.issueNumber}/${run.flow}/${run.ordinal}`;
}
