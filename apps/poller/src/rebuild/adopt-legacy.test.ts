import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import { openState, Sqlite } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { adoptLegacyRuns } from './adopt-legacy.js';

const FIXTURE = join(import.meta.dirname, '../../../../packages/state/fixtures/first.sql');

describe('adoptLegacyRuns', () => {
  it('makes a run wait if a comment can resume it, skips other runs, and changes nothing the second time', async () => {
    const directory = createTemporaryDirectory();
    const path = join(directory.path, 'state.db');
    const old = new Sqlite(path);
    old.exec(readFileSync(FIXTURE, 'utf8'));
    old.close();
    chmodSync(path, 0o600);
    const state = openState(path);
    try {
      const tools = { state, now: () => 5, log: silentLog };
      expect(adoptLegacyRuns(tools)).toBe(2);
      expect(adoptLegacyRuns(tools)).toBe(0);
      const runs = state.listRuns(7, ['failed', 'awaiting_issue_followup', 'merged']);
      expect(runs.map(({ issueNumber, status }) => [issueNumber, status])).toEqual([
        [11, 'awaiting_issue_followup'],
        [12, 'awaiting_issue_followup'],
        [13, 'failed'],
        [14, 'failed'],
        [15, 'merged'],
      ]);
      expect(state.readFollowup(7, 11)).toMatchObject({
        flow: 'bugfix',
        branch: 'agent/bugfix/11-login',
        waitingReason: 'agent blocked: which database is meant?',
        context: { waitKind: 'legacy', checkpoint: null },
      });
      expect(state.readFollowup(7, 13)).toBeUndefined();
    } finally {
      state.close();
      directory.remove();
    }
  });
});
