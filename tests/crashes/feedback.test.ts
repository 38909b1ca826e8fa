import { FAILPOINTS } from '@mergexo/core/basics';
import { crashFeedback, FEEDBACK_POINTS } from '../fleet/crash-feedback.js';
import { NOT_IN_FEEDBACK } from '../fleet/failpoints.js';

describe('kill -9 during a turn with three replies, a general comment and a commit', () => {
  it.concurrent.each(FEEDBACK_POINTS)(
    'at %s: MergeXO posts each comment once, pushes one commit and rewrites no history',
    async (point) => {
      expect(await crashFeedback([point])).toEqual([]);
    },
  );

  it('is tested at every failpoint', () => {
    process.stdout.write(`failpoints of a feedback turn: ${FEEDBACK_POINTS.join(', ')}\n`);
    const covered = new Set([...NOT_IN_FEEDBACK, ...FEEDBACK_POINTS.map((point) => point.split('#')[0])]);
    expect(FAILPOINTS.filter((point) => !covered.has(point))).toEqual([]);
  });
});
