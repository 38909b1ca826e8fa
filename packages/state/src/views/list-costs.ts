import { type AgentUse, SUMS } from '../tables/spend.js';
import type { Snapshot } from './read-snapshot.js';

export const COST_GROUPS = ['issue', 'day', 'repo', 'phase'] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

export type Cost = AgentUse & {
  /** The repository; null if the group spans repositories. */
  repo: string | null;
  /** The issue; null for other groups, and for an attempt whose run is unknown. */
  issue: number | null;
  title: string | null;
  /** Start of the day (UTC) in milliseconds; null for other groups. */
  day: number | null;
  /** The kind of turn; null for other groups. */
  phase: string | null;
  turns: number;
};

const DAY_MS = 86_400_000;

const REPO = `repositories.owner || '/' || repositories.name`;
const NONE = { repo: 'null', issue: 'null', title: 'null', day: 'null', phase: 'null' };
const DAY = `spend.created_at - spend.created_at % ${DAY_MS}`;

const TURN = 'left join turns on turns.turn_key = spend.turn_key';

/** The columns that identify a group, the tables that they need besides the repositories, and the order of the rows. */
const GROUPS: Record<CostGroup, { columns: typeof NONE; from: string; by: string; order: string }> = {
  issue: {
    // A turn is read only if its run is unknown, because the rows of turns are large.
    from: `left join issue_runs on issue_runs.id = spend.run_id ${TURN} and issue_runs.id is null`,
    columns: {
      ...NONE,
      repo: REPO,
      issue: 'coalesce(issue_runs.issue_number, turns.issue_number)',
      title: 'max(issue_runs.issue_title)',
    },
    by: 'spend.repo_id, coalesce(issue_runs.issue_number, turns.issue_number)',
    order: 'costUsd desc, inputTokens + outputTokens desc, issue',
  },
  day: { from: '', columns: { ...NONE, day: DAY }, by: DAY, order: 'day' },
  repo: {
    from: '',
    columns: { ...NONE, repo: REPO },
    by: 'spend.repo_id',
    order: 'costUsd desc, inputTokens + outputTokens desc, repo',
  },
  phase: {
    from: TURN,
    columns: { ...NONE, phase: `coalesce(turns.kind, 'unknown')` },
    by: 'turns.kind',
    order: 'costUsd desc, inputTokens + outputTokens desc, phase',
  },
};

/** Sums agent usage since the given time, per group. */
export function listCosts(
  { sqlite }: Pick<Snapshot, 'sqlite'>,
  { by, since, repoId }: { by: CostGroup; since: number; repoId?: number | undefined },
): Cost[] {
  const { columns, from, by: keys, order } = GROUPS[by];
  const named = Object.entries(columns).map(([name, sql]) => `${sql} as "${name}"`);
  return sqlite
    .prepare<{ since: number; repoId: number | null }, Cost>(
      `select ${named.join(', ')}, count(distinct spend.turn_key) as turns, ${SUMS}
       from spend
         left join repositories on repositories.id = spend.repo_id
         ${from}
       where spend.created_at >= @since and (@repoId is null or spend.repo_id = @repoId)
       group by ${keys} order by ${order}`,
    )
    .all({ since, repoId: repoId ?? null });
}
