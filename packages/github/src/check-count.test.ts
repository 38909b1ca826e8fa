import { createCountCheck } from './check-count.js';

describe('a list that is shorter than its count', () => {
  let clock = 0;
  const check = createCountCheck(() => clock);
  const read = (listed: number, counted: number) => () => check('comments of a/b#1', listed, counted);

  it('is read again while it may catch up, and taken as it is once it never does', () => {
    expect(read(2, 3)).toThrow('GitHub lists 2 of 3 comments of a/b#1. It is read again.');
    clock += 599_000;
    expect(read(2, 3)).toThrow();
    clock += 1_000;
    expect(read(2, 3)).not.toThrow();
  });

  it('has all its time again when anything about it changes', () => {
    expect(read(2, 4)).toThrow();
    clock += 300_000;
    expect(read(3, 4)).toThrow();
    clock += 599_000;
    expect(read(3, 4)).toThrow();
    expect(read(4, 4)).not.toThrow();
    expect(read(3, 4)).toThrow();
  });
});
