import { join } from 'node:path';
import { ActionEnd, renderSkipReason, SkipReason } from '@mergexo/core/reasons';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { openState, type State } from './create-state.js';
import type { Run } from './tables/runs.js';
import { createOldDatabase } from './testing/create-old-database.js';

/** The last migration that stored reasons as sentences. */
const LAST_WITH_SENTENCES = '0010_intake_rules';

const SKIPPED: readonly [sentence: string, reason: SkipReason][] = [
  ['it is our own', { code: 'ours' }],
  ['it is a copy of our own', { code: 'copy_of_ours' }],
  ['it is empty', { code: 'empty' }],
  ['the review was dismissed', { code: 'review_dismissed' }],
  ['it is a command', { code: 'command' }],
  ['a person had taken over', { code: 'taken_over' }],
  ['it was edited before it was answered', { code: 'edited' }],
  ['it was edited before it was acted on', { code: 'edited' }],
  ['it was deleted before it was answered', { code: 'deleted' }],
  ['it was deleted before it was acted on', { code: 'deleted' }],
  ['it has not failed any more', { code: 'check_passed' }],
  ['it was about an earlier commit', { code: 'older_commit' }],
  ['it was part of the work before', { code: 'consumed' }],
  ['it was obeyed before', { code: 'obeyed' }],
  ['it was redirected before', { code: 'redirected' }],
  ['GitHub took no redirect', { code: 'redirect_refused' }],
  ['no work on this issue is open', { code: 'no_open_work' }],
  ['the issue is gone', { code: 'issue_gone' }],
  ['retired by mergexo adopt', { code: 'retired' }],
  ['the pull request was merged', { code: 'pull_ended', status: 'merged' }],
  ['the pull request was closed', { code: 'pull_ended', status: 'closed' }],
  ['pull request #120 was closed', { code: 'issue_pull_closed', prNumber: 120 }],
  ['the review (no verdict) has no text', { code: 'review_without_text', state: null }],
  ['the review (approved) has no text', { code: 'review_without_text', state: 'approved' }],
  ['the review (changes_requested) has no text', { code: 'review_without_text', state: 'changes_requested' }],
  ['lint[bot] is a bot', { code: 'bot', login: 'lint[bot]' }],
  ['mallory is not in allowed_users', { code: 'not_allowed', login: 'mallory' }],
  ["somebody said: 'no'", { code: 'legacy', text: "somebody said: 'no'" }],
];

const ENDED: readonly [state: string, error: string, end: ActionEnd][] = [
  ['tombstone', 'edited', { code: 'edited' }],
  ['tombstone', 'deleted', { code: 'deleted' }],
  ['tombstone', 'retired by mergexo adopt', { code: 'retired' }],
  ['refused', 'not sent: it was unblocked', { code: 'unblocked' }],
  ['refused', 'not sent: it was reopened', { code: 'reopened' }],
  ['refused', 'not sent: a person took it over', { code: 'taken_over' }],
  ['refused', 'not sent: the pull request was closed', { code: 'pull_ended', status: 'closed' }],
  ['refused', 'not sent: the pull request was merged', { code: 'pull_ended', status: 'merged' }],
  ['refused', 'not sent: the turn is superseded', { code: 'turn_ended', state: 'superseded' }],
  ['refused', '422 deleted', { code: 'refused', text: '422 deleted' }],
];

type OldRun = [status: string, kind: string | null, error: string | null];
const RUNS: readonly [...OldRun, expected: Partial<Run>][] = [
  ['closed', 'issue_closed', null, { endedKind: 'issue_closed', blockedKind: null }],
  ['closed', 'takeover', null, { endedKind: 'takeover', blockedKind: null }],
  ['closed', 'author_removed', null, { endedKind: 'author_removed', blockedKind: null }],
  ['closed', 'implemented_by_hand', null, { endedKind: 'implemented_by_hand', blockedKind: null }],
  ['closed', null, 'retired by mergexo adopt', { endedKind: 'retired', error: null }],
  ['closed', 'history_rewritten', 'why', { endedKind: null, blockedKind: 'history_rewritten', error: 'why' }],
  ['ready', 'max_open_runs', 'full', { endedKind: null, blockedKind: 'max_open_runs', error: 'full' }],
];

