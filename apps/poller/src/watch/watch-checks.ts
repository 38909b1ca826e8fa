import { createHash } from 'node:crypto';
import { isWithin } from '@mergexo/core/basics';
import type { CheckRun } from '@mergexo/core/ci';
import type { GitHub, WorkflowRun } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { inParallel } from '../in-parallel.js';
import { updatePull } from '../lifecycle/update.js';
import type { Records, Repo } from '../tools.js';
import { isListed } from './watch-pulls.js';

export type CheckTools = Records & {
  github: Pick<
    GitHub,
    | 'fetchActionsRunsFeed'
    | 'fetchActionsRun'
    | 'fetchActionsRunsOf'
    | 'fetchCheckRuns'
    | 'fetchCommitStatuses'
    | 'fetchFailedJobs'
    | 'fetchJobLogTail'
    | 'fetchFailureAnnotations'
  >;
};

/** Time after a new head during which other CI systems may still start checks. */
const HEAD_WATCH_MS = 10 * 60_000;
/** Maximum number of pull requests per cycle for which checks of other CI systems are read. */
const MAX_PULLS = 5;
/** Prefix of our own commit statuses, which do not count as checks. */
export const OWN_CONTEXT = 'mergexo/';

/**
 * Makes one conditional request for all workflow runs of the repository. The returned function records them, and reads
 * other CI systems, but only for a new head and for pending checks.
 */
export async function fetchChecks(tools: CheckTools, repo: Repo): Promise<() => Promise<void>> {
  const pulls = tools.state.listWatchedPulls(repo.id).filter(isListed);
  if (repo.config.ciPolicy === 'never' || pulls.length === 0) return async () => {};
  const recordRuns = await fetchRuns(tools, repo, pulls);
  return async () => {
    recordRuns();
    await readDue(tools, repo);
  };
}

async function readDue(tools: CheckTools, repo: Repo): Promise<void> {
  const { state } = tools;
  const due = state.listWatchedPulls(repo.id).filter((pull) => isListed(pull) && !isSettled(state, pull));
  const last = state.readRepoWatch(repo.id)?.checksSweptPr ?? 0;
  // Pull requests take turns, so that checks that never finish do not delay the others.
  const asked = [
    ...due.filter(({ prNumber }) => prNumber > last),
    ...due.filter(({ prNumber }) => prNumber <= last),
  ].slice(0, MAX_PULLS);
  await inParallel(asked, ({ prNumber }) =>
    skipUnreadable(
      tools.log,
      {
        message: 'could not read the checks of a pull request; MergeXO retries in the next cycle',
        pr_number: prNumber,
      },
      () => readForeign(tools, repo, { prNumber }),
    ),
  );
  const end = asked.at(-1)?.prNumber;
  if (end !== undefined) state.transaction(() => state.saveRepoWatch(repo.id, { checksSweptPr: end }));
}

async function fetchRuns(tools: CheckTools, repo: Repo, pulls: readonly Pull[]): Promise<() => void> {
  const { state, github, now } = tools;
  // A run may have started before its head was recorded, so a new head requires a full read without the ETag.
  const heads = nameHeads(pulls);
  const known = state.readFeed(repo.id, 'actions_runs');
  const etag = known?.cursor === heads ? known.etag : null;
  const page = await github.fetchActionsRunsFeed(repo.config.fullName, { etag });
  if (page.kind === 'unchanged') return () => {};
  const rows = [...page.rows, ...(await fetchLeftOut(tools, repo, { pulls, listed: page.rows }))];
  // Anybody can open a pull request from a fork with the same head, and its runs must not count as ours.
  const own = rows.filter(({ headRepoId }) => headRepoId === repo.id);
  const runs = own.map(toCheckRun);
  return () =>
    state.transaction(() => {
      for (const { prNumber } of pulls) {
        const pull = state.readPull(repo.id, prNumber);
        if (pull === undefined) continue;
        const mine = runs.filter(({ headSha }) => headSha === pull.headSha);
        saveChecks(tools, pull, { source: 'actions', found: mine });
      }
      state.saveFeed({ repoId: repo.id, name: 'actions_runs', cursor: heads, etag: page.etag }, now());
    });
}

/**
 * Fetches pending runs that the feed's only page leaves out, because many newer runs came in between. Otherwise MergeXO
 * would never learn how they ended.
 */
async function fetchLeftOut(
  { github, log }: CheckTools,
  repo: Repo,
  { pulls, listed }: { pulls: readonly Pull[]; listed: readonly WorkflowRun[] },
): Promise<WorkflowRun[]> {
  const ids = new Set(listed.map(({ id }) => id));
  const isLeftOut = (pull: Pull) => (run: CheckRun) =>
    run.source === 'actions' && !run.isDone && run.headSha === pull.headSha && !ids.has(run.id);
  const heads = pulls.flatMap((pull) =>
    pull.headSha !== null && pull.checks?.some(isLeftOut(pull)) ? [pull.headSha] : [],
  );
  const found: WorkflowRun[] = [];
  await inParallel(heads.slice(0, MAX_PULLS), (headSha) =>
    skipUnreadable(log, { message: 'could not read the workflow runs of a head commit' }, async () => {
      found.push(...(await github.fetchActionsRunsOf(repo.config.fullName, headSha)));
    }),
  );
  return found.filter(({ id }) => !ids.has(id));
}

