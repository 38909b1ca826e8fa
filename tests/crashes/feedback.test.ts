import { FAILPOINTS } from '@mergexo/core/basics';
import { crashFeedback, FEEDBACK_POINTS } from '../fleet/crash-feedback.js';

/** Not passed by feedback: follow-ups are killed there. */
const ELSEWHERE = ['poller:gate-checked', 'poller:turn-deferred', 'poller:redirect-planned'];

describe('kill -9 in a turn with three replies, a general comment and a commit', () => {
  it.concurrent.each(FEEDBACK_POINTS)(
    'at %s: each said once, one commit, no history rewritten',
    async (point) => {
      expect(await crashFeedback([point])).toEqual([]);
    },
  );

  it('covers every named point', () => {
    process.stdout.write(`crash points of a feedback turn: ${FEEDBACK_POINTS.join(', ')}\n`);
    const covered = new Set([...ELSEWHERE, ...FEEDBACK_POINTS.map((point) => point.split('#')[0])]);
    expect(FAILPOINTS.filter((point) => !covered.has(point))).toEqual([]);
  });
});
