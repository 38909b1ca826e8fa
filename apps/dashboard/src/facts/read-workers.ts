import { NOTICE_TEXTS } from '@mergexo/core/ledger';
import { isCarried, type Turn } from '@mergexo/core/turns';
import type { Snapshot } from '@mergexo/state';
import { readLatestLine } from './home/read-latest-line.js';
import { nameOf } from './name-of.js';
import { readLiveTurns } from './read-live-turns.js';

export type WorkerRow = {
  id: string;
  holder: string;
  /** The last heartbeat. */
  heardAt: number;
  notices: readonly string[];
  turns: readonly WorkerTurn[];
  /** When the worker ended its last turn; null if it has run none lately. */
  idleSince: number | null;
};
export type WorkerTurn = Pick<Turn, 'turnKey' | 'kind' | 'issueNumber'> & {
  repo: string;
  title: string;
  since: number;
  line: string | null;
};

const LOOKED_BACK = 200;

/** Reads every worker with a current lease: the turns that it runs, or since when it has been idle. */
export function readWorkers(facts: Snapshot, now: number): WorkerRow[] {
  const { state } = facts;
  const carried = readLiveTurns(facts).filter(isCarried);
  const lastEnds = readLastEnds(facts);
  return state
    .listWorkerLeases()
    .filter(({ expiresAt }) => expiresAt > now)
    .map(({ workerId: id, host, pid, since: heardAt, notices }) => ({
      ...{ id, heardAt, holder: `${host}, process ${pid}` },
      notices: (notices ?? []).map((notice) => NOTICE_TEXTS[notice]),
      turns: carried.filter(({ workerId }) => workerId === id).map((turn) => describeTurn(facts, turn)),
      idleSince: lastEnds.get(id) ?? null,
    }));
}

function describeTurn(facts: Snapshot, turn: Turn): WorkerTurn {
  const { turnKey, kind, runId, repoId, openedAt } = turn;
  const run = runId === null ? undefined : facts.state.readRun(runId);
  const repository = facts.state.readRepository(repoId);
  const begun = facts.state.listEventsOfTurn(turnKey).findLast(({ type }) => type === 'turn_begun');
  return {
    ...{ turnKey, kind },
    issueNumber: turn.issueNumber ?? run?.issueNumber ?? null,
    repo: repository === undefined ? '' : nameOf(repository),
    title: run?.issueTitle ?? '',
    since: begun?.createdAt ?? openedAt,
    line: readLatestLine(facts, turnKey)?.text ?? null,
  };
}

/** Maps each worker to the end of its latest turn, found by the latest events that end a worker's part. */
function readLastEnds({ sqlite }: Snapshot): Map<string, number> {
  const rows = sqlite
    .prepare<[number], { workerId: string; at: number }>(
      `select turns.worker_id as workerId, max(ends.created_at) as at
       from (select turn_key, created_at from runtime_events where event_type = 'turn_finished'
         order by created_at desc limit ?) as ends
       join turns on turns.turn_key = ends.turn_key where turns.worker_id is not null group by 1`,
    )
    .all(LOOKED_BACK);
  return new Map(rows.map(({ workerId, at }) => [workerId, at]));
}
