import { attemptOf, type Turn } from '@mergexo/core/turns';
import type { Snapshot } from '@mergexo/state';

const SHOWN = 12;
const ENDS = ['turn_completed', 'turn_blocked', 'turn_cancelled', 'turn_superseded'] as const;

export type RecentTurn = {
  repo: string;
  issue: number | null;
  title: string;
  pr: number | null;
  kind: Turn['kind'];
  state: Turn['state'];
  attempt: number;
  reason: string | null;
  endedAt: number;
  tookMs: number;
};

/** Finds the latest finished turns by their indexed events. Scanning the turns is slow, because rows are large. */
export function readRecentTurns({ state, sqlite }: Snapshot): RecentTurn[] {
  const find = sqlite.prepare<[string, number], { turnKey: string; at: number }>(
    `select turn_key as turnKey, created_at as at from runtime_events
     where event_type = ? and turn_key is not null order by created_at desc limit ?`,
  );
  const ends = ENDS.flatMap((type) => find.all(type, SHOWN)).sort((one, other) => other.at - one.at);
  const keys = [...new Set(ends.map(({ turnKey }) => turnKey))].slice(0, SHOWN);
  return keys.flatMap((turnKey) => {
    const turn = state.readTurn(turnKey);
    if (turn === undefined || turn.endedAt === null) return [];
    const repository = state.readRepository(turn.repoId);
    const run = turn.runId === null ? undefined : state.readRun(turn.runId);
    return [
      {
        repo: repository === undefined ? '' : `${repository.owner}/${repository.name}`,
        issue: turn.issueNumber ?? run?.issueNumber ?? null,
        title: run?.issueTitle ?? '',
        pr: turn.prNumber ?? run?.prNumber ?? null,
        kind: turn.kind,
        state: turn.state,
        attempt: attemptOf(turn),
        reason: turn.reason,
        endedAt: turn.endedAt,
        tookMs: turn.endedAt - turn.openedAt,
      },
    ];
  });
}
