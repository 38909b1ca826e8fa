import { Failure } from '@mergexo/core/basics';
import { createLimitedMap } from './limited-map.js';

export type Stamped = { number: number; updatedAt: string };

export type Freshness = {
  /** True if GitHub has already returned a newer version of this issue or pull request. */
  isOutdated(repo: string, object: Stamped): boolean;
  /** Records the version, which makes older ones outdated. True if this version is newer than all earlier ones. */
  note(repo: string, object: Stamped): boolean;
  /** Returns the object and records its version. Throws if the object is outdated. */
  check<T extends Stamped>(repo: string, object: T): T;
};

const MAX_OBJECTS = 5_000;

/**
 * Remembers the newest version of each issue and pull request. GitHub's servers lag independently, so a later
 * response may contain an older version. MergeXO rejects an outdated version and reads it again later.
 */
export function createFreshness(): Freshness {
  const newest = createLimitedMap<string>(MAX_OBJECTS);
  const keyOf = (repo: string, { number }: Stamped): string => `${repo}#${number}`;
  const isOutdated: Freshness['isOutdated'] = (repo, object) =>
    object.updatedAt < (newest.get(keyOf(repo, object)) ?? '');
  const note: Freshness['note'] = (repo, object) => {
    const key = keyOf(repo, object);
    const isNewer = object.updatedAt > (newest.get(key) ?? '');
    if (isNewer) newest.set(key, object.updatedAt);
    return isNewer;
  };
  return {
    isOutdated,
    note,
    check(repo, object) {
      if (isOutdated(repo, object))
        throw new Failure(
          'unavailable',
          `GitHub returned an outdated version of ${keyOf(repo, object)}. MergeXO reads it again.`,
        );
      note(repo, object);
      return object;
    },
  };
}