export function toCheckRun(run: WorkflowRun): CheckRun {
  const { id, name, headSha, status, conclusion, attempt, url, updatedAt } = run;
  const isDone = status === 'completed';
  return { source: 'actions', id, name, headSha, isDone, conclusion, attempt, url, updatedAt };
}

function nameHeads(pulls: readonly Pull[]): string {
  const heads = pulls.map(({ headSha }) => headSha ?? '').sort();
  return createHash('sha256').update(heads.join(' ')).digest('hex');
}

/** Saves the checks of the current head. Keeps known workflow runs, because a page contains only the newest ones. */
function saveChecks(
  tools: CheckTools,
  pull: Pull,
  { source, found }: { source: 'actions' | 'foreign'; found: readonly CheckRun[] },
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

/** Chooses the pull requests whose other CI systems may start late: those with a new head, or else all of them. */
export function listSweepable(tools: CheckTools, repo: Repo): readonly Pull[] {
  const { state, now } = tools;
  if (repo.config.ciPolicy === 'never') return [];
  const pulls = state.listWatchedPulls(repo.id).filter((pull) => isListed(pull) && isSettled(state, pull));
  const young = pulls.filter((pull) => isWithin(HEAD_WATCH_MS, readHeadSince(tools, pull), now()));
  return young.length > 0 ? young : pulls;
}

function isSettled(state: State, { repoId, prNumber, headSha }: Pull): boolean {
  const watch = state.readPullWatch(repoId, prNumber);
  return watch?.checksHeadSha === headSha && watch.checksSettled;
}

/** Returns when the head was accepted. For a head that people pushed, returns when its checks were first read. */
export function readHeadSince({ state, now }: Pick<CheckTools, 'state' | 'now'>, pull: Pull): number {
  const { repoId, prNumber, headSha, acceptedHeadSha, acceptedAt } = pull;
  if (acceptedAt !== null && headSha === acceptedHeadSha) return acceptedAt;
  const watch = state.readPullWatch(repoId, prNumber);
  return (watch?.checksHeadSha === headSha ? watch.checksSince : null) ?? now();
}

/** Reads the check runs and commit statuses of other CI systems, or only one of these two kinds. */
export async function readForeign(
  tools: CheckTools,
  repo: Repo,
  { prNumber, only }: { prNumber: number; only?: 'check' | 'status' },
): Promise<void> {
  const { state, github } = tools;
  const pull = state.readPull(repo.id, prNumber);
  const headSha = pull?.headSha ?? null;
  if (pull === undefined || headSha === null) return;
  const { fullName } = repo.config;
  const watch = state.readPullWatch(repo.id, prNumber);
  const { checksEtag, statusesEtag } = watch?.checksHeadSha === headSha ? watch : NO_TAGS;
  const [checkRuns, statuses] = await Promise.all([
    only === 'status' ? UNCHANGED : github.fetchCheckRuns(fullName, headSha, checksEtag),
    only === 'check' ? UNCHANGED : github.fetchCommitStatuses(fullName, headSha, statusesEtag),
  ]);
  if (checkRuns.kind === 'unchanged' && statuses.kind === 'unchanged') return;
  const known = (source: CheckRun['source']): CheckRun[] =>
    (pull.checks ?? []).filter((run) => run.source === source && run.headSha === headSha);
  const found: CheckRun[] = [
    ...(checkRuns.kind === 'unchanged' ? known('check') : []),
    ...(checkRuns.kind === 'changed' ? checkRuns.rows : [])
      // `fetchRuns` handles GitHub Actions.
      .filter(({ appSlug, name }) => appSlug !== 'github-actions' && !name.startsWith(OWN_CONTEXT))
      .map(({ id, name, status, conclusion, url }) => ({
        ...about(headSha, { id, name, url }),
        source: 'check' as const,
        isDone: status === 'completed',
        conclusion,
      })),
    ...(statuses.kind === 'unchanged' ? known('status') : []),
    ...(statuses.kind === 'changed' ? statuses.rows : [])
      .filter(({ name }) => !name.startsWith(OWN_CONTEXT))
      // Each status report has a new id, so the check id is derived from the name.
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
    saveChecks(tools, present, { source: 'foreign', found });
    state.savePullWatch(repo.id, prNumber, {
      checksHeadSha: headSha,
      checksSettled: found.every(({ isDone }) => isDone),
      checksSince: readHeadSince(tools, present),
      checksEtag: checkRuns.kind === 'changed' ? checkRuns.etag : checksEtag,
      statusesEtag: statuses.kind === 'changed' ? statuses.etag : statusesEtag,
    });
  });
}

const UNCHANGED = { kind: 'unchanged' } as const;
const NO_TAGS = { checksEtag: null, statusesEtag: null };

function numberOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE();
}

function about(headSha: string, { id, name, url }: { id: number; name: string; url: string | null }) {
  return { id, name, headSha, attempt: 1, url: url ?? '', updatedAt: '' };
}