describe('a database with reasons as sentences', () => {
  const directory = createTemporaryDirectory();
  let state: State;
  beforeAll(() => {
    const path = join(directory.path, 'state.db');
    createOldDatabase(path, LAST_WITH_SENTENCES, (sqlite) => {
      const event = sqlite.prepare(
        `insert into feedback_events (repo_id, event_key, pr_number, issue_number, kind, comment_id, updated_at, payload_json, skip_reason, seen_at, created_at, processed_at)
         values (1, ?, 7, 5, 'issue', ?, '', '{}', ?, 1, 1, 1)`,
      );
      for (const [index, [sentence]] of SKIPPED.entries()) event.run(`7:issue:${index}:`, index, sentence);
      event.run('7:issue:99:', 99, null);
      const action = sqlite.prepare(
        `insert into actions (id, repo_id, thread, position, kind, target, state, error, words, created_at, updated_at)
         values (?, 1, 7, 0, 'redirect', 'run:1', ?, ?, 'There.', 1, 1)`,
      );
      for (const [index, [end, error]] of ENDED.entries()) action.run(String(index), end, error);
      action.run('sent', 'settled', null);
      const run = sqlite.prepare(
        `insert into issue_runs (id, repo_id, issue_number, flow, status, blocked_kind, error, created_at, updated_at)
         values (?, 1, ?, 'bugfix', ?, ?, ?, 1, 1)`,
      );
      for (const [index, [status, kind, error]] of RUNS.entries())
        run.run(index + 1, index + 1, status, kind, error);
    });
    state = openState(path);
  });
  afterAll(() => {
    state.close();
    directory.remove();
  });

  it.each(SKIPPED.map(([sentence, reason], index) => ({ index, sentence, reason })))(
    'returns why a comment was skipped: $sentence',
    ({ index, reason }) => {
      const stored = state.readFeedbackEvent(1, `7:issue:${index}:`)?.skipReason;
      expect(stored).toEqual(reason);
      expect(SkipReason.parse(stored)).toEqual(reason);
      expect(renderSkipReason(reason)).not.toBe('');
    },
  );

  it.each(ENDED.map(([, error, end], index) => ({ index, error, end })))(
    'returns why an action ended: $error',
    ({ index, end }) => {
      const stored = state.readAction(String(index))?.error;
      expect(stored).toEqual(end);
      expect(ActionEnd.parse(stored)).toEqual(end);
    },
  );

  it.each(RUNS.map(([status, kind, , expected], index) => ({ id: index + 1, status, kind, expected })))(
    'derives how a run ended from its status and wait: $status $kind',
    ({ id, expected }) => {
      expect(state.readRun(id)).toMatchObject(expected);
    },
  );

  it('clears the end of a reopened run', () => {
    const run = state.readRun(1);
    if (run === undefined) throw new Error('no run');
    state.saveRun({ ...run, status: 'ready' }, 2);
    expect(state.readRun(1)).toMatchObject({ status: 'ready', endedKind: null });
  });

  it('adds no reason to rows without one', () => {
    expect(state.readFeedbackEvent(1, '7:issue:99:')?.skipReason).toBeNull();
    expect(state.readAction('sent')?.error).toBeNull();
  });

  it('revives the comments that were skipped for the given reason, and no others', () => {
    state.reviveEvents(1, 7, { code: 'issue_pull_closed', prNumber: 12 });
    state.reviveEvents(1, 7, { code: 'pull_ended', status: 'closed' });
    const waiting = state.listUnclaimedEvents(1, 7).map(({ commentId }) => SKIPPED[commentId]?.[0]);
    expect(waiting).toEqual(['the pull request was closed']);
  });
});
