type Graph = readonly (readonly number[])[];

/**
 * Finds groups of nodes that reach each other, each sorted, including single nodes that point to themselves. `graph[n]`
 * lists the nodes that n points to.
 */
export function findCycles(graph: Graph): number[][] {
  const order: number[] = [];
  const seen = new Set<number>();
  for (const node of graph.keys()) walk(graph, node, { seen, left: order });

  // Kosaraju's algorithm: in the reversed graph, a walk from the last finished node reaches only its own group.
  const backwards = reverse(graph);
  const grouped = new Set<number>();
  const cycles: number[][] = [];
  for (const node of order.toReversed()) {
    const group: number[] = [];
    walk(backwards, node, { seen: grouped, left: group });
    if (group.length > 1 || (group.length === 1 && graph[node]?.includes(node))) {
      cycles.push(group.sort((a, b) => a - b));
    }
  }
  return cycles;
}

/** Adds all reachable unseen nodes in finishing order. Iterative, because chains may be long. */
function walk(graph: Graph, start: number, { seen, left }: { seen: Set<number>; left: number[] }): void {
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
