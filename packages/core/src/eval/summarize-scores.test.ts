import { type EvalScore, NO_MEASURES } from './eval-score.js';
import { ROW_HEADING, renderRow } from './render-rows.js';
import { summarizeScores } from './summarize-scores.js';

const aScore = (overrides: Partial<EvalScore>): EvalScore => ({
  prNumber: 1,
  replay: 'start',
  without: null,
  outcome: 'done',
  reason: null,
  ...NO_MEASURES,
  usage: { inputTokens: 100, outputTokens: 20, costUsd: 0.5 },
  minutes: 1.5,
  ...overrides,
});
const own = (score: EvalScore) => ({ score, isOwn: true });

describe('a row of the table', () => {
  const scores = [
    aScore({ testsPass: true, regressed: false, fileOverlap: 1, sizeRatio: 1 }),
    aScore({ testsPass: false, regressed: true, fileOverlap: 0, sizeRatio: 40, outcome: 'failed' }),
    aScore({ fileOverlap: 0.5, sizeRatio: 2 }),
    aScore({ replay: 'review', commentsFound: 2, commentsTotal: 3, findings: 5, findingsRefuted: 1 }),
  ];

  it('counts, averages and adds up the scores', () => {
    expect(summarizeScores(null, scores.map(own))).toEqual({
      without: null,
      replays: 4,
      affected: 4,
      done: 3,
      testsPass: { count: 1, of: 2 },
      regressions: { count: 1, of: 2 },
      meanFileOverlap: 0.5,
      medianSizeRatio: 2,
      commentsFound: { count: 2, of: 3 },
      findingsRefuted: { count: 1, of: 5 },
      tokens: 480,
      costUsd: 2,
      minutes: 6,
    });
  });

  it('leaves out skipped replays, and counts replays that reuse another result as not affected', () => {
    const skipped = aScore({ outcome: 'skipped', usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 } });
    const row = summarizeScores('hunk', [own(skipped), { score: scores[0] ?? skipped, isOwn: false }]);
    expect(row).toMatchObject({ replays: 1, affected: 0, testsPass: { count: 1, of: 1 } });
  });

  it('uses the mean of the two middle sizes, and no average without scores', () => {
    const two = [aScore({ sizeRatio: 1 }), aScore({ sizeRatio: 4 })];
    expect(summarizeScores(null, two.map(own)).medianSizeRatio).toBe(2.5);
    expect(summarizeScores(null, [])).toMatchObject({ meanFileOverlap: null, medianSizeRatio: null });
  });

  it('is rendered with one cell per heading', () => {
    const cells = renderRow(summarizeScores('hunk', scores.map(own)));
    expect(Object.fromEntries(ROW_HEADING.map((name, index) => [name, cells[index]]))).toEqual({
      input: 'without hunk',
      replays: '4',
      changed: '4',
      done: '3',
      'tests pass': '1/2',
      regressions: '1/2',
      'file overlap': '0.50',
      size: '×2.00',
      'comments found': '2/3',
      refuted: '1/5',
      tokens: '480',
      cost: '$2.00',
      minutes: '6.0',
    });
    expect(renderRow(summarizeScores(null, []))).toContain('-');
  });
});
