import { describeUnresolved, explainUnresolved } from './explain-unresolved.js';

const reason = 'it still has conflict markers';

describe('conflicts that are left', () => {
  it('are told to the agent file by file, and to people as a list', () => {
    const files = [{ path: 'src/a.ts', reason }];
    expect(explainUnresolved(files)).toEqual([
      'src/a.ts: it still has conflict markers; resolve the conflict in the file, do not commit',
    ]);
    expect(describeUnresolved(files, 'main').split('\n').at(-1)).toBe(
      '- src/a.ts: it still has conflict markers',
    );
  });

  it('fit into a notice, however many there are and whatever they are called', () => {
    const files = Array.from({ length: 500 }, (_, index) => ({
      path: `${index}\n- x\u202e${'y'.repeat(9_000)}`,
      reason,
    }));
    const lines = describeUnresolved(files, 'main').split('\n');
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe('and 490 more files');
    expect(lines.every((line) => line.length < 200 && !line.includes('\u202e'))).toBe(true);
    expect(explainUnresolved(files)).toHaveLength(11);
  });
});
