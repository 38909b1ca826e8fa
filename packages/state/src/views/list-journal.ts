import type { JournalRows } from '@mergexo/core/journal';
import type { Snapshot } from './read-snapshot.js';

/** Frequent events that record no decision. MergeXO deletes most of them after a while anyway. */
const LEFT_OUT = `'worker_heartbeat', 'turn_progress'`;

const COLUMNS: Record<keyof JournalRows, string> = {
  repositories: 'select id, owner, name from repositories where @repoId is null or id = @repoId order by id',
  runs: `select id, repo_id as repoId, issue_number as issueNumber, flow, ordinal, status, blocked_kind as hold,
      ended_kind as "end", issue_title as title, pr_number as prNumber, created_at as createdAt
    from issue_runs where @repoId is null or repo_id = @repoId order by id`,
  remarks: `select repo_id as repoId, event_key as eventKey, pr_number as thread, kind, comment_id as commentId,
      updated_at as updatedAt, payload_json ->> '$.createdAt' as createdAt, payload_json ->> '$.author.login' as author,
      payload_json ->> '$.body' as body, payload_json ->> '$.inReplyToId' as inReplyToId,
      payload_json ->> '$.reviewId' as reviewId, payload_json ->> '$.reviewState' as reviewState,
      turn_key as turnKey, skip_reason ->> '$.code' as skip, created_at as seenAt, processed_at as processedAt
    from feedback_events where @repoId is null or repo_id = @repoId order by created_at, comment_id, updated_at`,
  turns: `select turn_key as turnKey, repo_id as repoId, run_id as runId, kind, issue_number as issueNumber,
      pr_number as prNumber, state, reason, json_array_length(begins) as attempts, crashes,
      agent_failures as agentFailures, infrastructure_failures as infrastructureFailures, opened_at as openedAt,
      ended_at as endedAt
    from turns where @repoId is null or repo_id = @repoId order by opened_at, turn_key`,
  actions: `select repo_id as repoId, turn_key as turnKey, thread, kind, state, sends, error ->> '$.code' as "end",
      created_at as createdAt, updated_at as updatedAt
    from actions where @repoId is null or repo_id = @repoId order by created_at, thread, position, id`,
  events: `select event_type as type, repo_id as repoId, issue_number as issueNumber, pr_number as prNumber,
      turn_key as turnKey, event_key as eventKey, payload_json as payload, created_at as createdAt
    from runtime_events
    where event_type not in (${LEFT_OUT}) and (@repoId is null or repo_id is null or repo_id = @repoId) order by id`,
};

/** Lists what MergeXO read, decided and posted, for all repositories or for one. Omits plans and prompts. */
export function listJournalRows(
  { sqlite }: Pick<Snapshot, 'sqlite'>,
  { repoId }: { repoId?: number | undefined } = {},
): JournalRows {
  const list = <Key extends keyof JournalRows>(key: Key): JournalRows[Key][number][] =>
    sqlite
      .prepare<{ repoId: number | null }, JournalRows[Key][number]>(COLUMNS[key])
      .all({ repoId: repoId ?? null });
  return {
    repositories: list('repositories'),
    runs: list('runs'),
    remarks: list('remarks'),
    turns: list('turns'),
    actions: list('actions'),
    events: list('events'),
  };
}
