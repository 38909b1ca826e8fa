import { aTurn } from '@mergexo/testkit';
import { chooseTurns } from './choose-turns.js';
import type { Turn } from './turn.js';

const make = (turnKey: string, repoId: number, prNumber: number | null): Turn =>
  aTurn({
    turnKey,
    repoId,
    prNumber,
    kind: prNumber === null ? 'bugfix_start' : 'implementation_feedback',
    state: 'open',
  });
const keys = (turns: readonly Turn[]) => turns.map(({ turnKey }) => turnKey).join(' ');

describe('chooseTurns', () => {
  const open = [
    make('a1', 1, 11),
    make('a2', 1, 12),
    make('a3', 1, 13),
    make('b1', 2, 21),
    make('s1', 1, null),
    make('s2', 1, null),
  ];

  it('queues all turns while there is room', () => {
    expect(keys(chooseTurns(open, { carried: [], begun: [], maxQueuedFeedback: 20 }))).toBe(
      'a1 a2 a3 b1 s1 s2',
    );
  });

  it('keeps feedback beyond the limit open, counts queued turns, and shares the remaining capacity between repositories', () => {
    const carried = [make('x', 1, 99), make('y', 1, null)];
    expect(keys(chooseTurns(open, { carried, begun: [], maxQueuedFeedback: 3 }))).toBe('a1 b1 s1 s2');
    expect(keys(chooseTurns(open, { carried, begun: [], maxQueuedFeedback: 1 }))).toBe('s1 s2');
  });
});
