import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type AgentChoice, readSettings, type Settings } from '@mergexo/config';
import { Failure } from '@mergexo/core/basics';
import type { EvalSubject } from '@mergexo/core/eval';
import { holdLock, type Lock } from '@mergexo/state/hold-lock';
import { askPoller } from '../ask-poller.js';
import type { Context } from '../context.js';
import { type EvalDirectory, openEvalDirectory } from '../eval/eval-directory.js';
import { type EvalOptions, type EvalPlan, readEvalOptions } from '../eval/eval-options.js';
import { createTell, printResult } from '../eval/report-eval.js';
import { type PlanTools, type Ran, runPlan } from '../eval/run-plan.js';
import { runReplay } from '../eval/run-replay.js';

/** Replays merged pull requests with the configured agent and prints a table of scores. Writes nothing to GitHub. */
export async function evaluate(context: Context, options: EvalOptions): Promise<boolean> {
  const settings = readSettings(context);
  const plan = readEvalOptions(settings, options);
  const { owner, name } = plan.repo;
  const dir = resolve(options.dir ?? join(settings.config.runtime.baseDir, 'eval', owner, name));
  const directory = openEvalDirectory(dir, describeSubject(plan));
  const lock = lockDirectory(directory, dir);
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  try {
    const ran = await runAll({ context, settings, plan, directory }, stop.signal);
    printResult(context, ran, { ablations: plan.ablations, dir });
    return ran.stopped === null;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, onSignal);
    lock.release();
  }
}

function lockDirectory({ lockPath }: EvalDirectory, dir: string): Lock {
  const startedAt = new Date().toISOString();
  try {
    return holdLock(lockPath, { pid: process.pid, host: hostname(), startedAt, purpose: 'mergexo eval' });
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
    const message = `Another evaluation is using ${dir}. Wait for it, or choose another directory with --dir.`;
    throw new Failure('conflict', message, { cause: error });
  }
}

type Evaluation = { context: Context; settings: Settings; plan: EvalPlan; directory: EvalDirectory };

async function runAll({ context, settings, plan, directory }: Evaluation, signal: AbortSignal): Promise<Ran> {
  const { configPath } = settings;
  const { env } = context;
  const { fullName } = plan.repo;
  const ask = <Answer>(...args: string[]) =>
    askPoller<Answer>('collect-cases', { configPath, env, args: ['--repo', fullName, ...args] });
  const pulls = await choosePulls(plan, directory, async (limit) => {
    return (await ask<{ pulls: number[] }>('--limit', String(limit))).pulls;
  });
  const tell = createTell(context, (line) => void process.stderr.write(line));
  const tools: PlanTools = {
    directory,
    collect: (prNumber) => ask('--pull', String(prNumber)),
    replay: (evalCase, { replay, without }) =>
      runReplay({ evalCase, replay, without, workDir: directory.workDir, configPath, env }, signal),
    tell,
    signal,
  };
  return runPlan(tools, plan, pulls);
}

function describeSubject({ repo }: EvalPlan): EvalSubject {
  const describe = ({ adapter, model }: AgentChoice): string =>
    model === undefined ? adapter : `${adapter} ${model}`;
  return { repo: repo.fullName, agent: describe(repo.agent), reviewAgent: describe(repo.reviewAgent) };
}

/** Returns the chosen pull requests, or the newest ones. Reuses the selection of an earlier run. */
async function choosePulls(
  { pulls, maxCases }: EvalPlan,
  directory: EvalDirectory,
  list: (limit: number) => Promise<number[]>,
): Promise<number[]> {
  if (pulls.length > 0) return pulls.slice(0, maxCases);
  const known = directory.readPulls();
  if (known.length >= maxCases) return known.slice(0, maxCases);
  const found = [...new Set([...known, ...(await list(maxCases))])].slice(0, maxCases);
  if (found.length === 0)
    throw new Failure(
      'not-found',
      'There is nothing to replay: no merged pull request closes an issue with a keyword, as in "Fixes #12".',
    );
  directory.savePulls(found);
  return found;
}
