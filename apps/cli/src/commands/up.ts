import { readSettings, type Settings } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';
import { acquireCommandLock, upLockPath } from '../acquire-command-lock.js';
import type { Context } from '../context.js';
import { awaitSignals, type Signals } from '../up/await-signals.js';
import { createPrinter, type Print } from '../up/create-printer.js';
import { describeEvent } from '../up/describe-event.js';
import { findBlockingFailures } from '../up/find-blocking-failures.js';
import { type ChildEvent, keepRunning, type RunningChild } from '../up/keep-running.js';
import { listSpecs } from '../up/list-specs.js';
import { type OpenRedis, openRedis } from '../up/open-redis.js';
import { runChecks } from './diagnose/doctor.js';

export type UpOptions = { workers?: string; dashboard: boolean; check: boolean };

/**
 * Runs Redis, the poller, the workers and the dashboard until a signal arrives. Returns false if a required program
 * cannot start.
 */
export async function up(context: Context, options: UpOptions): Promise<boolean> {
  const requested = parseWorkers(options.workers);
  const settings = readSettings(context);
  const workers = requested ?? settings.config.runtime.workerCount;
  // A closed pipe or terminal must not stop the fleet.
  process.stdout.on('error', () => {});
  const print = createPrinter(context, () => new Date());
  const signals = awaitSignals();
  if (options.check && !(await checkFirst(context, settings, print))) {
    signals.stopListening();
    return false;
  }
  const upLock = acquireCommandLock(upLockPath(settings), 'up');
  try {
    const redis = await openRedisUnderLock(settings, print);
    try {
      return await runFleet(settings, {
        context,
        workers,
        dashboard: options.dashboard,
        redis,
        print,
        signals,
      });
    } finally {
      await redis.stop();
      print('up', { event: 'ended' }, 'all processes stopped');
    }
  } finally {
    upLock.release();
    signals.stopListening();
  }
}

/** Runs the checks of `doctor` and prints every problem. Returns false only if MergeXO could not do any work. */
async function checkFirst(context: Context, { config }: Settings, print: Print): Promise<boolean> {
  const findings = await runChecks(context);
  for (const { name, status, detail, fix } of findings.filter((finding) => finding.status !== 'ok'))
    print(
      'check',
      { event: status, check: name },
      `${name}: ${detail}${fix === undefined ? '' : ` → ${fix}`}`,
    );
  const blocking = findBlockingFailures(findings, { repos: config.repos.length });
  if (blocking.length === 0) return true;
  const names = blocking.map(({ name }) => name).join(', ');
  print('up', { event: 'refused' }, `not started: fix ${names} first, or use --no-check to skip the checks`);
  return false;
}

/** Opens Redis under the poller's lock, because the Redis of a running poller may use the same directory. */
async function openRedisUnderLock(settings: Settings, print: Print): Promise<OpenRedis> {
  const pollerLock = acquireCommandLock(settings.paths.lock, 'up');
  try {
    return await openRedis(settings, print);
  } finally {
    pollerLock.release();
  }
}

type Fleet = {
  context: Context;
  workers: number;
  dashboard: boolean;
  redis: OpenRedis;
  print: Print;
  signals: Signals;
};

async function runFleet(settings: Settings, fleet: Fleet): Promise<boolean> {
  const { context, redis, print, signals } = fleet;
  const env = { ...context.env, ...redis.env };
  const specs = listSpecs(settings, { ...fleet, verbose: context.verbose, env });
  let reportFailedStart = (_name: string): void => {};
  const startFailed = new Promise<string>((resolve) => {
    reportFailedStart = resolve;
  });
  const onEvent = (event: ChildEvent): void => {
    for (const { facts, text } of describeEvent(event, context.verbose)) print(event.name, facts, text);
    if (event.kind === 'gave_up') reportFailedStart(event.name);
  };
  const poller = keepRunning(specs.poller, onEvent);
  const workers = specs.workers.map((spec) => keepRunning(spec, onEvent));
  const dashboard = specs.dashboard && keepRunning(specs.dashboard, onEvent);
  const others = dashboard === undefined ? [poller] : [poller, dashboard];

  const reason = await Promise.race([
    signals.first.then((signal) => ({
      ok: true,
      text: `${signal}: stopping. Workers finish or return their turns first`,
    })),
    startFailed.then((name) => ({ ok: false, text: `${name} failed to start: stopping everything` })),
  ]);
  print('up', { event: 'stopping' }, reason.text);
  void killOnSignal(reason.ok ? signals.second : signals.first, [...workers, ...others], print);
  await Promise.all(workers.map((worker) => worker.stop()));
  for (const child of others) await child.stop();
  return reason.ok;
}

async function killOnSignal(
  signal: Promise<string>,
  children: readonly RunningChild[],
  print: Print,
): Promise<void> {
  print(
    'up',
    { event: 'killing' },
    `${await signal}: stopping immediately. Unfinished turns are retried after the next start`,
  );
  for (const child of children) child.kill();
}

function parseWorkers(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 64) return count;
  throw new UsageError(`--workers must be a whole number from 1 to 64, not ${JSON.stringify(text)}.`);
}
