import { createStop } from './create-stop.js';

function createScene() {
  const ends: string[] = [];
  let clock = 0;
  const stop = createStop({
    now: () => clock,
    begin: (signal) => ends.push(signal),
    abort: () => ends.push('abort'),
  });
  const at = (time: number): void => {
    clock = time;
    stop('SIGINT');
  };
  return { ends, at };
}

describe('createStop', () => {
  it.each([
    ['starts a graceful shutdown at the first signal', [5], ['SIGINT']],
    ['ignores an echo of the signal', [5, 6, 205], ['SIGINT']],
    ['aborts at a second signal', [5, 900], ['SIGINT', 'abort']],
    ['aborts at a second signal after an echo', [5, 6, 900], ['SIGINT', 'abort']],
  ])('%s', (_name, times, expected) => {
    const { ends, at } = createScene();
    for (const time of times) at(time);
    expect(ends).toEqual(expected);
  });
});
