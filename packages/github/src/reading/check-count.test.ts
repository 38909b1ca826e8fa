import { createCountCheck } from './check-count.js';

describe('a list that is shorter than its count', () => {
  let clock = 0;
  let check = createCountCheck(() => clock);
  beforeEach(() => {
    check = createCountCheck(() => clock);
  });
  const read = (listed: number, counted: number) => () => check('comments of a/b#1', listed, counted);

  it('is read again while it may catch up, and accepted after ten minutes', () => {
    expect(read(2, 3)).toThrow('GitHub lists 2 of 3 comments of a/b#1. MergeXO reads the list again.');
    clock += 599_000;
    expect(read(2, 3)).toThrow();
    clock += 1_000;
    expect(read(2, 3)).not.toThrow();
  });

  it('is read again for the full time when another number of comments is missing', () => {
    expect(read(2, 4)).toThrow();
    clock += 300_000;
    expect(read(3, 4)).toThrow();
    clock += 599_000;
    expect(read(3, 4)).toThrow();
    expect(read(4, 4)).not.toThrow();
    expect(read(3, 4)).toThrow();
  });

  it('is accepted after ten minutes even if people keep commenting', () => {
    for (let comments = 10; comments < 13; comments += 1) {
      expect(read(comments - 1, comments)).toThrow();
      clock += 200_000;
    }
    expect(read(12, 13)).not.toThrow();
    expect(read(20, 21)).not.toThrow();
    expect(read(20, 22)).toThrow();
    expect(read(21, 22)).not.toThrow();
  });

  it('is accepted after ten minutes even if somebody posts one hidden comment per minute', () => {
    for (let minute = 0; minute < 10; minute += 1) {
      expect(read(3, 4 + minute)).toThrow();
      clock += 60_000;
    }
    expect(read(3, 13)).not.toThrow();
    expect(read(3, 13)).not.toThrow();
    expect(read(3, 14)).toThrow();
  });

  it('is read again for the full time after it has caught up', () => {
    expect(read(2, 3)).toThrow();
    clock += 600_000;
    expect(read(2, 3)).not.toThrow();
    expect(read(2, 4)).toThrow();
    expect(read(3, 4)).not.toThrow();
    clock += 600_000;
    expect(read(3, 5)).toThrow();
  });
});
