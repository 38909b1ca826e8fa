import { getOrAdd } from './get-or-add.js';
import { compileTouchPath, cutTouchPath, mayOverlap, type TouchPath } from './glob.js';

/** `packages/api` is a module, as far as paths can tell. */
const MODULE_SEGMENTS = 2;

/** What one piece of work touches, by module. */
export type Footprint = { count: number; modules: ReadonlyMap<TouchPath, readonly TouchPath[]> };

/** Footprints of one maker share their paths as objects, so that what is known of a path is known wherever it occurs. */
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
      // A file and a directory of the same name are told apart: only one of them has something below it.
      return getOrAdd(modules, `${module.text}${module.isFile ? '' : '/'}`, () => module);
    });
  return (texts) => {
    const touched = new Set(texts.map(findPath));
    const byModule = new Map<TouchPath, TouchPath[]>();
    for (const path of touched) getOrAdd(byModule, findModule(path), () => []).push(path);
    return { count: touched.size, modules: byModule };
  };
}

/** The paths of the first that meet one of the second; where there are none, the modules. */
export function listShared(first: Footprint, second: Footprint): string[] {
  const pick = (mine: Iterable<TouchPath>, theirs: readonly TouchPath[]): string[] =>
    Array.from(mine)
      .filter((path) => theirs.some((other) => mayOverlap(path, other)))
      .map(({ text }) => text);
  const paths = pick([...first.modules.values()].flat(), [...second.modules.values()].flat());
  return paths.length > 0 ? paths : pick(first.modules.keys(), [...second.modules.keys()]);
}
