/** Limits of one stored list. The prompt has its own budget, and offers whatever does not fit as a file. */
const MAX_COUNT = 1_000;
const MAX_CHARACTERS = 2_000_000;

/** Keeps the newest comments, which are the last. Few threads reach the limits, which protect the memory of workers. */
export function keepNewest<T extends { body: string }>(comments: readonly T[]): readonly T[] {
  let room = MAX_CHARACTERS;
  const tooMuch = comments.findLastIndex(({ body }) => {
    room -= body.length;
    return room < 0;
  });
  return comments.slice(tooMuch + 1).slice(-MAX_COUNT);
}
