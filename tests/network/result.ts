import { findCriticalPath } from './critical-path.js';
import { type Marks, type Phase, phaseOf, type Round } from './round.js';
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
  phases: Phases | undefined;
};

/** Requests that started in a phase. `criticalPath`: how many of them are part of the longest chain. */
export type PhaseCount = { total: number; counted: number; criticalPath: number };
export type Phases = Record<Phase, PhaseCount>;

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
    phases: withPhases ? summarizePhases(rounds) : undefined,
  };
}

function summarizePhases(rounds: readonly Round[]): Phases {
  const counts = rounds.map(countPhases);
  const median = (phase: Phase): PhaseCount => {
    const of = (key: keyof PhaseCount): number =>
      computeSpread(counts.map((round) => round[phase][key])).median;
    return { total: of('total'), counted: of('counted'), criticalPath: of('criticalPath') };
  };
  return { poll: median('poll'), begin: median('begin'), post: median('post'), after: median('after') };
}

/** Splits the longest chain until the post by phase. The phase after the post has a chain of its own. */
function countPhases({ requests, marks }: Round): Phases {
  const api = requests.filter(isApi);
  const later = api.filter((request) => phaseOf(request, marks) === 'after');
  const chain = [...findCriticalPath(api, marks.posted), ...findCriticalPath(later, marks.end)];
  const count = (phase: Phase): PhaseCount => {
    const isHere = (request: SentRequest): boolean => phaseOf(request, marks) === phase;
    const here = api.filter(isHere);
    return {
      total: here.length,
      counted: here.filter(isCounted).length,
      criticalPath: chain.filter(isHere).length,
    };
  };
  return { poll: count('poll'), begin: count('begin'), post: count('post'), after: count('after') };
}

function firstAfterSeconds(requests: readonly SentRequest[], beginMs: number): number {
  return (Math.min(...requests.map(({ startMs }) => startMs)) - beginMs) / 1_000;
}
