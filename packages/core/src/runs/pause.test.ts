import { ALL, describePause, findPause, type Pause } from './pause.js';

const pause = (repoId: number, issueNumber: number): Pause => ({
  repoId,
  issueNumber,
  since: 1,
  by: 'cli',
  reason: null,
});

describe('findPause', () => {
  it.each<[string, Pause[], { repoId: number; issueNumber: number | null }, Pause | undefined]>([
    ['no pause', [], { repoId: 1, issueNumber: 7 }, undefined],
    ['another issue', [pause(1, 8)], { repoId: 1, issueNumber: 7 }, undefined],
    ['the same number in another repository', [pause(2, 7)], { repoId: 1, issueNumber: 7 }, undefined],
    ['the issue', [pause(1, 7)], { repoId: 1, issueNumber: 7 }, pause(1, 7)],
    ['the repository', [pause(1, ALL)], { repoId: 1, issueNumber: 7 }, pause(1, ALL)],
    ['another repository', [pause(2, ALL)], { repoId: 1, issueNumber: 7 }, undefined],
    ['all work', [pause(ALL, ALL)], { repoId: 1, issueNumber: null }, pause(ALL, ALL)],
    ['an issue, for a turn without one', [pause(1, 7)], { repoId: 1, issueNumber: null }, undefined],
    [
      'the widest scope of several',
      [pause(1, 7), pause(1, ALL), pause(ALL, ALL)],
      { repoId: 1, issueNumber: 7 },
      pause(ALL, ALL),
    ],
  ])('finds %s', (_name, pauses, place, expected) => {
    expect(findPause(pauses, place)).toEqual(expected);
  });
});

describe('describePause', () => {
  it('names the scope, the person and the reason', () => {
    expect(describePause(pause(ALL, ALL))).toBe('an operator to resume all work (paused by cli)');
    expect(describePause(pause(1, ALL))).toBe('an operator to resume the repository (paused by cli)');
    expect(describePause({ ...pause(1, 7), by: 'ada', reason: 'release day' })).toBe(
      'an operator to resume the issue (paused by ada: release day)',
    );
  });
});
