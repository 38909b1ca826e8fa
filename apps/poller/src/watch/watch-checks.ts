import { createHash } from 'node:crypto';
import { isWithin, type Log } from '@mergexo/core/basics';
import type { CheckRun } from '@mergexo/core/ci';
import type { GitHub } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { updatePull } from '../lifecycle/update.js';
import type { Repo } from '../tools.js';
import { isListed } from './watch-pulls.js';

export type CheckTools = {
  state: State;
  github: Pick<
    GitHub,
    | 'fetchActionsRunsFeed'
    | 'fetchActionsRun'
    | 'fetchCheckRuns'
    | 'fetchCommitStatuses'
    | 'fetchFailedJobs'
    | 'fetchJobLogTail'
  >;
  now: () => number;
  log: Log;
};

/** So long after a head is new, other systems may still begin with it. */
const HEAD_WATCH_MS = 10 * 60_000;
/** So many pull requests are asked for other systems' checks in a cycle; the rest is next. */
const MAX_PULLS = 5;
/** Our own word on a commit is no check of it. */
export const OWN_CONTEXT = 'mergexo/';

/**
 * What is known of the checks of every open pull request. One conditional request for the workflow runs of the repository;
 * what other systems report is asked for only while it is pending, or when the pull request has changed.
 */
export async function watchChecks(tools: CheckTools, repo: Repo): Promise<void> {
  const { state } = tools;
  if (repo.config.ciPolicy === 'never') return;
  const pulls = state.listWatchedPulls(repo.id).filter(isListed);
  if (pulls.length === 0) return;
  await readRuns(tools, repo, pulls);
  const due = pulls.filter((pull) => needsLook(tools, pull));
  const last = state.readRepoWatch(repo.id)?.checksSweptPr ?? 0;
  // In turn: those whose checks never end hold up no others.
  const asked = [
    ...due.filter(({ prNumber }) => prNumber > last),
    ...due.filter(({ prNumber }) => prNumber <= last),
  ].slice(0, MAX_PULLS);
  for (const { prNumber } of asked) {
    await skipUnreadable(
      tools.log,
      { message: 'the checks of a pull request could not be read', pr_number: prNumber },
      () => readForeign(tools, repo, prNumber),
    );
  }
  const end = asked.at(-1)?.prNumber;
  if (end !== undefined) state.transaction(() => state.saveRepoWatch(repo.id, { checksSweptPr: end }));
}

async function readRuns(tools: CheckTools, repo: Repo, pulls: readonly Pull[]): Promise<void> {
  const { state, github, now } = tools;
  // A run may be older than our knowledge of its head: what was read for other heads is read again for these.
  const heads = nameHeads(pulls);
  const known = state.readFeed(repo.id, 'actions_runs');
  const etag = known?.cursor === heads ? known.etag : null;
  const page = await github.fetchActionsRunsFeed(repo.config.fullName, { etag });
  if (page.kind === 'unchanged') return;
  const runs = page.rows.map(
    ({ id, name, headSha, status, conclusion, attempt, url, updatedAt }): CheckRun => ({
      source: 'actions',
      id,
      name,
      headSha,
      isDone: status === 'completed',
      conclusion,
      attempt,
      url,
      updatedAt,
    }),
  );
  state.transaction(() => {
    for (const { prNumber } of pulls) {
      const pull = state.readPull(repo.id, prNumber);
      if (pull === undefined) continue;
      const mine = runs.filter(({ headSha }) => headSha === pull.headSha);
      saveChecks(tools, pull, 'actions', mine);
    }
    state.saveFeed(repo.id, 'actions_runs', { cursor: heads, etag: page.etag }, now());
  });
}

function nameHeads(pulls: readonly Pull[]): string {
  const heads = pulls.map(({ headSha }) => headSha ?? '').sort();
  return createHash('sha256').update(heads.join(' ')).digest('hex');
}

/** A page shows the newest runs only: what it does not show any more stays known. */
function saveChecks(
  tools: CheckTools,
  pull: Pull,
  source: 'actions' | 'foreign',
  found: readonly CheckRun[],
): void {
  const known = (pull.checks ?? []).filter(({ headSha }) => headSha === pull.headSha);
  const isOfSource = (run: CheckRun): boolean => (run.source === 'actions') === (source === 'actions');
  const ids = new Set(found.map(({ id, source: from }) => `${from}/${id}`));
  const kept = known.filter((run) =>
    isOfSource(run) ? source === 'actions' && !ids.has(`${run.source}/${run.id}`) : true,
  );
  const checks = [...kept, ...found];
  if (JSON.stringify(checks) !== JSON.stringify(pull.checks)) updatePull(tools, pull, { checks });
}

