/** A changed file, with the number of added and removed lines; 0 for binary files. */
export type MeasuredFile = { path: string; lines: number };

export type ChangeMeasures = { fileOverlap: number; sizeRatio: number | null };

/** Compares an agent's change with the real one. Two empty changes are equal. */
export function measureChange(
  actual: readonly MeasuredFile[],
  expected: readonly MeasuredFile[],
): ChangeMeasures {
  const paths = new Set(expected.map(({ path }) => path));
  const shared = actual.filter(({ path }) => paths.has(path)).length;
  const all = actual.length + paths.size - shared;
  const [lines, expectedLines] = [sumLines(actual), sumLines(expected)];
  return {
    fileOverlap: all === 0 ? 1 : shared / all,
    sizeRatio: expectedLines === 0 ? null : lines / expectedLines,
  };
}

function sumLines(files: readonly MeasuredFile[]): number {
  return files.reduce((sum, { lines }) => sum + lines, 0);
}
