import { aTurn } from '@mergexo/testkit';
import { orderTurns } from './order-turns.js';
import type { Turn } from './turn.js';
import type { TurnKind } from './turn-kind.js';

const KINDS: Record<string, TurnKind> = { f: 'design_feedback', r: 'review', s: 'bugfix_start' };

/** Makes turns from their names: `f1 s2` is feedback in repository 1 and a start in repository 2. */
const make = (names: string): Turn[] =>
  names.split(' ').flatMap((name) => {
    const kind = KINDS[name[0] ?? ''];
    return kind === undefined ? [] : [aTurn({ kind, repoId: Number(name[1]), turnKey: name })];
  });
const order = (waiting: string, begun = ''): string =>
  orderTurns(make(waiting), make(begun))
    .map(({ turnKey }) => turnKey)
    .join(' ');

describe('orderTurns', () => {
  it.each([
    ['puts feedback before older starts', 's1 s1a s1b f1', '', 'f1 s1 s1a s1b'],
    ['lets repositories take turns', 's1 s1a s1b s2 s2a', '', 's1 s2 s1a s2a s1b'],
    ['puts the repository that a worker just served last', 's1 s1a s2', 's1', 's2 s1 s1a'],
    ['alternates reviews and starts', 's1 s1a r1 r1a', 's1', 'r1 s1 r1a s1a'],
    [
      'puts one piece of other work after four feedback turns in a row',
      'f1 f1a f1b f1c f1d s1',
      '',
      'f1 f1a f1b f1c s1 f1d',
    ],
    ['counts feedback turns that workers have already begun', 'f1 s1', 'f1 f1 f2 f1', 's1 f1'],
    ['never delays feedback if no other work waits', 'f1 f1a', 'f1 f1 f1 f1', 'f1 f1a'],
    ['compares repositories by their last turn of the same kind', 'f1 f2 s1', 'f2 s1', 'f1 f2 s1'],
  ])('%s', (_title, waiting, begun, expected) => {
    expect(order(waiting, begun)).toBe(expected);
  });

  it('puts frozen plans first, because they only need a push', () => {
    const [start, frozen] = [...make('f1'), { ...aTurn({ turnKey: 'frozen' }), planDigest: 'd' }];
    const turns = [start, frozen].filter((turn) => turn !== undefined);
    expect(orderTurns(turns, []).map(({ turnKey }) => turnKey)).toEqual(['frozen', 'f1']);
  });

  it('keeps the order when turns begin one after another', () => {
    const [waiting, begun] = [make('s1 s1a s2 f1 f1a f2 f2a f1b r1 r2 r2a'), make('r1 f1 s2')];
    const planned = orderTurns(waiting, begun);
    planned.forEach((_turn, i) => {
      const left = waiting.filter((turn) => !planned.slice(0, i).includes(turn));
      expect(orderTurns(left, [...begun, ...planned.slice(0, i)])).toEqual(planned.slice(i));
    });
  });
});
