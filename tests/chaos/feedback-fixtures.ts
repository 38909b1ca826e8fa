import type { Op, Schedule } from './feedback-schedule.js';

const alone = { replies: true, commits: false };
const step: Op = { kind: 'step', hand: 0, post: 'arrives', style: alone };
const postComment = (textKind: 'plain' | 'copied-marker'): Op => ({
  kind: 'comment',
  pull: 0,
  by: 'alice',
  textKind,
});
const open: Op[] = [{ kind: 'poll' }, { kind: 'advance', ms: 6_000 }, { kind: 'poll' }];
/** The turn has begun. Its plan is frozen, but not yet posted. */
const answered: Op[] = [...open, step, step, step];
const POST_COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

/** Short schedules that once found a bug. */
export const FIXTURES: readonly (Schedule & { name: string })[] = [
  {
    name: 'claims only its own comment when a thread accepts no reply',
    poster: 'robot',
    pulls: 1,
    ops: [
      { kind: 'line', pull: 0, by: 'alice', textKind: 'plain' },
      postComment('plain'),
      ...answered,
      { kind: 'delete', which: 0 },
      { kind: 'drain' },
    ],
  },
  {
    name: 'does not give up an answer when GitHub rejects the token once',
    poster: 'robot',
    pulls: 1,
    ops: [
      postComment('plain'),
      ...answered,
      { kind: 'fault', fault: { kind: 'expired-token', route: POST_COMMENT } },
      { kind: 'drain' },
    ],
  },
  {
    name: 'answers a person who copies a marker before MergeXO knows that its own comment was posted',
    poster: 'alice',
    pulls: 1,
    ops: [
      postComment('plain'),
      ...answered,
      { kind: 'fault', fault: { kind: 'error', when: 'after', route: POST_COMMENT } },
      { kind: 'drain' },
      postComment('copied-marker'),
      { kind: 'poll' },
    ],
  },
  {
    name: 'does not repeat a notice that lists do not show yet after a database loss',
    poster: 'robot',
    pulls: 1,
    ops: [
      { kind: 'unblock', pull: 0 },
      { kind: 'advance', ms: 50_000 },
      { kind: 'poll' },
      { kind: 'drain' },
      { kind: 'lag', seconds: 45 },
      { kind: 'lose-state' },
      { kind: 'poll' },
      { kind: 'drain' },
    ],
  },
];
