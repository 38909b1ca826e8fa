import { FAILPOINTS, type Failpoint } from '@mergexo/core/basics';
import type { FaultInput } from '@mergexo/github-twin';
import fc from 'fast-check';
import type { Posted, TextKind } from './feedback-people.js';
import type { Post, Style } from './feedback-worker.js';
import { type Poster, WORST_LAG_SECONDS } from './feedback-world.js';

export type Op =
  /** `soon` means within the same second. */
  | { kind: 'comment' | 'line'; pull: number; by: string; textKind: TextKind; soon?: boolean }
  | { kind: 'reply'; pull: number; which: number; by: string }
  | { kind: 'review'; pull: number; by: string; comments: number; body: boolean }
  | { kind: 'edit'; which: number; same: boolean; soon?: boolean }
  | { kind: 'delete'; which: number }
  | { kind: 'touch-own-comment'; which: number; how: 'edit' | 'delete' }
  | { kind: 'storm' | 'push' | 'rewrite'; pull: number }
  | { kind: 'close' | 'merge' | 'reopen' | 'take-over' | 'unblock'; pull: number }
  | { kind: 'round'; polls: number; steps: number; hand: number; style: Style }
  | { kind: 'poll' | 'drain' | 'restart' | 'lose-state' | 'flush' | 'calm' }
  | { kind: 'arm'; failpoint: Failpoint; ordinal: number }
  | { kind: 'step'; hand: number; post: Post; style: Style }
  | { kind: 'give-up'; hand: number; how: 'fail' | 'release'; post: Post }
  | { kind: 'worker-crash'; hand: number }
  | { kind: 'repeat'; which: number }
  | { kind: 'fault'; fault: FaultInput }
  | { kind: 'lag'; seconds: number }
  | { kind: 'advance'; ms: number };

export type Schedule = { poster: Poster; pulls: number; ops: Op[] };

/** The facts that the checker cannot read from GitHub's history, such as which posts a person made. */
export type Activity = { posted: readonly Posted[]; maySeeStalePulls: boolean };

/** The steps are begin, plan, freeze, push and finish. */
const TURN_STEPS = 5;

const pull = fc.nat({ max: 1 });
const which = fc.nat({ max: 30 });
const hand = fc.nat({ max: 2 });
const by = fc.constantFrom('alice', 'alice', 'alice', 'alice', 'bob', 'bob', 'mallory', 'ci[bot]');
const post = fc.constantFrom<Post>('arrives', 'arrives', 'arrives', 'lost', 'answer-lost');
const oneIn = (count: number): fc.Arbitrary<boolean> => fc.nat({ max: count - 1 }).map((n) => n === 0);
const style = fc.record({ replies: fc.boolean(), commits: fc.boolean(), blocks: oneIn(12) });
const textKind = fc.constantFrom<TextKind>(
  ...(['plain', 'plain', 'plain', 'plain', 'quote', 'copied-marker', 'forged-marker', 'repost'] as const),
  ...(['command', 'command', 'command-and-feedback'] as const),
);

const POST_COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const POST_REPLY = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
const LISTS = [
  'GET /repos/{owner}/{repo}/issues',
  'GET /repos/{owner}/{repo}/issues/comments',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'GET /repos/{owner}/{repo}/pulls/comments',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
];
const PULLS = ['GET /repos/{owner}/{repo}/pulls', 'GET /repos/{owner}/{repo}/pulls/{pull_number}'];

const seconds = fc.constantFrom(10, 25, WORST_LAG_SECONDS);
const fault: fc.Arbitrary<FaultInput> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom(POST_COMMENT, POST_REPLY),
        fc.constantFrom<FaultInput>(
          { kind: 'error', when: 'after' },
          { kind: 'error', when: 'after', status: 500 },
          { kind: 'error', when: 'before' },
          { kind: 'drop', when: 'after' },
          { kind: 'drop', when: 'before' },
          { kind: 'truncated' },
          { kind: 'html', when: 'after' },
          { kind: 'secondary-limit', retryAfterSeconds: 30 },
          { kind: 'secondary-limit', status: 429 },
          { kind: 'expired-token' },
        ),
        fc.nat({ max: 1 }),
      )
      .map(([route, what, skip]) => ({ ...what, route, skip })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(POST_COMMENT, POST_REPLY), fc.constantFrom('before' as const, 'after' as const))
      .map(([route, when]): FaultInput => ({ kind: 'hang', when, route })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom<FaultInput>(
          { kind: 'error' },
          { kind: 'error', status: 503 },
          { kind: 'drop' },
          { kind: 'truncated' },
          { kind: 'html', status: 502 },
          { kind: 'expired-token' },
          { kind: 'secondary-limit', retryAfterSeconds: 20 },
        ),
        fc.nat({ max: 8 }),
        fc.integer({ min: 1, max: 4 }),
      )
      .map(([what, skip, times]) => ({ ...what, route: '*', skip, times })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...LISTS), seconds)
      .map(([route, lag]): FaultInput => ({ kind: 'lag', route, seconds: lag })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...PULLS), seconds)
      .map(([route, age]): FaultInput => ({ kind: 'stale', route, seconds: age })),
  },
);

