import { findLost } from './read-lost-workers.js';

const SECOND = 1_000;
const change = (isLoss: 0 | 1) => (id: string, at: number) => ({
  ...{ id, host: id.split(/[@-]/)[1] ?? '', pid: 1, at: at * SECOND, isLoss },
});
const started = change(0);
const gone = change(1);

describe('findLost', () => {
  it.each<[string, Parameters<typeof findLost>[0], string[]]>([
    ['a worker that stopped responding', [started('w@box-1', 0), gone('w@box-1', 60)], ['w@box-1']],
    ['a worker whose start was long ago', [gone('w@box-1', 60)], ['w@box-1']],
    ['no worker after a restart', [gone('w@box-1', 60), started('w@box-2', 70)], []],
    ['no worker whose restart was noticed first', [started('w@box-2', 50), gone('w@box-1', 60)], []],
    ['a worker despite an earlier start', [started('w@box-2', 0), gone('w@box-1', 60)], ['w@box-1']],
    [
      'a worker that crashed right after its start',
      [started('w@box-1', 50), gone('w@box-1', 60)],
      ['w@box-1'],
    ],
    ['no worker that only the poller missed', [gone('w@box-1', 60), started('w@box-1', 61)], []],
    ['a worker on another host', [gone('w@box-1', 60), started('w@two-1', 61)], ['w@box-1']],
    ['a worker with another key', [gone('w@box-1', 60), started('v@box-1', 61)], ['w@box-1']],
    [
      'one of two workers after one restart',
      [gone('w@box-1', 60), gone('w@box-2', 60), started('w@box-3', 70)],
      ['w@box-2'],
    ],
    [
      'one of two workers if one restart was noticed first',
      [started('w@box-3', 50), gone('w@box-1', 60), gone('w@box-2', 60)],
      ['w@box-2'],
    ],
  ])('finds %s', (_what, changes, ids) => {
    expect(findLost(changes).map(({ id }) => id)).toEqual(ids);
  });
});
