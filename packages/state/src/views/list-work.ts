import type { Flow } from '@mergexo/core/flows';
import { OPERATOR_CAPS } from '@mergexo/core/runs';
import type { Turn, TurnKind } from '@mergexo/core/turns';
import type { Run } from '../tables/runs.js';
import type { Snapshot } from './read-snapshot.js';
import { WORK_STAGES, type WorkStage } from './work-stage.js';

/** One issue with its latest run. */
export type Work = {
  runId: number;
  repoId: number;
  repo: string;
  issue: number;
  title: string;
  flow: Flow;
  status: Run['status'];
  stage: WorkStage;
  /** Why the issue is blocked or asks; null if nothing was recorded. */
  hold: Run['blockedKind'];
  reason: string | null;
  pr: number | null;
  url: string | null;
  humanReviewRequired: 0 | 1;
  turnKey: string | null;
  turnKind: TurnKind | null;
  turnState: Turn['state'] | null;
  createdAt: number;
  updatedAt: number;
};

export const WORK_ORDERS = ['updated', 'created', 'number', 'title'] as const;
export type WorkOrder = (typeof WORK_ORDERS)[number];

export type WorkFilter = {
  repoId?: number | undefined;
  issue?: number | undefined;
  flow?: Flow | undefined;
  stages?: readonly WorkStage[] | undefined;
  /** Someone who commented on the issue or its pull request. Ignores case. */
  person?: string | undefined;
  /** Part of the title, or the number of the issue or pull request. */
  text?: string | undefined;
  /** Leaves out ended runs. Much cheaper than filtering by stage, because only live runs are joined. */
  isLive?: boolean | undefined;
};

export type WorkPage = { order: WorkOrder; descending: boolean; limit: number; offset: number };

/** SQLite uses the partial index of live turns only if the query repeats its condition literally. */
const LIVE_TURN = `turns.state in ('open', 'queued', 'running', 'frozen', 'speaking')`;
const LIVE_RUN = `runs.status not in ('merged', 'closed', 'failed')`;
const PENDING = `exists (select 1 from feedback_events as pending where pending.repo_id = runs.repo_id
  and pending.pr_number = coalesce(runs.pr_number, runs.issue_number) and pending.processed_at is null)`;

/** Only an operator lifts these limits. A daily limit ends at midnight, so a run over it is only queued. */
const OVER_LIMIT = `runs.status in ('ready', 'awaiting_issue_followup') and runs.ignored_since is null
  and runs.blocked_kind in (${OPERATOR_CAPS.map((key) => `'${key}'`).join(', ')})`;

const STAGE = `case
  when not ${LIVE_RUN} then runs.status
  when turns.state in ('running', 'frozen', 'speaking') then 'running'
  when runs.status = 'blocked' or pulls.status = 'blocked' then 'blocked'
  when turns.turn_key is null and ${OVER_LIMIT} then 'blocked'
  when turns.turn_key is not null or runs.ignored_since is not null then 'queued'
  when runs.status in ('ready', 'running') or ${PENDING} then 'queued'
  when runs.status = 'awaiting_issue_followup' then 'question'
  when pulls.id is null or pulls.ignored_since is not null or pulls.issue_ignored_since is not null then 'queued'
  else 'review' end`;

const PULL =
  'left join pull_requests as pulls on pulls.repo_id = runs.repo_id and pulls.pr_number = runs.pr_number';
const TURN = `left join turns on turns.run_id = runs.id and turns.run_id is not null and ${LIVE_RUN} and ${LIVE_TURN}`;
const SOURCE = `issue_runs as runs join repositories on repositories.id = runs.repo_id ${PULL} ${TURN}`;
/** The stage of an ended run needs no other table. */
const STAGE_SOURCE = `issue_runs as runs ${PULL} and ${LIVE_RUN} ${TURN}`;

