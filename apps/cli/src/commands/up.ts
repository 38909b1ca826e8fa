import { readSettings, type Settings } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';
import type { Context } from '../context.js';
import { holdAlone, upLockOf } from '../hold-alone.js';
import { awaitSignals, type Signals } from '../up/await-signals.js';
import { describeNews } from '../up/describe-news.js';
import { findHopeless } from '../up/find-hopeless.js';
import { type ChildNews, type Kept, keepRunning } from '../up/keep-running.js';
import { listSpecs } from '../up/list-specs.js';
import { type OpenRedis, openRedis } from '../up/open-redis.js';
import { createSay, type Say } from '../up/say.js';
import { examine } from './doctor.js';

export type UpOptions = { workers?: string; dashboard: boolean; check: boolean };

/** Runs Redis, poller, workers and dashboard until a signal. Returns false if a required program cannot start. */
export async function up(context: Context, options: UpOptions): Promise<boolean> {
  const asked = parseWorkers(options.workers);
  const settings = readSettings(context);
  const workers = asked ?? settings.config.runtime.workerCount;
  // A closed pipe or terminal must not stop the fleet.
  process.stdout.on('error', () => {});
  const say = createSay(context, () => new Date());
  const signals = awaitSignals();
  if (options.check && !(await checkFirst(context, settings, say))) {
    signals.forget();
    return false;
  }
  const own = holdAlone(upLockOf(settings), 'up');
  try {
    const redis = await openAlone(settings, say);
    try {
      return await runFleet(settings, {
        context,
        workers,
        dashboard: options.dashboard,
        redis,
        say,
        signals,
      });
    } finally {
      await redis.stop();
      say('up', { event: 'ended' }, 'all processes stopped');
    }
  } finally {
    own.release();
    signals.forget();
  }
}

/** Runs the checks of `doctor` and prints every problem. Returns false only if MergeXO could not do any work. */
async function checkFirst(context: Context, { config }: Settings, say: Say): Promise<boolean> {
  const findings = await examine(context);
  for (const { name, status, detail, fix } of findings.filter((finding) => finding.status !== 'ok'))
    say('check', { event: status, check: name }, `${name}: ${detail}${fix === undefined ? '' : ` → ${fix}`}`);
  const hopeless = findHopeless(findings, { repos: config.repos.length });
  if (hopeless.length === 0) return true;
  const names = hopeless.map(({ name }) => name).join(', ');
  say('up', { event: 'refused' }, `not started: fix ${names} first, or use --no-check to skip the checks`);
  return false;
}

/** Opens Redis under the poller's lock, because the Redis of a running poller may use the same directory. */
async function openAlone(settings: Settings, say: Say): Promise<OpenRedis> {
  const poller = holdAlone(settings.paths.lock, 'up');
  try {
    return await openRedis(settings, say);
  } finally {
    poller.release();
  }
}

type Fleet = {
  context: Context;
  workers: number;
  dashboard: boolean;
  redis: OpenRedis;
  say: Say;
  signals: Signals;
};

async function runFleet(settings: Settings, fleet: Fleet): Promise<boolean> {
  const { context, redis, say, signals } = fleet;
  const env = { ...context.env, ...redis.env };
  const specs = listSpecs(settings, { ...fleet, verbose: context.verbose, env });
  let giveUp = (_name: string): void => {};
  const hopeless = new Promise<string>((resolve) => {
    giveUp = resolve;
  });
  const tell = (news: ChildNews): void => {
    for (const { facts, words } of describeNews(news, context.verbose)) say(news.name, facts, words);
    if (news.kind === 'gave_up') giveUp(news.name);
  };
  const poller = keepRunning(specs.poller, tell);
  const workers = specs.workers.map((spec) => keepRunning(spec, tell));
  const dashboard = specs.dashboard && keepRunning(specs.dashboard, tell);
  const others = dashboard === undefined ? [poller] : [poller, dashboard];

  const reason = await Promise.race([
    signals.first.then((signal) => ({
      ok: true,
      words: `${signal}: stopping. Workers finish or return their turns first`,
    })),
    hopeless.then((name) => ({ ok: false, words: `${name} failed to start: stopping everything` })),
  ]);
  say('up', { event: 'stopping' }, reason.words);
  void endEarly(reason.ok ? signals.second : signals.first, [...workers, ...others], say);
  await Promise.all(workers.map((worker) => worker.stop()));
  for (const kept of others) await kept.stop();
  return reason.ok;
}

async function endEarly(signal: Promise<string>, all: readonly Kept[], say: Say): Promise<void> {
  say(
    'up',
    { event: 'ending' },
    `${await signal} again: stopping immediately. Unfinished turns are retried after the next start`,
  );
  for (const kept of all) kept.end();
}

function parseWorkers(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 64) return count;
  throw new UsageError(`--workers must be a whole number from 1 to 64, not ${JSON.stringify(text)}.`);
}
