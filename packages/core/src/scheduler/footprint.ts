import { compileTouchPath, mayOverlap, type TouchPath } from './glob.js';

/** `packages/api` is a module, as far as paths can tell. */
const MODULE_SEGMENTS = 2;

/** What one piece of work touches, by module: most pairs are told apart without comparing their paths. */
export type Footprint = { count: number; modules: readonly Module[] };

type Module = { path: TouchPath; touched: readonly TouchPath[] };

/** The paths of either side that meet a path of the other, and the modules of the first where both work. */
export type Meeting = {
  modules: ReadonlySet<TouchPath>;
  first: ReadonlySet<TouchPath>;
  second: ReadonlySet<TouchPath>;
};

export function buildFootprint(paths: readonly string[]): Footprint {
  const all = new Map(paths.map(compileTouchPath).map((path) => [path.text, path]));
  const modules = new Map<string, { path: TouchPath; touched: TouchPath[] }>();
  for (const touched of all.values()) {
    const path = compileTouchPath(touched.text.split('/', MODULE_SEGMENTS).join('/'));
    const module = modules.get(path.text);
    if (module === undefined) modules.set(path.text, { path, touched: [touched] });
    else module.touched.push(touched);
  }
  return { count: all.size, modules: [...modules.values()] };
}

/** Null where they do not even share a module, which is by far the most frequent answer. */
export function compareFootprints(first: Footprint, second: Footprint): Meeting | null {
  let meeting: { modules: Set<TouchPath>; first: Set<TouchPath>; second: Set<TouchPath> } | null = null;
  for (const mine of first.modules) {
    for (const theirs of second.modules) {
      if (!mayOverlap(mine.path, theirs.path)) continue;
      meeting ??= { modules: new Set(), first: new Set(), second: new Set() };
      meeting.modules.add(mine.path);
      for (const a of mine.touched) {
        for (const b of theirs.touched) {
          if (!mayOverlap(a, b)) continue;
          meeting.first.add(a);
          meeting.second.add(b);
        }
      }
    }
  }
  return meeting;
}
