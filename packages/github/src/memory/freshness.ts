import { Failure } from '@mergexo/core/basics';
import { createLimitedMap } from './limited-map.js';

/** A version of an object. A later version of the same object has a greater `version`. */
export type Version = { of: string; version: string };

const at = (id: number): string => String(id).padStart(20, '0');

/** What orders the versions of each kind of object. */
export const versionOf = {
  issue: (repo: string, { number, updatedAt }: { number: number; updatedAt: string }): Version => ({
    of: `issue ${repo}#${number}`,
    version: updatedAt,
  }),
  pull: (repo: string, { number, updatedAt }: { number: number; updatedAt: string }): Version => ({
    of: `pull request ${repo}#${number}`,
    version: updatedAt,
  }),
  /** A rerun raises the attempt. */
  run: (repo: string, run: { id: number; attempt: number; updatedAt: string }): Version => ({
    of: `workflow run ${run.id} of ${repo}`,
    version: `${at(run.attempt)} ${run.updatedAt}`,
  }),
  /** A rerun creates another check run, and each report another status. Both have greater ids. */
  check: (repo: string, { headSha, name, id }: { headSha: string; name: string; id: number }): Version => ({
    of: `check ${name} of ${repo}@${headSha}`,
    version: at(id),
  }),
  /** Reviews have no update time, but a dismissal is final. */
  review: (repo: string, { id, state }: { id: number; state: string }): Version => ({
    of: `review ${id} of ${repo}`,
    version: state === 'dismissed' ? '1' : '0',
  }),
};

export type Freshness = {
  /** True if GitHub has already returned a newer version of this object. */
  isOutdated(version: Version): boolean;
  /** Records the version, which makes older ones outdated. True if this version is newer than all earlier ones. */
  note(version: Version): boolean;
  /** Records the version. Throws if it is outdated. */
  check(version: Version): void;
  /** Records the versions of a list's rows, and returns the rows that are not outdated. */
  dropOutdated<Row>(rows: readonly Row[], version: (row: Row) => Version): Row[];
};

const MAX_OBJECTS = 20_000;

/**
 * Remembers the newest version of each object that MergeXO has read. GitHub's servers lag independently, so a later
 * response may contain an older version. MergeXO rejects an outdated version and reads it again later.
 */
export function createFreshness(): Freshness {
  const newest = createLimitedMap<string>(MAX_OBJECTS);
  const isOutdated: Freshness['isOutdated'] = ({ of, version }) => version < (newest.get(of) ?? '');
  const note: Freshness['note'] = ({ of, version }) => {
    const isNewer = version > (newest.get(of) ?? '');
    if (isNewer) newest.set(of, version);
    return isNewer;
  };
  return {
    isOutdated,
    note,
    check(version) {
      if (isOutdated(version))
        throw new Failure(
          'unavailable',
          `GitHub returned an outdated version of ${version.of}. MergeXO reads it again.`,
        );
      note(version);
    },
    dropOutdated(rows, version) {
      const fresh = rows.filter((row) => !isOutdated(version(row)));
      for (const row of fresh) note(version(row));
      return fresh;
    },
  };
}
