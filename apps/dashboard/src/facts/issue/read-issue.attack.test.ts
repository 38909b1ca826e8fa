import { join } from 'node:path';
import { createRedact, redactStrings } from '@mergexo/core/text';
import { openState, readSnapshot } from '@mergexo/state';
import { aRemark, createTemporaryDirectory } from '@mergexo/testkit';
import { readIssue } from './read-issue.js';

describe('many long comments by a stranger', () => {
  it('are cut and limited, so that redacting them does not stall the dashboard', () => {
    const directory = createTemporaryDirectory();
    try {
      const path = join(directory.path, 'state.db');
      const state = openState(path);
      state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
      const body = '\\%41\\"\\n\\u0041'.repeat(5_000);
      for (let commentId = 1; commentId <= 150; commentId += 1)
        state.recordFeedbackEvent(
          {
            repoId: 1,
            issueNumber: 7,
            remark: { ...aRemark(), kind: 'issue', commentId, thread: 7, body },
            skipReason: { code: 'not_allowed', login: 'mallory' },
          },
          1,
        );
      state.close();
      const issue = readSnapshot(path, (facts) => readIssue(facts, 'o/n', { asked: 7, all: false, now: 1 }));
      expect([issue?.comments.length, issue?.earlierComments]).toEqual([100, 50]);
      expect(Math.max(...(issue?.comments ?? []).map((comment) => comment.body.length))).toBe(5_000);
      const text = JSON.stringify(redactStrings(issue ?? {}, createRedact(['s'.repeat(40)])));
      expect(text.length).toBeLessThan(2_000_000);
    } finally {
      directory.remove();
    }
  });
});
