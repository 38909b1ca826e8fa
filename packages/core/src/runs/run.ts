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

/** What `renderRunName` made; undefined for anything else. */
export function parseRunName(name: string): { issueNumber: number; flow: Flow; ordinal: number } | undefined {
  const [, issueNumber, word, ordinal] = /^(\d{1,12})\/([a-z_]{1,40})\/(\d{1,6})$/.exec(name) ?? [];
  const flow = FLOWS.find((known) => known === word);
  if (flow === undefined) return undefined;
  return { issueNumber: Number(issueNumber), flow, ordinal: Number(ordinal) };
}

/** The name of a run that survives the loss of the database: it stands in what we post. */
export function renderRunName(run: { issueNumber: number; flow: Flow; ordinal: number }): string {
  return `${run.issueNumber}/${run.flow}/${run.ordinal}`;
}
