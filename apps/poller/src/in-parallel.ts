/** Maximum number of requests at the same time, well below GitHub's limit of 100. */
const WIDTH = 4;

/**
 * Runs work on all items, a few at a time. After an error, starts no further work, and throws once running
 * work ends.
 */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items];
  const errors: unknown[] = [];
  const run = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined && errors.length === 0; item = left.shift())
      await work(item).catch((error: unknown) => errors.push(error));
  };
  await Promise.all(Array.from({ length: WIDTH }, run));
  if (errors.length > 0) throw errors[0];
}

/** Starts a read whose result is needed later. An error is thrown only where the result is awaited. */
export function startEarly<T>(work: () => Promise<T>): Promise<T> {
  const result = work();
  result.catch(() => {});
  return result;
}
