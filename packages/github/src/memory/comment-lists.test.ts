import { createCommentLists } from './comment-lists.js';

const at = (id: number, second: number, body = 'x') => ({
  id,
  body,
  updatedAt: `2026-01-01T00:00:0${second}Z`,
});

describe('createCommentLists', () => {
  const T = 'o/n#1';

  it("returns the stored rows while their number equals GitHub's count", () => {
    const lists = createCommentLists();
    lists.store(T, [at(1, 1), at(2, 2)]);
    expect(lists.read(T, 2)).toEqual([at(1, 1), at(2, 2)]);
  });

  it.each([
    ['a comment was deleted', 1],
    ['a comment is missing', 3],
  ])('returns nothing if %s', (_what, count) => {
    const lists = createCommentLists();
    lists.store(T, [at(1, 1), at(2, 2)]);
    expect(lists.read(T, count)).toBeUndefined();
  });

  it('returns nothing for another head, because the rows may differ', () => {
    const lists = createCommentLists();
    lists.store(T, [at(1, 1)], 'head-1');
    expect([lists.read(T, 1, 'head-1'), lists.read(T, 1, 'head-2')]).toEqual([[at(1, 1)], undefined]);
  });

  it('needs no stored list for a thread without comments', () => {
    const lists = createCommentLists();
    expect([lists.read(T, 0), lists.read(T, 1), lists.has(T)]).toEqual([[], undefined, false]);
  });

  it('adds new rows and replaces edited ones, but never with an older version', () => {
    const lists = createCommentLists<ReturnType<typeof at>>();
    expect(lists.upsert(T, at(1, 1))).toBe(false);
    lists.store(T, [at(2, 5)]);
    expect(lists.upsert(T, at(1, 1))).toBe(true);
    expect(lists.upsert(T, at(1, 1))).toBe(false);
    expect(lists.upsert(T, at(1, 3, 'edited'))).toBe(true);
    expect(lists.upsert(T, at(2, 4, 'stale'))).toBe(false);
    // This edit was made in the same second as the comment.
    expect(lists.upsert(T, at(2, 5, 'edited at once'))).toBe(true);
    expect(lists.read(T, 2)).toEqual([at(1, 3, 'edited'), at(2, 5, 'edited at once')]);
  });
});
