import { FLOW_TRAITS } from '@mergexo/core/flows';
import { describePause, findPause, RUN_STATUS_NAMES } from '@mergexo/core/runs';
import { neutraliseLine } from '@mergexo/core/text';
import { TURN_KIND_NAMES, TURN_STATE_NAMES } from '@mergexo/core/turns';
import type { Pull, Run, State } from '@mergexo/state';
import type { Repo } from '../tools.js';
import { describeReview } from './describe-review.js';

const MAX_REASON = 600;

/** Renders the reply to `/mergexo status` on a pull request. */
export function describePullStatus(state: State, repo: Repo, pull: Pull): string {
  const mismatches = state.countEventsOfPull(pull.repoId, pull.prNumber, 'action_mismatch');
  return [
    `- status: ${RUN_STATUS_NAMES[pull.status]}${inBrackets(pull.blockedKind)}`,
    ...describeReason(pull.error),
    `- accepted head: ${pull.acceptedHeadSha ?? 'none'}`,
    ...describeWork(state, { ...pull, thread: pull.prNumber }),
    `- review: ${describeReview(state, repo, pull)}`,
    ...(mismatches === 0 ? [] : [`- MergeXO comments that a person edited or deleted: ${mismatches}`]),
  ].join('\n');
}

/** Renders the reply to `/mergexo status` on an issue. */
export function describeRunStatus(state: State, run: Run): string {
  return [
    `- type: ${FLOW_TRAITS[run.flow].name}`,
    `- status: ${RUN_STATUS_NAMES[run.status]}${inBrackets(run.endedKind ?? run.blockedKind)}`,
    ...describeReason(run.error),
    ...(run.prNumber === null ? [] : [`- pull request: #${run.prNumber}`]),
    ...describeWork(state, { ...run, runId: run.id, thread: run.issueNumber }),
  ].join('\n');
}

function describeWork(
  state: State,
  at: { runId: number; repoId: number; issueNumber: number; thread: number },
): string[] {
  const pause = findPause(state.listPauses(), at);
  const turn = state.readLiveTurnOfRun(at.runId);
  const waiting = state.listUnclaimedEvents(at.repoId, at.thread).length;
  return [
    `- turn: ${turn === undefined ? 'none' : `${TURN_KIND_NAMES[turn.kind]}, ${TURN_STATE_NAMES[turn.state]}`}`,
    `- comments waiting for a reply: ${waiting}`,
    ...(pause === undefined ? [] : [`- waiting for: ${neutraliseLine(describePause(pause))}`]),
  ];
}

const describeReason = (error: string | null): string[] =>
  error === null ? [] : [`- reason: ${neutraliseLine(error.slice(0, MAX_REASON))}`];

const inBrackets = (text: string | null): string => (text === null ? '' : ` (${text})`);
