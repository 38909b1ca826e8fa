import { FAILPOINTS, type Failpoint } from '@mergexo/core';
import type { FaultInput } from '@mergexo/github-twin';
import fc from 'fast-check';
import type { Said, Words } from './feedback-people.js';
import type { Post, Style } from './feedback-worker.js';
import { type Poster, WORST_LAG_SECONDS } from './feedback-world.js';

export type Op =
  | { kind: 'comment' | 'line'; pull: number; by: string; words: Words }
  | { kind: 'reply'; pull: number; which: number; by: string }
  | { kind: 'review'; pull: number; by: string; comments: number; body: boolean }
  | { kind: 'edit'; which: number; same: boolean }
  | { kind: 'delete'; which: number }
  | { kind: 'touch-ours'; which: number; how: 'edit' | 'delete' }
  | { kind: 'storm' | 'push' | 'rewrite' | 'close' | 'merge'; pull: number }
  | { kind: 'round'; polls: number; steps: number; hand: number; style: Style }
  | { kind: 'poll' | 'drain' | 'restart' | 'flush' | 'calm' }
  | { kind: 'arm'; failpoint: Failpoint; ordinal: number }
  | { kind: 'step'; hand: number; post: Post; style: Style }
  | { kind: 'give-up'; hand: number; how: 'fail' | 'release'; post: Post }
  | { kind: 'worker-crash'; hand: number }
  | { kind: 'repeat'; which: number }
  | { kind: 'fault'; fault: FaultInput }
  | { kind: 'lag'; seconds: number }
  | { kind: 'advance'; ms: number };

export type Schedule = { poster: Poster; pulls: number; ops: Op[] };

/** What the checker must know besides GitHub's history: which words were a person's. */
export type Doings = { said: readonly Said[]; maySeeStalePulls: boolean };

/** Begin, plan, freeze, push, finish. */
const TURN_STEPS = 5;

const pull = fc.nat({ max: 1 });
const which = fc.nat({ max: 30 });
const hand = fc.nat({ max: 2 });
const by = fc.constantFrom('alice', 'alice', 'alice', 'alice', 'bob', 'bob', 'mallory', 'ci[bot]');
const post = fc.constantFrom<Post>('arrives', 'arrives', 'arrives', 'lost', 'answer-lost');
const style = fc.record({ replies: fc.boolean(), commits: fc.boolean() });
const words = fc.constantFrom<Words>(
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

const pollerPoints = FAILPOINTS.filter((name) => name.startsWith('poller:') && name !== 'poller:turn-queued');

const constant = <const Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);

const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: constant('comment', 'comment', 'line'), pull, by, words }) },
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
  { weight: 3, arbitrary: fc.record({ kind: constant('edit'), which, same: fc.nat(4).map((n) => n === 0) }) },
  { weight: 2, arbitrary: fc.record({ kind: constant('delete'), which }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: constant('touch-ours'), which, how: constant('edit', 'delete') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: constant('push'), pull }) },
  { weight: 1, arbitrary: fc.record({ kind: constant('storm', 'rewrite', 'close', 'merge'), pull }) },
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

/** A whole turn, with something else in the middle of it. */
const disturbedTurn: fc.Arbitrary<Op[]> = fc
  .record({ hand, style, before: fc.nat({ max: 4 }), disturbance: op })
  .map(({ hand: worker, style: manner, before, disturbance }) => [
    { kind: 'round', polls: 2, steps: before, hand: worker, style: manner },
    disturbance,
    ...Array.from({ length: TURN_STEPS - before }, (): Op => {
      return { kind: 'step', hand: worker, post: 'arrives', style: manner };
    }),
    { kind: 'drain' },
  ]);

/** Something is said, and the poller dies somewhere while it reads that. */
const crashedPoll: fc.Arbitrary<Op[]> = fc
  .record({
    said: fc.record({ kind: constant('comment', 'line'), pull, by, words }),
    failpoint: fc.constantFrom<Failpoint>('poller:feed-read', 'poller:cursor-moved', 'poller:remarks-read'),
    ordinal: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ said, failpoint, ordinal }) => [said, { kind: 'arm', failpoint, ordinal }, { kind: 'poll' }]);

const phrase: fc.Arbitrary<Op[]> = fc.oneof(
  { weight: 10, arbitrary: op.map((each) => [each]) },
  { weight: 2, arbitrary: disturbedTurn },
  { weight: 1, arbitrary: crashedPoll },
);

const phrases = (minLength: number, maxLength: number): fc.Arbitrary<Op[]> =>
  fc.array(phrase, { minLength, maxLength, size: 'max' }).map((list) => list.flat());

/** Two in three runs under a login of our own, the others under the login of a person who comments. */
export const schedule: fc.Arbitrary<Schedule> = fc.record({
  poster: fc.constantFrom<Poster>('robot', 'robot', 'alice'),
  pulls: fc.integer({ min: 1, max: 2 }),
  // What a late comment would bring to light stays hidden in a long schedule, so that half of them are short.
  ops: fc.oneof(phrases(3, 10), phrases(16, 36)),
});