function needsLook(tools: CheckTools, pull: Pull): boolean {
  const isYoung = isWithin(HEAD_WATCH_MS, readHeadSince(tools, pull), tools.now());
  return isYoung || !isSettled(tools.state, pull);
}

function isSettled(state: State, { repoId, prNumber, headSha, remoteUpdatedAt }: Pull): boolean {
  const watch = state.readPullWatch(repoId, prNumber);
  if (watch?.checksHeadSha !== headSha || watch.checksUpdatedAt !== remoteUpdatedAt) return false;
  return watch.checksSettled;
}

/** Since when the head is the head: of one that people pushed, since its checks were first looked at. */
export function readHeadSince({ state, now }: Pick<CheckTools, 'state' | 'now'>, pull: Pull): number {
  const { repoId, prNumber, headSha, acceptedHeadSha, acceptedAt } = pull;
  if (acceptedAt !== null && headSha === acceptedHeadSha) return acceptedAt;
  const watch = state.readPullWatch(repoId, prNumber);
  return (watch?.checksHeadSha === headSha ? watch.checksSince : null) ?? now();
}

async function readForeign(tools: CheckTools, repo: Repo, prNumber: number): Promise<void> {
  const { state, github } = tools;
  const pull = state.readPull(repo.id, prNumber);
  const headSha = pull?.headSha ?? null;
  if (pull === undefined || headSha === null) return;
  const { fullName } = repo.config;
  const watch = state.readPullWatch(repo.id, prNumber);
  const { checksEtag, statusesEtag } = watch?.checksHeadSha === headSha ? watch : NO_TAGS;
  const checkRuns = await github.fetchCheckRuns(fullName, headSha, checksEtag);
  const statuses = await github.fetchCommitStatuses(fullName, headSha, statusesEtag);
  const known = (source: CheckRun['source']): CheckRun[] =>
    (pull.checks ?? []).filter((run) => run.source === source && run.headSha === headSha);
  const found: CheckRun[] = [
    ...(checkRuns.kind === 'unchanged' ? known('check') : []),
    ...(checkRuns.kind === 'changed' ? checkRuns.rows : [])
      // Those of workflow runs are known from their runs.
      .filter(({ appSlug }) => appSlug !== 'github-actions')
      .map(({ id, name, status, conclusion, url }) => ({
        ...about(headSha, { id, name, url }),
        source: 'check' as const,
        isDone: status === 'completed',
        conclusion,
      })),
    ...(statuses.kind === 'unchanged' ? known('status') : []),
    ...(statuses.kind === 'changed' ? statuses.rows : [])
      .filter(({ name }) => !name.startsWith(OWN_CONTEXT))
      // Every report has an id of its own; its name is what it is about.
      .map(({ name, state: said, url }) => ({
        ...about(headSha, { id: numberOf(name), name, url }),
        source: 'status' as const,
        isDone: said !== 'pending',
        conclusion: said,
      })),
  ];
  state.transaction(() => {
    const present = state.readPull(repo.id, prNumber);
    if (present === undefined || present.headSha !== headSha) return;
    saveChecks(tools, present, 'foreign', found);
    state.savePullWatch(repo.id, prNumber, {
      checksHeadSha: headSha,
      checksUpdatedAt: pull.remoteUpdatedAt,
      checksSettled: found.every(({ isDone }) => isDone),
      checksSince: readHeadSince(tools, present),
      checksEtag: checkRuns.kind === 'changed' ? checkRuns.etag : checksEtag,
      statusesEtag: statuses.kind === 'changed' ? statuses.etag : statusesEtag,
    });
  });
}

const NO_TAGS = { checksEtag: null, statusesEtag: null };

function numberOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE();
}

function about(headSha: string, { id, name, url }: { id: number; name: string; url: string | null }) {
  return { id, name, headSha, attempt: 1, url: url ?? '', updatedAt: '' };
}
