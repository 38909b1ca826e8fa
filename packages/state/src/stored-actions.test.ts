import { join } from 'node:path';
import { type Action, ActionContent, computeActionId, planNotice } from '@mergexo/core/actions';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { openState, type State } from './create-state.js';
import { createOldDatabase } from './testing/create-old-database.js';

/** The last migration that stored every payload as plain text. */
const LAST_WITH_WORDS = '0011_reasons';
const SHA = 'ab12'.repeat(10);

const STORED: readonly [kind: string, words: string | null, payload: Action['payload']][] = [
  ['open_pull', null, null],
  ['general_comment', null, null],
  ['general_comment', 'Instead of a reply.', { text: 'Instead of a reply.' }],
  ['post_review', 'Without lines.', { text: 'Without lines.' }],
  ['wait_comment', 'Why?', { text: 'Why?' }],
  ['block_notice', 'Blocked: "so".', { text: 'Blocked: "so".' }],
  ['finding_reply', 'Fixed.', { text: 'Fixed.' }],
  ['review_status', null, null],
  ['review_status', SHA, { headSha: SHA }],
  ['review_failed_status', SHA, { headSha: SHA }],
  ['escalation_label', 'needs-human', { label: 'needs-human' }],
  ['escalation_unlabel', 'needs-human', { label: 'needs-human' }],
  ['review_request', 'ada', { login: 'ada' }],
  ['update_body', '["a.ts","b \\"c\\".ts"]', { drift: ['a.ts', 'b "c".ts'] }],
  ['unblock_notice', 'It is tried again.', { text: 'It is tried again.', acceptedHeadSha: null }],
  [
    'unblock_notice',
    `Unblocked. ${SHA} is the accepted head now. 1 comment waits for an answer.`,
    {
      text: `Unblocked. ${SHA} is the accepted head now. 1 comment waits for an answer.`,
      acceptedHeadSha: SHA,
    },
  ],
  [
    'unblock_notice',
    'That is the accepted head now.',
    { text: 'That is the accepted head now.', acceptedHeadSha: null },
  ],
];

describe('a database with text payloads', () => {
  const directory = createTemporaryDirectory();
  let state: State;
  beforeAll(() => {
    const path = join(directory.path, 'state.db');
    createOldDatabase(path, LAST_WITH_WORDS, (sqlite) => {
      const action = sqlite.prepare(
        `insert into actions (id, repo_id, thread, position, kind, target, state, words, created_at, updated_at)
         values (?, 1, 7, ?, ?, 'run:1', 'planned', ?, 1, 1)`,
      );
      for (const [index, [kind, words]] of STORED.entries()) action.run(String(index), index, kind, words);
    });
    state = openState(path);
  });
  afterAll(() => {
    state.close();
    directory.remove();
  });

  it.each(STORED.map(([kind, words, payload], index) => ({ index, kind, words, payload })))(
    'keeps the payload of $kind: $words',
    ({ index, kind, payload }) => {
      const stored = state.readAction(String(index));
      expect(stored).toMatchObject({ kind, payload });
      expect(ActionContent.parse({ kind, payload: stored?.payload })).toEqual({ kind, payload });
    },
  );

  it('lists all actions for the outbox', () => {
    expect(state.listUnsettledActions().map(({ id }) => Number(id))).toEqual([...STORED.keys()]);
  });

  // If the id of an action changed, an upgraded installation would post the action a second time.
  it('keeps the ids of actions', () => {
    expect(computeActionId('turn', 'review_reply', 'review:3')).toBe(
      'b5563ca7e98929911510f7c88055051862f6fc40678cef074fdafface94d9c79',
    );
    const about = { repoId: 1, runId: 9, thread: 7, cause: ['why', 3, null] };
    const notice = planNotice({ kind: 'block_notice', ...about, payload: { text: 'any' } });
    expect(notice.id).toBe('9e6e9544b0be344cbb8412ff337284d915d08dea5049a03272f75e40fa170ba9');
    expect(notice.target).toBe('run:9');
    const redirect = planNotice({ kind: 'redirect', ...about, commentId: 8, payload: { text: 'any' } });
    expect(redirect.target).toBe('run:9:comment:8');
  });
});
