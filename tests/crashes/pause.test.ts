import { FAILPOINTS } from '@mergexo/core/basics';
import { eventually } from '@mergexo/testkit';
import { NOT_IN_STARTS } from '../fleet/failpoints.js';
import { fetchResults } from '../fleet/fetch-results.js';
import { createWalk, type Walk } from '../fleet/walk.js';

const POINTS = FAILPOINTS.filter((point) => !NOT_IN_STARTS.includes(point));

describe('a pause right after kill -9', () => {
  it.concurrent.each(POINTS)('at %s loses nothing: the work ends once after the resume', async (point) => {
    const walk = await createWalk();
    try {
      const issue = await walk.openIssue('agent:small-job');
      const inPoller = point.startsWith('poller:');
      const poller = walk.startPoller(inPoller ? point : undefined);
      const worker = walk.startWorker(inPoller ? undefined : point);
      const victim = inPoller ? poller : worker;
      await eventually(() => expect([point, victim.child.signalCode]).toEqual([point, 'SIGKILL']), 60_000);
      expect(await steer(walk, 'pause')).toMatchObject({ changed: true });
      if (inPoller) walk.startPoller();
      else walk.startWorker();
      // On a busy machine, the poller may start too late for the first request.
      await eventually(async () => expect(await steer(walk, 'resume')).toMatchObject({ ok: true }), 120_000);
      await eventually(
        () => expect([point, walk.runOf(issue)?.status]).toEqual([point, 'awaiting_feedback']),
        60_000,
      );
      const { pulls, comments, pushes, forced } = await fetchResults(walk, issue);
      expect([point, pulls.length, comments.length, pushes, forced]).toEqual([point, 1, 1, 1, 0]);
    } finally {
      await walk.close();
    }
  });
});

async function steer(walk: Walk, order: string): Promise<object> {
  const { output } = await walk.runCli(order, '--json');
  return JSON.parse(output);
}
