import { aTurn } from '@mergexo/testkit';
import { describeWait, type Situation } from './describe-wait.js';

describe('describeWait', () => {
  const idle: Situation = {
    run: { status: 'awaiting_feedback', blockedKind: null, error: null },
    pull: { humanReviewRequired: false },
    turn: undefined,
    pending: 0,
    now: 1_000,
  };
  const ready = { status: 'ready', blockedKind: null, error: null } as const;
  const followup = { ...ready, status: 'awaiting_issue_followup', error: 'Which login?' } as const;
  const failed = aTurn({ state: 'queued', notBefore: 61_000, reason: 'the agent ended with 1' });
  it.each<[string, Partial<Situation>, string, string]>([
    ['every comment is answered', {}, 'comments or the merge', 'answered'],
    ['a comment is new', { pending: 1 }, 'the poller', '1 unanswered comment'],
    [
      'a person must review the pull request',
      { pull: { humanReviewRequired: true } },
      'a human review',
      'a person',
    ],
    [
      'the AI review failed',
      {
        pull: { humanReviewRequired: true },
        failedReview: { headSha: 'a'.repeat(40), reason: 'the agent failed 3 times' },
      },
      'a human review',
      'the AI review failed: the agent failed 3 times',
    ],
    ['the run is new', { run: ready, pull: undefined }, 'the poller', 'first turn'],
    [
      'a limit is reached',
      { run: { ...ready, blockedKind: 'max_open_runs', error: '2 of 2 runs' } },
      'free capacity',
      '2 of 2',
    ],
    [
      'a daily limit is reached',
      { run: { ...ready, blockedKind: 'max_tokens_per_day', error: '9 of 9' } },
      '00:00 UTC, or an operator',
      '9 of 9',
    ],
    [
      'the scheduler delays the run',
      {
        run: {
          ...ready,
          schedule: { score: 2.5, risk: 0.4, reason: 'overlaps with #12' },
        },
      },
      'the scheduler',
      'overlaps with #12 (score 2.5, risk 0.4)',
    ],
    [
      'a person took over the run',
      { run: { ...ready, ignoredSince: 'then' } },
      'a person',
      'took over the issue',
    ],
    [
      'the agent asked a question',
      { run: followup, pull: undefined },
      'a reply on the issue',
      'Which login?',
    ],
    [
      'the turn is queued',
      { turn: aTurn({ state: 'queued' }), pending: 2 },
      'a free worker',
      '2 unanswered comments',
    ],
    ['the turn failed', { turn: failed }, 'the retry at 1970-01-01 00:01:01Z', 'the agent ended with 1'],
  ])('describes the wait when %s', (_name, facts, whom, why) => {
    const wait = describeWait({ ...idle, ...facts });
    expect(wait).toEqual({ whom, why: expect.stringContaining(why) });
  });

  it('shows no score for an issue that is blocked by another issue', () => {
    const schedule = { score: null, risk: null, reason: 'blocked by #3, which is open' };
    const run = { ...ready, schedule };
    expect(describeWait({ ...idle, run })).toEqual({ whom: 'the scheduler', why: schedule.reason });
  });

  it('names the pause, unless a worker has begun the turn, which then continues', () => {
    const pause = { repoId: 1, issueNumber: 0, since: 1, by: 'ada', reason: 'release' };
    const open = aTurn({ state: 'open' });
    expect(describeWait({ ...idle, pause, turn: open }).whom).toBe(
      'an operator to resume the repository (paused by ada: release)',
    );
    expect(describeWait({ ...idle, pause, turn: { ...open, workerId: 'w' } }).whom).toBe('a free worker');
  });
});
