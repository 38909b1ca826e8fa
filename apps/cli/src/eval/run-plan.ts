import {
  type ABLATIONS,
  type EvalCase,
  type EvalScore,
  isAffected,
  listReplays,
  type Replay,
} from '@mergexo/core/eval';
import type { EvalDirectory, ReplayKey } from './eval-directory.js';
import type { EvalPlan } from './eval-options.js';
import type { Replayed } from './run-replay.js';

export type Collected = { kind: 'case'; evalCase: EvalCase } | { kind: 'skipped'; reason: string };

export type PlanTools = {
  directory: Pick<EvalDirectory, 'readScore' | 'saveScore'>;
  collect: (prNumber: number) => Promise<Collected>;
  replay: (evalCase: EvalCase, key: ReplayKey) => Promise<Replayed>;
  /** Prints one line of progress. */
  tell: (line: string) => void;
  signal: AbortSignal;
};

/** A score. `isOwn` is false if the input lacks the item to omit; the score is that of the complete input. */
export type Measured = { without: string | null; score: EvalScore; isOwn: boolean };

export type Ran = {
  measured: Measured[];
  leaks: string[];
  skipped: string[];
  /** The reason why some replays were not run; null if all were run. */
  stopped: string | null;
};

/** Runs all replays that have no result yet. Stops before a replay once the cost limit is reached. */
export async function runPlan(tools: PlanTools, plan: EvalPlan, pulls: readonly number[]): Promise<Ran> {
  const ran: Ran = { measured: [], leaks: [], skipped: [], stopped: null };
  for (const [index, prNumber] of pulls.entries()) {
    tools.tell(`case ${index + 1} of ${pulls.length}: #${prNumber}`);
    const collected = await tools.collect(prNumber);
    if (collected.kind === 'skipped') {
      ran.skipped.push(collected.reason);
      tools.tell(`skipped: ${collected.reason}`);
      continue;
    }
    for (const note of collected.evalCase.notes) tools.tell(`#${prNumber}: ${note}`);
    await runCase(tools, plan, { evalCase: collected.evalCase, ran });
    if (ran.stopped !== null) break;
  }
  return ran;
}

/** Adds the scores of one case to `ran`. */
async function runCase(
  tools: PlanTools,
  plan: EvalPlan,
  { evalCase, ran }: { evalCase: EvalCase; ran: Ran },
): Promise<void> {
  for (const { without, replay, isOwn } of listRows(plan, evalCase)) {
    const key = { prNumber: evalCase.prNumber, replay, without: isOwn ? without : null };
    const known = tools.directory.readScore(key);
    if (known === undefined) ran.stopped = explainStop(tools.signal, plan, ran.measured);
    if (ran.stopped !== null) return;
    const score = known ?? (await measure(tools, evalCase, { key, ran }));
    if (score === undefined) return;
    ran.measured.push({ without, score, isOwn });
  }
}

/** Runs and stores one replay. Returns undefined if the replay was interrupted. */
async function measure(
  tools: PlanTools,
  evalCase: EvalCase,
  { key, ran }: { key: ReplayKey; ran: Ran },
): Promise<EvalScore | undefined> {
  tools.tell(`${describe(key)}: running`);
  try {
    const { score, leaks } = await tools.replay(evalCase, key);
    tools.directory.saveScore(score);
    tools.tell(`${describe(key)}: ${describeScore(score)}`);
    ran.leaks = [...new Set([...ran.leaks, ...leaks])];
    return score;
  } catch (error) {
    if (!tools.signal.aborted) throw error;
    ran.stopped = INTERRUPTED;
    return undefined;
  }
}

const INTERRUPTED = 'it was interrupted';

/** Lists the complete input first, because later rows may reuse its score. */
function listRows(
  { ablations }: EvalPlan,
  evalCase: EvalCase,
): { without: keyof typeof ABLATIONS | null; replay: Replay; isOwn: boolean }[] {
  return [null, ...ablations].flatMap((without) =>
    listReplays(evalCase).map((replay) => ({
      without,
      replay,
      isOwn: without === null || isAffected(evalCase, replay, without),
    })),
  );
}

function explainStop(
  signal: AbortSignal,
  { maxCostUsd }: EvalPlan,
  measured: readonly Measured[],
): string | null {
  if (signal.aborted) return INTERRUPTED;
  const costUsd = measured.reduce((sum, { score, isOwn }) => sum + (isOwn ? score.usage.costUsd : 0), 0);
  if (costUsd < maxCostUsd) return null;
  return `the replays so far cost $${costUsd.toFixed(2)}, and --max-cost-usd is ${maxCostUsd}`;
}

function describe({ prNumber, replay, without }: ReplayKey): string {
  return `#${prNumber} ${replay}${without === null ? '' : ` without ${without}`}`;
}

function describeScore(score: EvalScore): string {
  const { outcome, reason, testsPass, regressed, fileOverlap, commentsFound, commentsTotal } = score;
  return [
    reason === null ? outcome : `${outcome} (${reason})`,
    ...(testsPass === null ? [] : [testsPass ? 'tests pass' : 'tests fail']),
    ...(regressed ? ['earlier tests fail'] : []),
    ...(fileOverlap === null ? [] : [`file overlap ${fileOverlap.toFixed(2)}`]),
    ...(commentsTotal === null ? [] : [`${commentsFound} of ${commentsTotal} comments found`]),
    `$${score.usage.costUsd.toFixed(2)}`,
    `${score.minutes.toFixed(1)} min`,
  ].join(', ');
}
