import { explainFaults } from './explain-faults.js';

const reason = 'it still has conflict markers';
const startSha = 'a'.repeat(40);

describe('work that must not be pushed', () => {
  it('is explained to the agent file by file, and to people as a list', () => {
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

  it('explains to the agent how to undo an unrelated history, and to people what happened', () => {
    const files = [{ path: 'commit abc', reason: 'it merges a history' }];
    const { complaints, reason: told } = explainFaults(
      { kind: 'unrelated', files },
      { startSha, mergedBranch: null },
    );
    expect(complaints[0]).toContain(`git reset --soft ${startSha}`);
    expect(told).toContain('Nothing was pushed.\n\n- commit abc: it merges a history');
  });

  it('fits into a notice with any number of files and any length of names', () => {
    const files = Array.from({ length: 500 }, (_, index) => ({
      path: `${index}\n- x\u202e${'y'.repeat(9_000)}`,
      reason: `it is a link to ${'/z'.repeat(9_000)}`,
    }));
    const { reason: told, complaints } = explainFaults(
      { kind: 'escaping', files },
      { startSha, mergedBranch: null },
    );
    const lines = told.split('\n');
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe('and 490 more files');
    expect(lines.every((line) => line.length < 300 && !line.includes('\u202e'))).toBe(true);
    expect(complaints).toHaveLength(11);
  });
});
