import { getOrAdd } from './get-or-add.js';
import { compileTouchPath, cutTouchPath, mayOverlap, type TouchPath } from './glob.js';

/** Number of leading path segments that form a module, such as `packages/api`. */
const MODULE_SEGMENTS = 2;

/** The paths of one piece of work, grouped by module. */
export type Footprint = { count: number; modules: ReadonlyMap<TouchPath, readonly TouchPath[]> };

/**
 * Creates a function that builds footprints. These footprints share path objects, so that each comparison of
 * two paths is cached for all of them.
 */
export function createFootprintMaker(): (paths: readonly string[]) => Footprint {
  const spellings = new Map<string, TouchPath>();
  const paths = new Map<string, TouchPath>();
  const modules = new Map<string, TouchPath>();
  const moduleOf = new Map<TouchPath, TouchPath>();
  const findPath = (spelling: string): TouchPath =>
    getOrAdd(spellings, spelling, () => {
      const path = compileTouchPath(spelling);
      return getOrAdd(paths, path.text, () => path);
    });
  const findModule = (path: TouchPath): TouchPath =>
    getOrAdd(moduleOf, path, () => {
      const module = cutTouchPath(path, MODULE_SEGMENTS);
      // Keeps a file and a directory of the same name apart, because only the directory contains paths.
      return getOrAdd(modules, `${module.text}${module.isFile ? '' : '/'}`, () => module);
    });
  return (texts) => {
    const touched = new Set(texts.map(findPath));
    const byModule = new Map<TouchPath, TouchPath[]>();
    for (const path of touched) getOrAdd(byModule, findModule(path), () => []).push(path);
    return { count: touched.size, modules: byModule };
  };
}

/**
 * Returns the paths of the first footprint that overlap the second. If no paths overlap, returns the shared modules.
 */
export function listShared(first: Footprint, second: Footprint): string[] {
  const pick = (mine: Iterable<TouchPath>, theirs: readonly TouchPath[]): string[] =>
    Array.from(mine)
      .filter((path) => theirs.some((other) => mayOverlap(path, other)))
      .map(({ text }) => text);
  const paths = pick([...first.modules.values()].flat(), [...second.modules.values()].flat());
  return paths.length > 0 ? paths : pick(first.modules.keys(), [...second.modules.keys()]);
}
