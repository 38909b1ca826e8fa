import type { Snapshot } from '@mergexo/state';
import { readLatencies } from './charts/read-latencies.js';
import { DAY_MS } from './start-of-day.js';

type Count = { name: string; n: number };
export type Totals = ReturnType<typeof readTotals>;

/** Reads totals that only the metrics need. */
export function readTotals(facts: Snapshot, now: number) {
  const { sqlite } = facts;
  const list = (sql: string): Count[] => sqlite.prepare<[], Count>(sql).all();
  const latencies = readLatencies(facts, 0);
  const lastDay = latencies.filter(({ answeredAt }) => answeredAt >= now - DAY_MS);
  return {
    runs: list('select status as name, count(*) as n from issue_runs group by 1'),
    liveTurns: list(
      `select state as name, count(*) as n from turns
       where state in ('open', 'queued', 'running', 'frozen', 'speaking') group by 1`,
    ),
    endedTurns: list(
      `select substr(event_type, 6) as name, count(*) as n from runtime_events
       where event_type in ('turn_completed', 'turn_blocked', 'turn_cancelled', 'turn_superseded') group by 1`,
    ),
    failures: list(
      `select coalesce(json_extract(payload_json, '$.cause'), 'unknown') as name, count(*) as n
       from runtime_events where event_type = 'turn_failed' group by 1`,
    ),
    latency: { count: latencies.length, sum: sum(latencies) },
    latencyLastDay: { count: lastDay.length, sum: sum(lastDay) },
    rateLeft: facts.state.listRateLimits(now),
  };
}

function sum(latencies: readonly { seconds: number }[]): number {
  return latencies.reduce((total, { seconds }) => total + seconds, 0);
}
