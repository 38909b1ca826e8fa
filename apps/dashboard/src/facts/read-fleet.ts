import { isLiveRun, RUN_STATUSES } from '@mergexo/core/runs';
import { attemptOf, isCarried, type Turn } from '@mergexo/core/turns';
import { listAliveWorkers, type Repository, type Run, readFailedReview, type Snapshot } from '@mergexo/state';
import { describeWait, type Wait } from './describe-wait.js';
import { type AgentStep, listSteps } from './list-steps.js';
import { type Blocked, readBlocked } from './read-blocked.js';
import { readLiveTurns } from './read-live-turns.js';
import { readRecentTurns } from './read-recent-turns.js';

export type Place = {
  repo: string;
  issue: number | null;
  title: string;
  pr: number | null;
  url: string | null;
};

export type Running = Place & {
  turnKey: string;
  kind: Turn['kind'];
  state: Turn['state'];
  attempt: number;
  worker: string | null;
  since: number;
  heartbeatAt: number | null;
  /** Latest agent steps, newest first. */
  steps: readonly AgentStep[];
};
export type Waiting = Place & Wait & { flow: Run['flow']; since: number };
export type Fleet = ReturnType<typeof readFleet>;

const DAY_MS = 24 * 3_600_000;
const IN_PROGRESS: readonly Turn['state'][] = ['running', 'frozen', 'speaking'];

/** Reads all data of the Overview page in one snapshot. */
export function readFleet(facts: Snapshot, now: number) {
  const { state } = facts;
  const repositories = state.listRepositories();
  const blocked = repositories.flatMap((repository) => readBlocked(facts, repository));
  const turns = readLiveTurns(facts);
  const work = repositories.flatMap((repository) => readWork(facts, repository, { turns, now }));
  return {
    repositories: repositories.map(nameOf),
    running: work.flatMap(({ running }) => running),
    waiting: work.flatMap(({ waiting }) => waiting),
    blocked,
    recent: readRecentTurns(facts),
    workers: listAliveWorkers(state, { carried: turns.filter(isCarried), now }),
    spend: state.sumSpendSince(startOfDay(now)),
    pauses: readPauses(facts, repositories, now),
  };
}

/** Returns the start of the day: midnight UTC, as for the limits. */
export function startOfDay(time: number): number {
  return time - (time % DAY_MS);
}

export function nameOf({ owner, name }: Pick<Repository, 'owner' | 'name'>): string {
  return `${owner}/${name}`;
}

function readWork(
  facts: Snapshot,
  repository: Repository,
  { turns, now }: { turns: readonly Turn[]; now: number },
): { running: Running[]; waiting: Waiting[] } {
  const { state } = facts;
  const pulls = new Map(state.listWatchedPulls(repository.id).map((pull) => [pull.runId, pull]));
  const turnOf = new Map(turns.map((turn) => [turn.runId, turn]));
  const pending = countPending(facts, repository.id);
  const running: Running[] = [];
  const waiting: Waiting[] = [];
  const live = RUN_STATUSES.filter((status) => isLiveRun({ status }));
  for (const run of state.listRuns(repository.id, live)) {
    const pull = pulls.get(run.id);
    const turn = turnOf.get(run.id);
    const place = describePlace(repository, run, pull?.url ?? null);
    if (turn !== undefined && IN_PROGRESS.includes(turn.state))
      running.push(describeTurn(facts, place, turn));
    else if (run.status !== 'blocked' && pull?.status !== 'blocked') {
      const unanswered = pull === undefined ? 0 : (pending.get(pull.prNumber) ?? 0);
      const failedReview = pull && readFailedReview(state, pull);
      const wait = describeWait({ run, pull, turn, failedReview, pending: unanswered, now });
      waiting.push({ ...place, ...wait, flow: run.flow, since: run.updatedAt });
    }
  }
  return { running, waiting };
}

function describePlace(repository: Repository, run: Run, url: string | null): Place {
  const { issueNumber: issue, issueTitle: title, prNumber: pr } = run;
  return { repo: nameOf(repository), issue, title, pr, url };
}

function describeTurn({ state }: Snapshot, place: Place, turn: Turn): Running {
  const { turnKey, kind, workerId: worker, heartbeatAt } = turn;
  const events = state.listEventsOfTurn(turnKey);
  const since = events.findLast(({ type }) => type === 'turn_begun')?.createdAt ?? turn.openedAt;
  const steps = listSteps(events);
  const about = { turnKey, kind, state: turn.state, attempt: attemptOf(turn), worker, since, heartbeatAt };
  return { ...place, ...about, steps };
}

function countPending({ sqlite }: Snapshot, repoId: number): Map<number, number> {
  const rows = sqlite
    .prepare<[number], { thread: number; n: number }>(
      `select pr_number as thread, count(*) as n from feedback_events
       where repo_id = ? and processed_at is null group by pr_number`,
    )
    .all(repoId);
  return new Map(rows.map(({ thread, n }) => [thread, n]));
}

export type Pause = { repo: string; until: number; reason: string };

/** Lists the repositories for which GitHub asked MergeXO to slow down. */
function readPauses({ sqlite }: Snapshot, repositories: readonly Repository[], now: number): Pause[] {
  const rows = sqlite
    .prepare<[number], { repoId: number; until: number; reason: string | null }>(
      `select repo_id as repoId, json_extract(payload_json, '$.reason') as reason,
         max(created_at + 1000 * json_extract(payload_json, '$.seconds')) as until
       from runtime_events where event_type = 'polling_paused' and created_at > ? group by repo_id`,
    )
    .all(now - DAY_MS);
  return rows.flatMap(({ repoId, until, reason }) => {
    const repository = repositories.find(({ id }) => id === repoId);
    if (repository === undefined || until <= now) return [];
    return [{ repo: nameOf(repository), until, reason: reason ?? 'GitHub asked MergeXO to slow down' }];
  });
}

export type { Blocked };
