import { CANARIES, CANARY_ROWS, findLeak } from '@mergexo/testkit';
import { createRedact } from '../text/secrets/redact.js';
import { buildJournal } from './build-journal.js';
import type { JournalRows } from './journal-rows.js';
import { renderJournal } from './render-journal.js';

const redact = createRedact(Object.values(CANARIES));

/** Records that are older than the secrets, with the words in every text. */
const aHistory = (words: string): JournalRows => ({
  repositories: [{ id: 1, owner: 'ada', name: 'engine' }],
  runs: [
    {
      ...{ id: 1, repoId: 1, issueNumber: 7, flow: 'bugfix', ordinal: 1, prNumber: 8, createdAt: 1 },
      ...{ status: 'blocked', hold: words, end: words, title: words },
    },
  ],
  remarks: [
    {
      ...{ repoId: 1, eventKey: 'k', thread: 8, kind: 'issue', commentId: 2, author: 'ada', body: words },
      ...{ updatedAt: words, createdAt: words, inReplyToId: null, reviewId: null, reviewState: words },
      ...{ turnKey: words, skip: words, seenAt: 2, processedAt: null },
    },
  ],
  turns: [
    {
      ...{ turnKey: words, repoId: 1, runId: 1, kind: 'bugfix_start', issueNumber: 7, prNumber: null },
      ...{ state: 'blocked', reason: words, attempts: 2, crashes: 1, agentFailures: 0 },
      ...{ infrastructureFailures: 0, openedAt: 3, endedAt: null },
    },
  ],
  actions: [],
  events: [
    {
      ...{ type: 'turn_failed', repoId: 1, issueNumber: 7, prNumber: null, turnKey: words, eventKey: words },
      ...{ createdAt: 4, payload: JSON.stringify({ reason: words, code: words, by: 'ada' }) },
    },
  ],
});

describe('a journal with texts', () => {
  it.each(CANARY_ROWS)('contains no trace of $name $encoding', ({ secret, text }) => {
    const options = { now: 9, withTexts: true, withLogins: true, logins: [], redact };
    const journal = renderJournal(buildJournal(aHistory(`I found ${text} there.`), options));
    expect(findLeak(journal, { secret, text })).toBeUndefined();
    expect(journal.split('[redacted]').length).toBeGreaterThan(5);
  });
});
