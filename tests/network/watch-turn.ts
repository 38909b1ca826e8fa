import type { Twin } from '@mergexo/github-twin';
import { eventually } from '@mergexo/testkit';
import type { Walk } from '../fleet/walk.js';
import type { Marks, Round } from './round.js';
import { isCounted, readRequests } from './sent-request.js';

/** Large enough for one turn with a latency of 300 ms on a busy machine. */
const LIMIT_MS = 120_000;

export type Watched = {
  issue: number;
  begin: number;
  /** The number of the pull request that gets the reply, or undefined if the turn opens a pull request. */
  pr: number | undefined;
};

/** Waits until the turn is complete. Returns all its times except the end. */
export async function watchTurn(walk: Walk, watched: Watched): Promise<Omit<Marks, 'end'>> {
  return eventually(() => {
    const found = findMarks(walk, watched);
    if (found === undefined) throw new Error(`the turn is not complete:\n${walk.outputs().slice(-3_000)}`);
    return found;
  }, LIMIT_MS);
}

function findMarks(walk: Walk, { issue, begin, pr }: Watched): Omit<Marks, 'end'> | undefined {
  const events = walk
    .withState((state) => state.listEventsAfter(0, 1_000_000))
    .filter((event) => event.issueNumber === issue && event.createdAt >= begin);
  const opened = events.find(({ type }) => type === 'turn_opened')?.createdAt;
  const completed = events.some(({ type }) => type === 'turn_completed');
  const agent = walk.agentRequests(issue).find(({ startedAtMs }) => startedAtMs >= begin)?.startedAtMs;
  const posted = findPosted(walk.twin, { begin, pr });
  if (!completed || opened === undefined || agent === undefined || posted === undefined) return undefined;
  return { begin, opened, agent, posted };
}

/** Returns when the twin answered the request that created the reply or the pull request. */
function findPosted({ history }: Twin, { begin, pr }: Omit<Watched, 'issue'>): number | undefined {
  const write = history
    .list('write')
    .find(
      ({ by, op, at, table, row }) =>
        by === 'robot' &&
        op === 'create' &&
        Date.parse(at) >= begin &&
        (pr === undefined
          ? table === 'issues' && row['pull'] !== null
          : table === 'comments' && row['number'] === pr),
    );
  // The history records a request with its response, so the first POST recorded after the write caused the write.
  const request = history
    .list('request')
    .find(
      ({ seq, method, arrivedAt }) => write && method === 'POST' && seq > write.seq && arrivedAt <= write.at,
    );
  return request && Date.parse(request.at);
}

/**
 * Waits until MergeXO sends no counted request for this long. The last counted request ends the round. Gives up
 * after five times as long, in case every poll sends a counted request.
 */
export async function endWhenQuiet(
  { twin }: Walk,
  marks: Omit<Marks, 'end'>,
  quietMs: number,
): Promise<Round> {
  const lastCounted = (): number =>
    Math.max(
      marks.posted,
      ...readRequests(twin, marks.begin)
        .filter(isCounted)
        .map(({ endMs }) => endMs),
    );
  await eventually(() => {
    const waitedMs = Date.now() - lastCounted();
    if (waitedMs < quietMs && Date.now() - marks.posted < 5 * quietMs)
      throw new Error(`MergeXO sent a counted request ${waitedMs} ms ago`);
  }, LIMIT_MS);
  const end = lastCounted();
  const requests = readRequests(twin, marks.begin).filter(({ startMs }) => startMs <= end);
  return { marks: { ...marks, end }, requests };
}
