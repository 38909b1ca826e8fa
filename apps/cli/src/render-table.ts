/** Renders a table. Pads every column to its widest cell, except the last one. */
export function renderTable(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = heading.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  return [heading, ...rows].map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
