import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../fleet/find-free-port.js';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';
import { computeQuietMs, type Plan, SETTINGS } from './plan.js';
import type { Round } from './round.js';
import { endWhenQuiet, type Watched, watchTurn } from './watch-turn.js';

/** Spreads the rounds over the pause between two polls. */
const SHIFT_MS = 370;

export type ServiceRounds = { starts: Round[]; replies: Round[] };

/** Long enough that deliveries cause nearly all polls. */
const WEBHOOK_POLL_SECONDS = 60;

/** Measures a running poller and worker: a new issue until its pull request, and a comment until its reply. */
export async function measureService(
  { latencyMs, rounds, note }: Plan,
  { withWebhook = false } = {},
): Promise<ServiceRounds> {
  const webhook = { webhookPort: await findFreePort(), pollSeconds: WEBHOOK_POLL_SECONDS };
  const walk = await createWalk({ ...SETTINGS, latencyMs, ...(withWebhook && webhook) });
  const quietMs = computeQuietMs(latencyMs);
  const finish = async (watched: Watched): Promise<Round> =>
    endWhenQuiet(walk, await watchTurn(walk, watched), quietMs);
  const measured: ServiceRounds = { starts: [], replies: [] };
  try {
    await walk.ready(walk.startPoller(), 'poller is ready');
    await walk.ready(walk.startWorker(), 'worker is ready');
    // The first turn also clones the mirror and fills caches, so it is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      note(`service${withWebhook ? ' with a webhook' : ''}, ${latencyMs} ms, round ${round} of ${rounds}`);
      await sleep((round * SHIFT_MS) % (SETTINGS.pollSeconds * 1_000));
      const startBegin = Date.now();
      const issue = await walk.openIssue('agent:small-job');
      const start = await finish({ issue, begin: startBegin, pr: undefined });
      const pr = readPull(walk, issue);
      const replyBegin = Date.now();
      await walk.alice.comment(REPO, pr, 'Why?');
      const reply = await finish({ issue, begin: replyBegin, pr });
      if (round > 0) {
        measured.starts.push(start);
        measured.replies.push(reply);
      }
      await walk.alice.close(REPO, pr);
      await walk.alice.close(REPO, issue);
      await endWhenQuiet(walk, { ...reply.marks, begin: Date.now(), posted: Date.now() }, quietMs);
    }
    return measured;
  } finally {
    await walk.close();
  }
}

function readPull(walk: Walk, issue: number): number {
  const pr = walk.runOf(issue)?.prNumber;
  if (!pr) throw new Error(`issue #${issue} has no pull request:\n${walk.outputs().slice(-3_000)}`);
  return pr;
}