const COLUMNS = `runs.id as runId, runs.repo_id as repoId, repositories.owner || '/' || repositories.name as repo,
  runs.issue_number as issue, runs.issue_title as title, runs.flow, runs.status, ${STAGE} as stage,
  coalesce(pulls.blocked_kind, runs.blocked_kind) as hold, coalesce(pulls.error, runs.error) as reason,
  runs.pr_number as pr, pulls.url, coalesce(pulls.human_review_required, 0) as humanReviewRequired,
  turns.turn_key as turnKey, turns.kind as turnKind, turns.state as turnState,
  runs.created_at as createdAt, runs.updated_at as updatedAt`;

const ORDERS: Record<WorkOrder, string> = {
  updated: 'runs.updated_at',
  created: 'runs.created_at',
  number: 'runs.issue_number',
  title: 'runs.issue_title collate nocase',
};

/** Lists issues, one row each, with their latest run. */
export function listWork({ sqlite }: Pick<Snapshot, 'sqlite'>, filter: WorkFilter, page: WorkPage): Work[] {
  const { where, values } = build(filter);
  const direction = page.descending ? 'desc' : 'asc';
  return sqlite
    .prepare<Record<string, unknown>, Work>(
      `select ${COLUMNS} from ${SOURCE} where ${where}
       order by ${ORDERS[page.order]} ${direction}, runs.id ${direction} limit @limit offset @offset`,
    )
    .all({ ...values, limit: page.limit, offset: page.offset });
}

/** Counts issues per stage. Stages without an issue are absent. */
export function countWork(
  { sqlite }: Pick<Snapshot, 'sqlite'>,
  filter: WorkFilter,
): Partial<Record<WorkStage, number>> {
  const { where, values } = build(filter);
  const rows = sqlite
    .prepare<Record<string, unknown>, { stage: WorkStage; n: number }>(
      `select ${STAGE} as stage, count(*) as n from ${STAGE_SOURCE} where ${where} group by 1`,
    )
    .all(values);
  return Object.fromEntries(rows.map(({ stage, n }) => [stage, n]));
}

function build(filter: WorkFilter): { where: string; values: Record<string, unknown> } {
  const { repoId, issue, flow, stages, person, text, isLive } = filter;
  const isAll = stages === undefined || stages.length === WORK_STAGES.length;
  const conditions = [
    // An ended run is listed only if no later run of the issue exists. An issue has at most one live run.
    isLive
      ? LIVE_RUN
      : `not exists (select 1 from issue_runs as later where later.repo_id = runs.repo_id
      and later.issue_number = runs.issue_number and later.id > runs.id)`,
    ...(repoId === undefined ? [] : ['runs.repo_id = @repoId']),
    ...(issue === undefined ? [] : ['runs.issue_number = @issue']),
    ...(flow === undefined ? [] : ['runs.flow = @flow']),
    ...(isAll ? [] : [`${STAGE} in (select value from json_each(@stages))`]),
    ...(person ? [COMMENTED] : []),
    ...(text
      ? [
          `(runs.issue_title like @pattern escape '\\' or runs.issue_number = @number or runs.pr_number = @number)`,
        ]
      : []),
  ];
  const [, number] = /^#?(\d{1,9})$/.exec(text ?? '') ?? [];
  const values = {
    ...(repoId !== undefined && { repoId }),
    ...(issue !== undefined && { issue }),
    ...(flow !== undefined && { flow }),
    ...(!isAll && { stages: JSON.stringify(stages) }),
    ...(person && { person: person.toLowerCase() }),
    ...(text && {
      pattern: `%${text.replace(/[\\%_]/g, '\\$&')}%`,
      number: number === undefined ? null : Number(number),
    }),
  };
  return { where: conditions.join(' and '), values };
}

/** Uses the index `feedback_events_by_author`, so the expression must be the same as there. */
const COMMENTED = `(runs.repo_id, runs.issue_number) in (select repo_id, issue_number from feedback_events
  where lower(payload_json ->> '$.author.login') = @person)`;

/** Lists the logins of people who commented, in alphabetical order. */
export function listPeople({ sqlite }: Pick<Snapshot, 'sqlite'>, limit: number): string[] {
  return sqlite
    .prepare<[number], string>(
      `select distinct lower(payload_json ->> '$.author.login') as login from feedback_events
       where login is not null order by login limit ?`,
    )
    .pluck()
    .all(limit);
}
