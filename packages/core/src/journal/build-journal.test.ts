import { createRedact } from '../text/secrets/redact.js';
import { buildJournal } from './build-journal.js';
import type { JournalRows } from './journal-rows.js';
import { parseJournal } from './parse-journal.js';
import { renderJournal } from './render-journal.js';

const SHA = 'c0ffee'.repeat(7).slice(0, 40);
/** Every text that could come from outside contains this word. */
const ROWS: JournalRows = {
  repositories: [{ id: 91_001, owner: 'canary-owner', name: 'canary-repo' }],
  runs: [
    {
      ...{ id: 1, repoId: 91_001, issueNumber: 7, flow: 'bugfix', ordinal: 1, prNumber: 8, createdAt: 10 },
      ...{ status: 'blocked', hold: 'agent_blocked', end: null, title: 'canary title' },
    },
  ],
  remarks: ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z+0a1b2c3d'].map((updatedAt, index) => ({
    ...{
      repoId: 91_001,
      eventKey: `8:review:91002:${updatedAt}`,
      thread: 8,
      kind: 'review',
      commentId: 91_002,
    },
    ...{ updatedAt, createdAt: '2026-01-02T03:04:00Z', author: 'canary-author', inReplyToId: 91_003 },
    ...{
      body: 'canary text for @canary-friend, see canary-owner',
      reviewId: 91_004,
      reviewState: 'commented',
    },
    ...{ turnKey: SHA, skip: index === 0 ? 'edited' : null, seenAt: 20 + index, processedAt: null },
  })),
  turns: [
    {
      ...{ turnKey: SHA, repoId: 91_001, runId: 1, kind: 'bugfix_start', issueNumber: 7, prNumber: null },
      ...{ state: 'blocked', reason: 'canary reason', attempts: 2, crashes: 1, agentFailures: 0 },
      ...{ infrastructureFailures: 0, openedAt: 11, endedAt: 30 },
    },
  ],
  actions: [
    {
      ...{ repoId: 91_001, turnKey: SHA, thread: 7, kind: 'wait_comment', state: 'refused', sends: 2 },
      ...{ end: 'refused', createdAt: 12, updatedAt: 13 },
    },
  ],
  events: [
    {
      ...{ type: 'turn_failed', repoId: 91_001, issueNumber: 7, prNumber: null, turnKey: SHA, createdAt: 14 },
      eventKey: '8:review:91002:2026-01-02T03:04:05Z',
      payload: JSON.stringify({
        ...{ kind: 'bugfix_start', cause: 'crash', attempt: 2, done: false, comment_id: 91_002 },
        ...{ reason: 'canary reason', by: 'canary-operator', code: 'Canary code', nested: { a: 'canary' } },
      }),
    },
  ],
};
const OPTIONS = {
  now: 99,
  withTexts: false,
  withLogins: false,
  logins: ['canary-allowed'],
  redact: createRedact([]),
};
const build = (options: Partial<typeof OPTIONS> = {}) =>
  renderJournal(buildJournal(ROWS, { ...OPTIONS, ...options }));

describe('a journal', () => {
  it('contains no text, login, repository, commit or id of GitHub by default', () => {
    const text = build();
    expect(text).not.toMatch(/canary|c0ffee|9100/i);
    expect(text).toContain('"author":"person-1"');
  });

  it('lists everything in the order of its time', () => {
    const { entries } = parseJournal(build(), 'x');
    expect(entries.map(({ kind, at }) => `${at} ${kind}`)).toEqual([
      '10 run',
      '11 turn',
      '12 action',
      '14 event',
      '20 comment',
      '21 comment',
    ]);
  });

  it('distinguishes the versions of a comment, and links them to their turn, replies and events', () => {
    const { entries } = parseJournal(build(), 'x');
    const [first, second] = entries.filter(({ kind }) => kind === 'comment');
    expect(first).toMatchObject({ comment: 'comment-1', version: 1, skip: 'edited', turn: 'turn-1' });
    expect(second).toMatchObject({ comment: 'comment-1', version: 2, skip: null, reply_to: 'comment-2' });
    expect(entries.find(({ kind }) => kind === 'event')).toMatchObject({
      comment: 'comment-1',
      turn: 'turn-1',
      facts: { kind: 'bugfix_start', cause: 'crash', attempt: 2, done: false },
    });
  });

  it('contains comment texts only on request, without secrets or logins', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const rows = { ...ROWS, runs: ROWS.runs.map((run) => ({ ...run, title: `Token ${token}` })) };
    const text = renderJournal(
      buildJournal(rows, { ...OPTIONS, withTexts: true, redact: createRedact([token]) }),
    );
    expect(text).not.toContain(token);
    expect(text).not.toMatch(/canary-(?:owner|author|friend|operator|allowed)/);
    expect(text).toMatch(/canary text for @person-\d+, see person-\d+/);
    expect(text).toContain('canary reason');
  });

  it('contains logins only on request', () => {
    expect(build({ withLogins: true })).toContain('"author":"canary-author"');
  });
});
