import { explainFaults } from './explain-faults.js';

const reason = 'it still has conflict markers';
const startSha = 'a'.repeat(40);

describe('explainFaults', () => {
  it('explains faults to the agent file by file, and to people as a list', () => {
    const files = [{ path: 'src/a.ts', reason }];
    const merging = explainFaults({ kind: 'unresolved', files }, { startSha, mergedBranch: 'main' });
    expect(merging.complaints).toEqual([
      'src/a.ts: it still has conflict markers; resolve the conflict in the file, do not commit',
    ]);
    expect(merging.reason.split('\n')).toEqual([
      'The agent did not resolve the conflicts with main. Nothing was pushed.',
      '',
      '- src/a.ts: it still has conflict markers',
    ]);
    const alone = explainFaults({ kind: 'unresolved', files }, { startSha, mergedBranch: null });
    expect(alone.complaints[0]).toContain('git merge --abort');
  });

  it('tells the agent how to undo an unrelated merge, and tells people what happened', () => {
    const files = [{ path: 'commit abc', reason: 'it merges a history' }];
    const { complaints, reason: explanation } = explainFaults(
      { kind: 'unrelated', files },
      { startSha, mergedBranch: null },
    );
    expect(complaints[0]).toContain(`git reset --soft ${startSha}`);
    expect(explanation).toContain('Nothing was pushed.\n\n- commit abc: it merges a history');
  });

  it('keeps the explanation short enough for a notice, however many and long the file names are', () => {
    const files = Array.from({ length: 500 }, (_, index) => ({
      path: `${index}\n- x\u202e${'y'.repeat(9_000)}`,
      reason: `it is a link to ${'/z'.repeat(9_000)}`,
    }));
    const { reason: explanation, complaints } = explainFaults(
      { kind: 'escaping', files },
      { startSha, mergedBranch: null },
    );
    const lines = explanation.split('\n');
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe('and 490 more files');
    expect(lines.every((line) => line.length < 300 && !line.includes('\u202e'))).toBe(true);
    expect(complaints).toHaveLength(11);
  });
});