/** Failpoints that only start turns and signs reach. All start turns end before the schedule begins, and it sends no signs. */
const elsewhere = [
  'poller:turn-queued',
  'poller:gate-checked',
  'poller:turn-deferred',
  'poller:redirect-planned',
  'poller:sign-sending',
  'poller:sign-answered',
  'poller:sign-recorded',
];
const pollerPoints = FAILPOINTS.filter((name) => name.startsWith('poller:') && !elsewhere.includes(name));

const constant = <const Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);

const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: constant('comment', 'comment', 'line'),
      pull,
      by,
      textKind,
      soon: oneIn(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: constant('reply'), pull, which, by }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: constant('review'),
      pull,
      by: fc.constantFrom('alice', 'bob', 'mallory'),
      comments: fc.nat({ max: 3 }),
      body: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: constant('edit'), which, same: oneIn(5), soon: oneIn(4) }) },
  { weight: 2, arbitrary: fc.record({ kind: constant('delete'), which }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: constant('touch-own-comment'), which, how: constant('edit', 'delete') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: constant('push'), pull }) },
  { weight: 1, arbitrary: fc.record({ kind: constant('storm', 'rewrite', 'merge', 'unblock'), pull }) },
  { weight: 2, arbitrary: fc.record({ kind: constant('close', 'reopen', 'take-over', 'take-over'), pull }) },
  {
    weight: 18,
    arbitrary: fc.record({
      kind: constant('round'),
      polls: fc.constantFrom(1, 2, 2),
      steps: fc.constantFrom(0, 1, 2, 3, 4, 5, 5, 5, 5, 5),
      hand,
      style,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: constant('poll') }) },
  { weight: 4, arbitrary: fc.record({ kind: constant('drain') }) },
  { weight: 2, arbitrary: fc.record({ kind: constant('restart', 'flush', 'calm', 'calm') }) },
  { weight: 1, arbitrary: fc.record({ kind: constant('restart', 'lose-state') }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: constant('arm'),
      failpoint: fc.constantFrom(...pollerPoints),
      ordinal: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: constant('step'), hand, post, style }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: constant('give-up'), hand, how: constant('fail', 'release'), post }),
  },
  { weight: 2, arbitrary: fc.record({ kind: constant('worker-crash'), hand }) },
  { weight: 2, arbitrary: fc.record({ kind: constant('repeat'), which: fc.nat({ max: 40 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: constant('fault'), fault }) },
  { weight: 2, arbitrary: fc.record({ kind: constant('lag'), seconds }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: constant('advance'),
      ms: fc.constantFrom(1_000, 5_000, 7_000, 16_000, 31_000, 61_000),
    }),
  },
);

const steps = (count: number, worker: number, manner: Style): Op[] =>
  Array.from({ length: count }, () => ({ kind: 'step', hand: worker, post: 'arrives', style: manner }));

const remark = fc.record({ kind: constant('comment', 'line'), pull, by, textKind });
/** A comment that MergeXO answers. */
const question = fc.record({
  kind: constant('comment', 'line'),
  pull,
  by: constant('alice', 'bob'),
  textKind: constant('plain'),
});

/** Ops that end a turn early. */
const end = fc.record({
  kind: constant('close', 'close', 'merge', 'take-over', 'take-over', 'rewrite'),
  pull,
});
const staleRead = fc
  .tuple(fc.constantFrom(...PULLS), seconds)
  .map(([route, age]): Op => ({ kind: 'fault', fault: { kind: 'stale', route, seconds: age } }));

/** A whole turn that is interrupted by another op. */
const disturbedTurn: fc.Arbitrary<Op[]> = fc
  .record({
    question,
    hand,
    style,
    before: fc.nat({ max: 5 }),
    disturbance: fc.oneof(
      { weight: 2, arbitrary: op },
      { weight: 2, arbitrary: end },
      { weight: 1, arbitrary: staleRead },
      { weight: 1, arbitrary: fc.record({ kind: constant('restart', 'lose-state') }) },
    ),
  })
  .map(({ question: asked, hand: worker, style: manner, before, disturbance }) => [
    asked,
    { kind: 'round', polls: 2, steps: 0, hand: worker, style: manner },
    ...steps(before, worker, manner),
    disturbance,
    ...steps(TURN_STEPS - before, worker, manner),
    { kind: 'drain' },
  ]);

/** The poller crashes while it reads. */
const crashedPoll: fc.Arbitrary<Op[]> = fc
  .record({
    posted: remark,
    failpoint: fc.constantFrom<Failpoint>('poller:feed-read', 'poller:cursor-moved', 'poller:remarks-read'),
    ordinal: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ posted, failpoint, ordinal }) => [posted, { kind: 'arm', failpoint, ordinal }, { kind: 'poll' }]);

