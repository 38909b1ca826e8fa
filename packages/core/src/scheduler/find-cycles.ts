type Graph = readonly (readonly number[])[];

/** Groups of nodes that reach each other, each sorted; a node that points to itself is one. `graph[n]`: where n points. */
export function findCycles(graph: Graph): number[][] {
  const order: number[] = [];
  const seen = new Set<number>();
  for (const node of graph.keys()) walk(graph, node, seen, order);

  // Kosaraju: against the arrows, from the last one left, only the own group can still be reached.
  const backwards = reverse(graph);
  const grouped = new Set<number>();
  const cycles: number[][] = [];
  for (const node of order.toReversed()) {
    const group: number[] = [];
    walk(backwards, node, grouped, group);
    if (group.length > 1 || (group.length === 1 && graph[node]?.includes(node))) {
      cycles.push(group.sort((a, b) => a - b));
    }
  }
  return cycles;
}

/** Adds all that can be reached and was not seen, in the order in which it is left. Chains may be long: no recursion. */
function walk(graph: Graph, start: number, seen: Set<number>, left: number[]): void {
  if (seen.has(start)) return;
  seen.add(start);
  const stack = [{ node: start, at: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = graph[top.node]?.[top.at];
    top.at += 1;
    if (next === undefined) {
      left.push(top.node);
      stack.pop();
    } else if (!seen.has(next)) {
      seen.add(next);
      stack.push({ node: next, at: 0 });
    }
  }
}

function reverse(graph: Graph): number[][] {
  const backwards = graph.map((): number[] => []);
  for (const [node, targets] of graph.entries()) {
    for (const target of targets) backwards[target]?.push(node);
  }
  return backwards;
}
