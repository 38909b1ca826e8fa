import type { EvalScore } from './eval-score.js';

type Ratio = { count: number; of: number };

/** One row of the table: the replays with the same input. */
export type EvalRow = {
  /** The removed item; null for the complete input. */
  without: string | null;
  replays: number;
  /** Replays whose input the removal changed. The others reuse the result of the complete input. */
  affected: number;
  /** Replays in which the agent finished its work, instead of asking a question or failing. */
  done: number;
  testsPass: Ratio;
  regressions: Ratio;
  meanFileOverlap: number | null;
  medianSizeRatio: number | null;
  commentsFound: Ratio;
  findingsRefuted: Ratio;
  tokens: number;
  costUsd: number;
  minutes: number;
};

/** A score, and whether it was measured for this row or taken from the complete input. */
export type RowScore = { score: EvalScore; isOwn: boolean };

export function summarizeScores(without: string | null, all: readonly RowScore[]): EvalRow {
  const counted = all.filter(({ score }) => score.outcome !== 'skipped');
  const scores = counted.map(({ score }) => score);
  const sum = (measure: (score: EvalScore) => number | null): number =>
    scores.reduce((total, score) => total + (measure(score) ?? 0), 0);
  return {
    without,
    replays: scores.length,
    affected: counted.filter(({ isOwn }) => isOwn).length,
    done: scores.filter(({ outcome }) => outcome === 'done').length,
    testsPass: countTrue(scores.map(({ testsPass }) => testsPass)),
    regressions: countTrue(scores.map(({ regressed }) => regressed)),
    meanFileOverlap: mean(keep(scores.map(({ fileOverlap }) => fileOverlap))),
    medianSizeRatio: median(keep(scores.map(({ sizeRatio }) => sizeRatio))),
    commentsFound: {
      count: sum(({ commentsFound }) => commentsFound),
      of: sum(({ commentsTotal }) => commentsTotal),
    },
    findingsRefuted: {
      count: sum(({ findingsRefuted }) => findingsRefuted),
      of: sum(({ findings }) => findings),
    },
    tokens: sum(({ usage }) => usage.inputTokens + usage.outputTokens),
    costUsd: sum(({ usage }) => usage.costUsd),
    minutes: sum(({ minutes }) => minutes),
  };
}

function countTrue(values: readonly (boolean | null)[]): Ratio {
  return {
    count: values.filter((value) => value === true).length,
    of: values.filter((value) => value !== null).length,
  };
}

function keep(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Uses the median, because one generated file can make a change a thousand times larger. */
function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