/** The poller crashes during a turn, and the turn continues. */
const crashedTurn: fc.Arbitrary<Op[]> = fc
  .record({
    question,
    hand,
    style,
    failpoint: fc.constantFrom(...pollerPoints),
    ordinal: fc.constantFrom(1, 1, 1, 2),
  })
  .map(({ question: asked, hand: worker, style: manner, failpoint, ordinal }) => [
    asked,
    { kind: 'arm', failpoint, ordinal },
    { kind: 'round', polls: 2, steps: TURN_STEPS, hand: worker, style: manner },
    // If the crash lost the response to a step, the worker repeats the step.
    ...steps(2, worker, manner),
    { kind: 'drain' },
  ]);

/**
 * An event ends the turn after half of an answer was posted. Later the event is reverted, and MergeXO owes the other
 * half.
 */
const halfSaid: fc.Arbitrary<Op[]> = fc
  .record({
    pull,
    hand,
    commits: fc.boolean(),
    half: fc.constantFrom<Op>(
      { kind: 'arm', failpoint: 'poller:action-settled', ordinal: 1 },
      { kind: 'arm', failpoint: 'poller:action-answered', ordinal: 1 },
      { kind: 'arm', failpoint: 'poller:action-sending', ordinal: 2 },
      { kind: 'fault', fault: { kind: 'secondary-limit', retryAfterSeconds: 5, route: POST_COMMENT } },
      { kind: 'fault', fault: { kind: 'error', when: 'before', route: POST_COMMENT } },
    ),
    end: constant('close', 'take-over', 'rewrite'),
    pause: fc.constantFrom(1_000, 7_000, 61_000),
    later: fc.constantFrom<Op>(
      { kind: 'lag', seconds: WORST_LAG_SECONDS },
      { kind: 'touch-own-comment', which: 0, how: 'delete' },
      { kind: 'touch-own-comment', which: 1, how: 'delete' },
      { kind: 'calm' },
    ),
    replies: fc.boolean(),
  })
  .map((it): Op[] => {
    const lifted = { close: 'reopen', 'take-over': 'take-over', rewrite: 'unblock' } as const;
    const manner = { replies: true, commits: it.commits };
    return [
      { kind: 'line', pull: it.pull, by: 'alice', textKind: 'plain' },
      { kind: 'comment', pull: it.pull, by: 'bob', textKind: 'plain' },
      { kind: 'round', polls: 2, steps: 0, hand: it.hand, style: manner },
      ...steps(TURN_STEPS, it.hand, manner),
      it.half,
      { kind: 'drain' },
      { kind: it.end, pull: it.pull },
      { kind: 'advance', ms: it.pause },
      { kind: 'drain' },
      ...(it.end === 'close' ? ([{ kind: 'poll' }] satisfies Op[]) : []),
      { kind: lifted[it.end], pull: it.pull },
      it.later,
      {
        kind: 'round',
        polls: 2,
        steps: TURN_STEPS,
        hand: it.hand,
        style: { ...manner, replies: it.replies },
      },
    ];
  });

/** Posts two comments in the same second. The poller crashes while it reads the second comment. */
const sameSecond: fc.Arbitrary<Op[]> = fc
  .record({
    first: fc.record({
      kind: constant('comment'),
      pull,
      by: constant('mallory', 'mallory', 'bob'),
      textKind: constant('plain'),
    }),
    second: fc.record({
      kind: constant('comment'),
      pull,
      by: constant('alice'),
      textKind,
      soon: fc.constant(true),
    }),
    failpoint: fc.constantFrom<Failpoint>('poller:feed-read', 'poller:cursor-moved'),
    ordinal: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ first, second, failpoint, ordinal }) => [
    first,
    { kind: 'poll' },
    second,
    { kind: 'arm', failpoint, ordinal },
    { kind: 'poll' },
  ]);

const phrase: fc.Arbitrary<Op[]> = fc.oneof(
  { weight: 11, arbitrary: op.map((each) => [each]) },
  { weight: 3, arbitrary: disturbedTurn },
  { weight: 3, arbitrary: crashedTurn },
  { weight: 1, arbitrary: crashedPoll },
  { weight: 1, arbitrary: halfSaid },
  { weight: 1, arbitrary: sameSecond },
);

const phrases = (minLength: number, maxLength: number): fc.Arbitrary<Op[]> =>
  fc.array(phrase, { minLength, maxLength, size: 'max' }).map((list) => list.flat());

/** In two of three runs MergeXO has its own login. In the third it shares the login of a person who comments. */
export const schedule: fc.Arbitrary<Schedule> = fc.record({
  poster: fc.constantFrom<Poster>('robot', 'robot', 'alice'),
  pulls: fc.integer({ min: 1, max: 2 }),
  // Half of the schedules are short, because long schedules hide bugs that only a late comment would reveal.
  ops: fc.oneof(phrases(3, 8), phrases(12, 26)),
});
