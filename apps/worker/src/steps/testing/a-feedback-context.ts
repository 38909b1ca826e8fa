import type { FeedbackContext, FeedbackEventContext } from '@mergexo/core/turns';

const WHEN = { createdAt: '2026-01-02T03:04:05Z', updatedAt: '2026-01-02T03:04:05Z' };

/** A comment on a line, in its own thread. */
export function aReviewEvent(id: number, body = 'Why?'): FeedbackEventContext {
  return {
    key: `3:review:${id}:${WHEN.updatedAt}`,
    kind: 'review',
    id,
    rootId: id,
    path: 'src/a.txt',
    startLine: null,
    line: 4,
    side: 'RIGHT',
    outdated: null,
    isResolved: false,
    diffHunk: '@@ -1 +1,4 @@\n+four',
    reviewState: null,
    check: null,
    log: null,
    author: 'ada',
    body,
    ...WHEN,
    url: `https://github.example/acme/app/pull/3#discussion_r${id}`,
  };
}

/** A pull request with one new comment on a line. */
export function aFeedbackContext(overrides: Partial<FeedbackContext> = {}): FeedbackContext {
  return {
    repo: 'acme/app',
    flow: 'bugfix',
    branch: 'agent/bugfix/7-crash',
    designDocPath: null,
    headSha: 'a'.repeat(40),
    pull: {
      number: 3,
      title: 'Fix the crash',
      body: 'Fixes #7',
      author: 'robot',
      baseBranch: 'main',
      url: 'https://github.example/acme/app/pull/3',
    },
    issue: {
      number: 7,
      title: 'It crashes',
      body: 'On start.',
      author: 'ada',
      labels: ['agent:bugfix'],
      url: 'https://github.example/acme/app/issues/7',
      role: 'OWNER',
      createdAt: WHEN.createdAt,
    },
    events: [aReviewEvent(11)],
    reviewComments: [],
    issueComments: [],
    linked: [],
    unreadLinks: [],
    conversation: [],
    signals: [],
    checks: [],
    update: false,
    session: { adapter: 'command', threadId: 'thread-7' },
    stateSummary: 'The crash is fixed in a.txt.',
    previousActions: [],
    cuts: [],
    ...overrides,
  };
}
