import { findCriticalPath } from './critical-path.js';
import { type Marks, PHASES, type Phase, phaseOf, type Round } from './round.js';
import type { Row } from './rows.js';
import { isApi, isCounted, type SentRequest } from './sent-request.js';
import { computeSpread, type Spread } from './spread.js';

/** One line of the table. Numbers of requests are medians. */
export type Result = {
  row: Row;
  latencyMs: number;
  what: string;
  rounds: number;
  seconds: Spread;
  /** Median time until the first request: the start of the programs, or the rest of the pause between polls. */
  firstRequestSeconds: number;
  requests: number;
  counted: number;
  criticalPath: number;
  git: number;
  /** Requests of the whole turn, by the phase in which they started. */
  phases: Record<Phase, number> | undefined;
};

type Measured = {
  row: Row;
  latencyMs: number;
  what: string;
  withPhases: boolean;
  rounds: readonly Round[];
};

/** Summarizes the rounds from their beginning to this mark. Phases describe the whole round. */
export function summarizeRounds(
  { rounds, withPhases, ...about }: Measured,
  until: Exclude<keyof Marks, 'begin'>,
): Result {
  const median = (count: (round: Round) => number): number => computeSpread(rounds.map(count)).median;
  // A request that was still running at the mark did not delay the mark.
  const upTo = ({ requests, marks }: Round) => requests.filter(({ endMs }) => endMs <= marks[until]);
  const inPhase = (phase: Phase) => (round: Round) =>
    round.requests.filter((request) => isApi(request) && phaseOf(request, round.marks) === phase).length;
  const [poll, begin, post, after] = PHASES.map((phase) => median(inPhase(phase)));
  return {
    ...about,
    rounds: rounds.length,
    seconds: computeSpread(rounds.map(({ marks }) => (marks[until] - marks.begin) / 1_000)),
    firstRequestSeconds: median(({ requests, marks }) => firstAfterSeconds(requests, marks.begin)),
    requests: median((round) => upTo(round).filter(isApi).length),
    counted: median((round) => upTo(round).filter(isCounted).length),
    criticalPath: median(
      (round) => findCriticalPath(round.requests.filter(isApi), round.marks[until]).length,
    ),
    git: median((round) => upTo(round).filter((request) => !isApi(request)).length),
    phases: withPhases
      ? { poll: poll ?? 0, begin: begin ?? 0, post: post ?? 0, after: after ?? 0 }
      : undefined,
  };
}

function firstAfterSeconds(requests: readonly SentRequest[], beginMs: number): number {
  return (Math.min(...requests.map(({ startMs }) => startMs)) - beginMs) / 1_000;
}
