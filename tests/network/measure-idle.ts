import { eventually } from '@mergexo/testkit';
import { countUnread, recordPulls } from '../fleet/record-pulls.js';
import { createWalk, type Walk } from '../fleet/walk.js';
import { computeQuietMs, type Plan, SETTINGS } from './plan.js';
import type { Round } from './round.js';
import { isApi, isCounted, readRequests, type SentRequest } from './sent-request.js';
import { splitPolls } from './split-polls.js';

const LIMIT_MS = 500_000;
/** For ten minutes after a push, polls also read the checks of that commit. */
const PAST_CHECKS_MS = 11 * 60_000;

/** The highest values that the configuration allows. */
const LIMITS = '[limits]\nmax_open_runs = 1000\nmax_open_prs = 1000\n';

export type IdleWalk = { walk: Walk; pollerPid: number };

/** Starts a poller with this many open pull requests, and calls `work` after the poller has read all of them. */
export async function withIdlePoller<T>(
  { latencyMs, pulls }: { latencyMs: number; pulls: number },
  work: (idle: IdleWalk) => Promise<T>,
): Promise<T> {
  const walk = await createWalk({ ...SETTINGS, latencyMs, limits: LIMITS });
  try {
    await recordPulls(walk, pulls);
    const { pid } = await walk.ready(walk.startPoller(), 'poller is ready');
    await walk.until(() => {
      const left = countUnread(walk);
      if (left > 0) throw new Error(`the poller has not read ${left} pull requests yet`);
    }, LIMIT_MS);
    walk.shiftClock(PAST_CHECKS_MS);
    await untilIdle(walk, latencyMs);
    return await work({ walk, pollerPid: pid });
  } finally {
    await walk.close();
  }
}

/** The poller needs 200 polls to read the checks of 1,000 pull requests for the first time. */
const GIVE_UP_MS = 400_000;

/** Waits until polls send no counted requests. Stops after `GIVE_UP_MS`, in case every poll sends one. */
async function untilIdle({ twin }: Walk, latencyMs: number): Promise<void> {
  const begin = Date.now();
  const quietMs = computeQuietMs(latencyMs);
  await eventually(() => {
    const recent = readRequests(twin, Date.now() - quietMs);
    if (recent.some(isCounted) && Date.now() - begin < GIVE_UP_MS)
      throw new Error('the poller sends counted requests');
  }, LIMIT_MS);
}

/** Waits for this many polls, and returns the requests of each poll. */
export async function watchPolls({ twin }: Walk, count: number): Promise<SentRequest[][]> {
  const begin = Date.now();
  return eventually(() => {
    const polls = splitPolls(readRequests(twin, begin).filter(isApi), SETTINGS.pollSeconds * 500);
    if (polls.length < count) throw new Error(`${polls.length} of ${count} polls are complete`);
    return polls;
  }, LIMIT_MS);
}

/** Measures polls that find nothing new. A round is one poll, from its first request to its last response. */
export async function measureIdle({ latencyMs, rounds, note }: Plan, pulls: number): Promise<Round[]> {
  note(`idle poll, ${latencyMs} ms, ${pulls} open pull requests, ${rounds} polls`);
  return withIdlePoller({ latencyMs, pulls }, async ({ walk }) =>
    (await watchPolls(walk, rounds)).map((requests) => {
      const begin = Math.min(...requests.map(({ startMs }) => startMs));
      const end = Math.max(...requests.map(({ endMs }) => endMs));
      return { marks: { begin, opened: end, agent: end, posted: end, end }, requests };
    }),
  );
}
