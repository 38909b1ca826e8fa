/** Maximum number of table cells in a text. People write far fewer, and the parser takes 20 µs per cell. */
export const MAX_CELLS = 5_000;

/** Matches the delimiter row below a table's header, including in quotes and lists. */
const DELIMITERS = /^[\s>*+\d.)|:-]+$/;

/**
 * Returns the maximum number of table cells that a parser can create for a text. Parsers fill short rows, so a few
 * characters can become thousands of cells.
 */
export function countCells(text: string): number {
  let cells = 0;
  let rows = 0;
  for (const line of text.split(/\r\n?|\n/).reverse()) {
    rows = line.trim() === '' ? 0 : rows + 1;
    if (isDelimiters(line)) cells += rows * line.split('|').length;
  }
  return cells;
}

/** Breaks up tables with an invisible character below their headers. */
export function breakTables(text: string): string {
  return text
    .split(/(\r\n?|\n)/)
    .map((line) => (isDelimiters(line) ? `\u2060${line}` : line))
    .join('');
}

function isDelimiters(line: string): boolean {
  return line.includes('|') && line.includes('-') && DELIMITERS.test(line);
}
