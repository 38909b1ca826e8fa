import fc from 'fast-check';
import { createFootprintMaker, type Footprint, listShared } from './footprint.js';
import { mayOverlap, type TouchPath } from './glob.js';
import { createPathIndex } from './path-index.js';

const pathsOf = ({ modules }: Footprint): TouchPath[] => [...modules.values()].flat();

function countSlowly(a: Footprint, b: Footprint) {
  const meets = (path: TouchPath, others: Iterable<TouchPath>): boolean =>
    Array.from(others).some((other) => mayOverlap(path, other));
  return {
    isNear: [...a.modules.keys()].some((module) => meets(module, b.modules.keys())),
    mine: pathsOf(a).filter((path) => meets(path, pathsOf(b))).length,
    theirs: pathsOf(b).filter((path) => meets(path, pathsOf(a))).length,
  };
}

describe('createPathIndex', () => {
  it('returns the same counts as a comparison of every pair, on every call', () => {
    const segment = fc.constantFrom('a', 'b', 'c.d', '*', '**', 'a*', '*.d');
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const paths = fc.array(path, { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(paths, { maxLength: 5 }), fc.array(paths, { maxLength: 5 }), (active, asked) => {
        const makeFootprint = createFootprintMaker();
        const works = active.map((paths) => ({ footprint: makeFootprint(paths) }));
        const index = createPathIndex(works);
        for (const footprint of asked.map(makeFootprint)) {
          const found = new Map(
            index
              .findEncounters(footprint)
              .map(({ work, mine, theirs }) => [work, { isNear: true, mine, theirs }]),
          );
          for (const work of works) {
            expect(found.get(work) ?? { isNear: false, mine: 0, theirs: 0 }).toEqual(
              countSlowly(footprint, work.footprint),
            );
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('createFootprintMaker', () => {
  it('counts two spellings of a path once', () => {
    const footprint = createFootprintMaker()(['src/a', './src//a/', 'src/b/c', 'src/b/d']);
    expect(footprint.count).toBe(3);
    expect([...footprint.modules.keys()].map(({ text }) => text)).toEqual(['src/a', 'src/b']);
  });
});

describe('listShared', () => {
  it.each([
    ['paths', ['src/a/x', 'src/a/y', 'lib/b'], ['src/a/*'], ['src/a/x', 'src/a/y']],
    ['modules, if no path is shared', ['src/a/x', 'lib/b'], ['src/a/y'], ['src/a']],
    ['nothing', ['src/a/x'], ['src/b/x'], []],
  ])('names %s', (_name, first, second, expected) => {
    const makeFootprint = createFootprintMaker();
    expect(listShared(makeFootprint(first), makeFootprint(second))).toEqual(expected);
  });
});
