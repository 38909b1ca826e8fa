import { renderStatus, type StatusFacts, type StatusText } from '@mergexo/core/signs';
import { redactStrings } from '@mergexo/core/text';
import type { Run, State, StatusComment } from '@mergexo/state';
import { readPullOf } from '../lifecycle/read-pull-of.js';
import type { Repo } from '../tools.js';
import { findDocument } from './find-document.js';
import { findRun, isTakenOver, LIVE } from './list-reactions.js';
import { readStageFacts, toStagePull } from './read-stage-facts.js';
import type { SignTools } from './sign-tools.js';

export type WantedStatus = {
  issueNumber: number;
  row: StatusComment | undefined;
  status: StatusText;
  /** True if MergeXO may post the comment. Afterwards it only edits the comment. */
  mayPost: boolean;
};

type Tools = Pick<SignTools, 'state' | 'now' | 'redact'>;

/** Lists the status comments that may have to change. Reads only the database. */
export function listStatuses(tools: Tools, repo: Repo): WantedStatus[] {
  const { state } = tools;
  const numbers = new Set([
    ...state.listRuns(repo.id, LIVE).map(({ issueNumber }) => issueNumber),
    ...state.listOpenStatusComments(repo.id).map(({ issueNumber }) => issueNumber),
  ]);
  return [...numbers].flatMap((issueNumber): WantedStatus[] => {
    const row = state.readStatusComment(repo.id, issueNumber);
    const run = findRun(state, repo.id, issueNumber);
    if (run === undefined || (row !== undefined && ENDED.has(row.state))) return [];
    // Redacts first, because rendering shortens texts and removes line breaks, and so could hide a secret.
    const status = renderStatus(redactStrings(readStatusFacts(tools, repo, run), tools.redact));
    return [{ issueNumber, row, status, mayPost: mayPost(state, run) }];
  });
}

const ENDED: ReadonlySet<StatusComment['state']> = new Set(['edited', 'deleted', 'refused']);

/**
 * True while work begins. Later, a first status comment would only repeat what other comments say, for example after an
 * upgrade from a version without status comments.
 */
function mayPost(state: State, run: Run): boolean {
  const isBeginning = run.status === 'ready' || run.status === 'running';
  return isBeginning && run.prNumber === null && !isTakenOver(state, run);
}

function readStatusFacts(tools: Tools, repo: Repo, run: Run): StatusFacts {
  const { state } = tools;
  const runs = state.listRunsOfIssue(run.repoId, run.issueNumber);
  const ended = runs
    .flatMap(({ id }) => state.listTurnsOfRun(id))
    .flatMap(({ begins, openedAt, endedAt }) =>
      begins.length > 0 && endedAt !== null ? [Math.max(0, endedAt - openedAt)] : [],
    );
  const spends = runs.map(({ id }) => state.sumSpendOfRun(id, 0));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    ...readStageFacts(tools, repo, run),
    flow: run.flow,
    earlier: runs
      .filter(({ id }) => id !== run.id)
      .reverse()
      .flatMap((other) => {
        const pull = readPullOf(state, other);
        return pull === undefined ? [] : [{ flow: other.flow, pull: toStagePull(pull) }];
      }),
    document: findDocument(
      runs.map((one) => ({ run: one, pull: readPullOf(state, one) })),
      repo.config.defaultBranch,
    ),
    use: {
      turns: ended.length,
      busyMs: sum(ended),
      costUsd: sum(spends.map(({ costUsd }) => costUsd)),
      tokens: sum(spends.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens)),
    },
  };
}
