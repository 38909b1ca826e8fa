import type { Log } from '@mergexo/core/basics';
import type { Health, HealthProblem } from '@mergexo/core/health';
import type { Notice } from '@mergexo/core/notices';
import type { Channel } from '@mergexo/notify';
import type { OutageRecord, OutageRecords } from './outage-record.js';

/** How long the poller must be down before people are notified. A restart takes less. */
export const GRACE_MS = 60_000;
/**
 * Grace period after a clean stop. An operator may have stopped the poller on purpose, or it may be unable to start
 * after an error.
 */
export const STOPPED_GRACE_MS = 600_000;
const RETRY_MS = 60_000;
/** Maximum number of notifications per outage. */
export const MAX_SENDS = 5;

type Tools = {
  /** The channels for messages about the poller. Read before each check, because the config may change. */
  channels: () => readonly Channel[];
  readHealth: () => Health | undefined;
  records: OutageRecords;
  now: () => number;
  monotonicNow: () => number;
  log: Log;
};

/**
 * Notices a poller that is down, which cannot report itself, and sends one message per outage and channel. Measures on
 * the monotonic clock: after a laptop wakes up, the poller gets the whole grace period to send a heartbeat.
 */
export function watchPoller(tools: Tools): () => Promise<void> {
  const { records, monotonicNow } = tools;
  let noticed: { since: number; at: number } | undefined;
  let nextAt = 0;
  return async () => {
    if (tools.channels().length === 0) return;
    const problem = findOutage(tools.readHealth());
    if (problem === undefined) {
      noticed = undefined;
      return;
    }
    const since = problem.since ?? 0;
    noticed = noticed?.since === since ? noticed : { since, at: monotonicNow() };
    const graceMs = problem.code === 'stopped' ? STOPPED_GRACE_MS : GRACE_MS;
    if (monotonicNow() - noticed.at < graceMs || monotonicNow() < nextAt) return;
    const record = records.read(since);
    if (record.sends >= MAX_SENDS) return;
    nextAt = monotonicNow() + RETRY_MS;
    await send(tools, problem, record);
  };
}

/** Counts the send before it starts, so that a crash does not repeat it forever. */
async function send(tools: Tools, problem: HealthProblem, before: OutageRecord): Promise<void> {
  const { records, now, log } = tools;
  const channels = tools.channels().filter(({ name }) => !before.sentTo.includes(name));
  if (channels.length === 0) return;
  let record = { ...before, sends: before.sends + 1 };
  records.save(record);
  const notice: Notice = {
    id: `poller-${record.since}`,
    kind: 'poller',
    ...{ repo: null, number: null, title: null, url: null, at: now() },
    text: `${problem.message}. ${problem.fix}`,
  };
  await Promise.all(
    channels.map(async (channel) => {
      const sent = await channel.send([notice]);
      if (sent.kind === 'sent') {
        record = { ...record, sentTo: [...record.sentTo, channel.name] };
        records.save(record);
      } else if (sent.kind === 'failed')
        log.warn({ channel: channel.name, reason: sent.reason }, 'a notification was not sent');
    }),
  );
}

/** Finds a poller that is down. A poller that has never run does not count as down. */
function findOutage(health: Health | undefined): HealthProblem | undefined {
  const codes = ['stale', 'stopped', 'secret-lost'];
  return health?.pollerRuns === false ? health.problems.find(({ code }) => codes.includes(code)) : undefined;
}
