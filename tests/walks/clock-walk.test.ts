import { eventually } from '@mergexo/testkit';
import { createWalk, type Walk } from '../fleet/walk.js';

const HOUR_MS = 3_600_000;

describe('a scheduled retry', () => {
  let walk: Walk;
  afterEach(() => walk.close());

  it('is not delayed if the clock is set back by two hours', async () => {
    walk = await createWalk();
    walk.twin.control.fault({ route: 'GIT push', kind: 'error', when: 'before', status: 503, times: 2 });
    walk.startPoller();
    walk.startWorker();
    const issue = await walk.openIssue('agent:small-job');
    await eventually(
      () =>
        walk.withState((state) => {
          const [turn] = state.listTurnsInState('frozen');
          expect(turn?.notBefore).toEqual(expect.any(Number));
        }),
      60_000,
    );
    walk.shiftClock(-2 * HOUR_MS);
    await eventually(() => expect(walk.runOf(issue)?.status).toBe('awaiting_feedback'), 60_000);
  });
});
