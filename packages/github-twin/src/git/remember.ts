/**
 * Answers about commits never change, so they are kept by sha; that there is none may change with the next push.
 * Bounded: the oldest answer is forgotten first. Promises are kept, so that a hundred simultaneous askers start one git.
 */
export function createMemory<Value>(limit: number) {
  const known = new Map<string, Promise<Value>>();
  return (key: string, compute: () => Promise<Value>): Promise<Value> => {
    const kept = known.get(key);
    if (kept) return kept;
    const fresh = compute();
    known.set(key, fresh);
    const forget = () => known.delete(key);
    fresh.then((value) => value === undefined && forget(), forget);
    const [oldest] = known.keys();
    if (known.size > limit && oldest !== undefined) known.delete(oldest);
    return fresh;
  };
}
