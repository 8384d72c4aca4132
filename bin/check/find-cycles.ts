/** Import cycles (Tarjan), each as the shortest cycle from its first file. */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, { index: number; low: number }>();
  const stack: string[] = [];
  const groups: string[][] = [];

  const visit = (file: string): { index: number; low: number } => {
    const own = { index: order.size, low: order.size };
    order.set(file, own);
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      const seen = order.get(next);
      if (seen === undefined) own.low = Math.min(own.low, visit(next).low);
      else if (stack.includes(next)) own.low = Math.min(own.low, seen.index);
    }
    if (own.low === own.index) groups.push(stack.splice(stack.indexOf(file)));
    return own;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);

  return groups.flatMap((group) => {
    const first = group.toSorted()[0];
    if (first === undefined) return [];
    const round = shortestCycle(first, graph);
    return round === null ? [] : [round];
  });
}

function shortestCycle(start: string, graph: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const ways = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const next of graph.get(way.at(-1) ?? start) ?? []) {
      if (next === start) return [...way, start];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return null;
}

/** All files reachable from these, including them. */
export function reach(from: readonly string[], graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set(from);
  for (const file of reached) for (const next of graph.get(file) ?? []) reached.add(next);
  return reached;
}
