/** The name among `known` that was probably meant, or null: at most a third of the letters differ. */
export function nearestName(wrong: string, known: readonly string[]): string | null {
  if (wrong.length > 64) return null;
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wrong.length / 3)) + 1;
  for (const name of known.slice(0, 200)) {
    if (Math.abs(name.length - wrong.length) >= bestDistance) continue;
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      let distance = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (previous[column - 1] ?? 0) + (same ? 0 : 1));
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        distance = Math.min(distance, (before[column - 2] ?? 0) + 1);
      current.push(distance);
    }
    before = previous;
    previous = current;
  }
  return previous[other.length] ?? 0;
}
