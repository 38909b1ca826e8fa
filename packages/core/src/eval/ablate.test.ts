import type { FeedbackContext } from '../turns/feedback/feedback-context.js';
import type { ReviewContext } from '../turns/review/review-context.js';
import { ABLATIONS, type AblatedItem, ablate, isAblatedItem, isAffected } from './ablate.js';
import type { EvalCase, Replay } from './eval-case.js';

const SHA = 'a'.repeat(40);
const WHEN = { createdAt: 't', updatedAt: 't', url: 'u' };
const ISSUE = { number: 1, title: 'T', body: '', author: 'ada', labels: [], url: 'u' };
const ABOUT = {
  repo: 'acme/app',
  flow: 'bugfix',
  branch: 'agent/bugfix/1-t',
  designDocPath: null,
  issue: ISSUE,
} as const;
const PULL = {
  ...ABOUT,
  headSha: SHA,
  pull: { number: 2, title: 'T', body: '', author: 'bob', baseBranch: 'main', url: 'u' },
  checks: [{ name: 'build', status: 'completed', conclusion: 'failure', url: 'u' }],
};
const PLACE = { rootId: null, path: null, startLine: null, line: null, side: null, outdated: null };
const EVENT = {
  ...PLACE,
  ...WHEN,
  author: 'ada',
  isResolved: false,
  reviewState: null,
  check: null,
  diffHunk: null,
  log: null,
};
const LINKED = {
  number: 3,
  isPullRequest: false,
  status: 'open',
  title: 'L',
  body: '',
  author: 'ada',
  url: 'u',
} as const;

const NO_UPLOADS = { listed: [], omitted: 0 };
const NONE = { start: NO_UPLOADS, feedback: NO_UPLOADS, review: NO_UPLOADS };
const UPLOADS = {
  listed: [{ url: 'u', source: 'issue #1 by ada', isNew: false, problem: null }],
  omitted: 1,
};

const feedback: FeedbackContext = {
  ...PULL,
  events: [
    { ...EVENT, key: 'k1', kind: 'review', id: 1, body: 'Why?', diffHunk: '+one' },
    { ...EVENT, key: 'k2', kind: 'ci', id: 2, body: 'build: failure\nexpected 1', log: 'expected 1' },
  ],
  reviewComments: [],
  issueComments: [],
  linked: [LINKED],
  unreadLinks: [],
  conversation: [],
  signals: [],
  update: false,
  session: { adapter: 'codex', threadId: null },
  stateSummary: '',
  previousActions: [],
  cuts: [],
};
const review: ReviewContext = {
  ...PULL,
  reviewedSha: null,
  round: 1,
  earlier: [],
  linked: [],
  unreadLinks: [],
  discussion: { entries: [], omitted: 0 },
  policy: { blockingSeverity: 'high', maxFindings: 10, verify: true },
  fixesLeft: 2,
};
const evalCase: EvalCase = {
  repo: 'acme/app',
  prNumber: 2,
  issueNumber: 1,
  headSha: SHA,
  mergeSha: SHA,
  start: {
    ...ABOUT,
    comments: [],
    linked: [LINKED],
    unreadLinks: [],
    consumedUpTo: 0,
    followup: null,
    session: null,
    stateSummary: '',
    design: null,
  },
  feedback,
  review,
  places: [],
  uploads: { start: UPLOADS, feedback: NO_UPLOADS, review: NO_UPLOADS },
  files: {},
  notes: [],
};

describe('ablate', () => {
  it('changes nothing without an item', () => {
    expect(ablate(evalCase, null)).toBe(evalCase);
  });

  it('removes the diff above each comment', () => {
    const { feedback: changed } = ablate(evalCase, 'hunk');
    expect(changed?.events.map(({ diffHunk }) => diffHunk)).toEqual([null, null]);
    expect(changed?.events.map(({ body }) => body)).toEqual(feedback.events.map(({ body }) => body));
  });

  it('removes the results of checks, and keeps only the name of a failed check', () => {
    const changed = ablate(evalCase, 'ci');
    expect([changed.feedback?.checks, changed.review?.checks]).toEqual([[], []]);
    const texts = changed.feedback?.events.map(({ body, log }) => [body, log]);
    expect(texts).toEqual([
      ['Why?', null],
      ['build: failure', null],
    ]);
  });

  it('turns off the verification of findings, and keeps the rest of the review policy', () => {
    const { policy } = ablate(evalCase, 'verify').review ?? {};
    expect(policy).toEqual({ ...review.policy, verify: false });
  });

  it('removes the uploaded files', () => {
    expect(ablate(evalCase, 'images').uploads).toEqual(NONE);
  });

  it.each<[AblatedItem, Replay[]]>([
    ['hunk', ['feedback']],
    ['ci', ['feedback', 'review']],
    ['linked', ['start', 'feedback']],
    ['rules', ['start', 'feedback', 'review']],
    ['verify', ['review']],
    ['images', ['start']],
  ])('%s affects %j', (item, replays) => {
    const all: Replay[] = ['start', 'feedback', 'review'];
    expect(all.filter((replay) => isAffected(evalCase, replay, item))).toEqual(replays);
  });

  it('accepts a case without a review', () => {
    const plain = {
      ...evalCase,
      start: { ...evalCase.start, linked: [] },
      feedback: null,
      review: null,
      uploads: NONE,
    };
    for (const item of Object.keys(ABLATIONS).filter(isAblatedItem))
      expect(ablate(plain, item)).toEqual(plain);
  });

  it.each(['nothing', 'toString', ''])('rejects the unknown item %j', (name) => {
    expect(isAblatedItem(name)).toBe(false);
  });
});
