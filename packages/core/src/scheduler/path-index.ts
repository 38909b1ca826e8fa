import type { Footprint } from './footprint.js';
import { getOrAdd } from './get-or-add.js';
import { mayOverlap, type TouchPath } from './glob.js';

/** Work that shares a module with the given footprint. */
export type Encounter<Work> = {
  work: Work;
  /** Number of paths on each side that overlap the other side. */
  mine: number;
  theirs: number;
};

type Tally<Work> = Encounter<Work> & { query: number; lastPath: TouchPath | null };
type Place<Work> = { tallies: Tally<Work>[]; paths: Map<TouchPath, Tally<Work>[]> };

/**
 * Finds the work that shares a module with a footprint. Compares each pair of distinct paths only once, because the
 * same paths often occur in several pieces of work.
 */
export function createPathIndex<Work extends { footprint: Footprint }>(works: readonly Work[]) {
  const places = buildPlaces(works);
  const modulesNear = new Map<TouchPath, Place<Work>[]>();
  const pathsNear = new Map<TouchPath, [TouchPath, Tally<Work>[]][]>();
  const findModules = (module: TouchPath): Place<Work>[] =>
    getOrAdd(modulesNear, module, () =>
      [...places].filter(([other]) => mayOverlap(module, other)).map(([, place]) => place),
    );
  const findPaths = (path: TouchPath, module: TouchPath): [TouchPath, Tally<Work>[]][] =>
    getOrAdd(pathsNear, path, () =>
      findModules(module).flatMap(({ paths }) => [...paths].filter(([other]) => mayOverlap(path, other))),
    );
  let query = 0;

  return {
    /** The result is valid until the next call, which reuses the counters. */
    findEncounters({ modules }: Footprint): readonly Encounter<Work>[] {
      query += 1;
      const met: Tally<Work>[] = [];
      const counted = new Set<TouchPath>();
      for (const [module, paths] of modules) {
        for (const { tallies } of findModules(module)) {
          for (const tally of tallies) {
            if (tally.query !== query) met.push(restart(tally, query));
          }
        }
        for (const path of paths) {
          for (const [other, tallies] of findPaths(path, module)) {
            const isNew = !counted.has(other);
            counted.add(other);
            for (const tally of tallies) count(tally, path, isNew);
          }
        }
      }
      return met;
    },
  };
}

function restart<Work>(tally: Tally<Work>, query: number): Tally<Work> {
  tally.query = query;
  tally.mine = 0;
  tally.theirs = 0;
  tally.lastPath = null;
  return tally;
}

function count(tally: Tally<unknown>, path: TouchPath, isNew: boolean): void {
  if (isNew) tally.theirs += 1;
  if (tally.lastPath !== path) tally.mine += 1;
  tally.lastPath = path;
}

function buildPlaces<Work extends { footprint: Footprint }>(
  works: readonly Work[],
): Map<TouchPath, Place<Work>> {
  const places = new Map<TouchPath, Place<Work>>();
  for (const work of works) {
    const tally: Tally<Work> = { work, mine: 0, theirs: 0, query: 0, lastPath: null };
    for (const [module, paths] of work.footprint.modules) {
      const place = getOrAdd(places, module, () => ({ tallies: [], paths: new Map() }));
      place.tallies.push(tally);
      for (const path of paths) getOrAdd(place.paths, path, () => []).push(tally);
    }
  }
  return places;
}
