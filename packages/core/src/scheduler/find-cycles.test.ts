import fc from 'fast-check';
import { findCycles } from './find-cycles.js';

function reach(graph: readonly (readonly number[])[], from: number): Set<number> {
  const found = new Set<number>();
  const open = [...(graph[from] ?? [])];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    open.push(...(graph[node] ?? []));
  }
  return found;
}

describe('findCycles', () => {
  it.each<[string, number[][], number[][]]>([
    ['nothing in a chain', [[1], [2], []], []],
    ['a node that points to itself', [[0], [0]], [[0]]],
    ['a ring, without the nodes that point to it', [[1], [2], [0], [0]], [[0, 1, 2]]],
    [
      'two rings that are joined in one direction',
      [[1], [0, 2], [3], [2]],
      [
        [0, 1],
        [2, 3],
      ],
    ],
  ])('finds %s', (_name, graph, cycles) => {
    expect(findCycles(graph).sort()).toEqual(cycles);
  });

  it('groups exactly the nodes that reach each other', () => {
    const graphs = fc.integer({ min: 1, max: 8 }).chain((size) => {
      const targets = fc.uniqueArray(fc.integer({ min: 0, max: size - 1 }), { maxLength: 3 });
      return fc.array(targets, { minLength: size, maxLength: size });
    });
    fc.assert(
      fc.property(graphs, (graph) => {
        const groupOf = new Map(findCycles(graph).flatMap((group) => group.map((node) => [node, group])));
        for (const node of graph.keys()) {
          const mutual = [...reach(graph, node)].filter((other) => reach(graph, other).has(node));
          expect(groupOf.get(node) ?? []).toEqual(mutual.sort((a, b) => a - b));
        }
      }),
    );
  });

  it('follows a chain of 100,000 nodes', () => {
    const size = 100_000;
    expect(findCycles(Array.from({ length: size }, (_, i) => [(i + 1) % size]))).toHaveLength(1);
  });
});
