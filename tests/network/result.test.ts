import { summarizeRounds } from './result.js';
import { chooseTypical, phaseOf, type Round } from './round.js';
import type { SentRequest } from './sent-request.js';
import { splitPolls } from './split-polls.js';
import { computeSpread } from './spread.js';

const aRequest = (startMs: number, endMs: number, facts: Partial<SentRequest> = {}): SentRequest => ({
  method: 'GET',
  path: '/repos/alice/app',
  via: 'rest',
  status: 200,
  startMs,
  endMs,
  ...facts,
});

const aRound = (postedAfterMs: number, requests: SentRequest[] = []): Round => {
  const posted = 1_000 + postedAfterMs;
  return { marks: { begin: 1_000, opened: 1_100, agent: 1_200, posted, end: posted + 500 }, requests };
};

describe('a summary of rounds', () => {
  it('counts requests until the mark, and all requests by phase', () => {
    const requests = [
      aRequest(1_020, 1_050),
      aRequest(1_050, 1_100, { status: 304 }),
      aRequest(1_100, 1_190),
      aRequest(1_110, 1_150, { via: 'git' }),
      aRequest(1_200, 1_290),
      aRequest(1_210, 1_300, { via: 'graphql' }),
      aRequest(1_290, 1_310),
      aRequest(1_350, 1_400),
    ];
    const about = { row: 'service-reply', latencyMs: 150, what: 'x', withPhases: true } as const;
    expect(summarizeRounds({ ...about, rounds: [aRound(300, requests)] }, 'posted')).toEqual({
      row: 'service-reply',
      latencyMs: 150,
      what: 'x',
      rounds: 1,
      seconds: { median: 0.3, min: 0.3, max: 0.3 },
      firstRequestSeconds: 0.02,
      requests: 5,
      counted: 4,
      criticalPath: 4,
      git: 1,
      phases: {
        poll: { total: 2, counted: 1, criticalPath: 2 },
        begin: { total: 1, counted: 1, criticalPath: 1 },
        post: { total: 3, counted: 3, criticalPath: 1 },
        after: { total: 1, counted: 1, criticalPath: 1 },
      },
    });
  });

  it('counts a request of a phase on the critical path only if the later requests waited for it', () => {
    const about = { row: 'service-reply', latencyMs: 150, what: 'x', withPhases: true } as const;
    const together = [aRequest(1_000, 1_050), aRequest(1_001, 1_052), aRequest(1_002, 1_060)];
    const { phases } = summarizeRounds({ ...about, rounds: [aRound(300, together)] }, 'posted');
    expect(phases?.poll).toEqual({ total: 3, counted: 3, criticalPath: 1 });
  });

  it('reports the median and the range of the times', () => {
    const about = { row: 'once-reply', latencyMs: 0, what: 'x', withPhases: false } as const;
    const { seconds, phases } = summarizeRounds(
      { ...about, rounds: [aRound(4_000), aRound(1_000), aRound(2_000)] },
      'posted',
    );
    expect([seconds, phases]).toEqual([{ median: 2, min: 1, max: 4 }, undefined]);
  });
});

it.each([
  [[5], { median: 5, min: 5, max: 5 }],
  [[3, 1], { median: 2, min: 1, max: 3 }],
  [[10, 9, 2], { median: 9, min: 2, max: 10 }],
  [[4, 1, 3, 2], { median: 2.5, min: 1, max: 4 }],
])('computes the median and range of %j', (numbers, spread) =>
  expect(computeSpread(numbers)).toEqual(spread),
);

it.each([
  [1_000, 'poll'],
  [1_100, 'begin'],
  [1_199, 'begin'],
  [1_200, 'post'],
  [1_300, 'after'],
])('assigns a request that starts at %i ms to the phase %s', (startMs, phase) =>
  expect(phaseOf({ startMs }, aRound(300).marks)).toBe(phase),
);

it('chooses the round with the median time as the typical round', () => {
  const [slow, quick, usual] = [aRound(900), aRound(100), aRound(300)];
  expect(chooseTypical([slow, quick, usual])).toBe(usual);
  expect(() => chooseTypical([])).toThrow('no round');
});

describe('splitPolls', () => {
  it.each([
    ['no request', [], []],
    ['a single poll, which may be incomplete', [[0, 10]], []],
    [
      'complete polls',
      [
        [0, 10],
        [1_000, 1_100],
        [1_100, 1_200],
        [2_000, 2_010],
        [3_000, 3_001],
      ],
      [2, 1],
    ],
    [
      'a request during a longer request',
      [
        [0, 1],
        [1_000, 2_000],
        [1_100, 1_200],
        [2_100, 2_200],
        [3_000, 3_001],
      ],
      [3],
    ],
  ] as const)('handles %s', (_name, pairs, sizes) => {
    const requests = pairs.map(([startMs, endMs]) => ({ startMs, endMs }));
    expect(splitPolls(requests, 500).map(({ length }) => length)).toEqual(sizes);
  });
});
