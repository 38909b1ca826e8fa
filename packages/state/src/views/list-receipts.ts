import { type AgentUse, SUMS } from '../tables/spend.js';
import type { Snapshot } from './read-snapshot.js';

/** What the agent used for one turn, in all attempts. */
export type Receipt = AgentUse & {
  kind: string | null;
  turnKey: string;
  /** The pull request of the turn; null before there is one. */
  pr: number | null;
};

/** Lists the receipts of an issue's turns, oldest first. */
export function listReceipts(
  { sqlite }: Pick<Snapshot, 'sqlite'>,
  issue: { repoId: number; issueNumber: number },
): Receipt[] {
  return sqlite
    .prepare<typeof issue, Receipt>(
      `select turns.kind as kind, spend.turn_key as turnKey, turns.pr_number as pr, ${SUMS}
       from issue_runs
         join spend on spend.run_id = issue_runs.id
         left join turns on turns.turn_key = spend.turn_key
       where issue_runs.repo_id = @repoId and issue_runs.issue_number = @issueNumber
       group by spend.turn_key order by min(spend.created_at), spend.turn_key`,
    )
    .all(issue);
}
