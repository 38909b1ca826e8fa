type Stamped = { id: number; createdAt: string; updatedAt: string };
type Order = { sort: string; direction: string };

/** Equal stamps are frequent (whole seconds); ids decide, so that pages are stable. */
export function sortRows<Row extends Stamped>(
  rows: Row[],
  query: URLSearchParams,
  fallback: Order,
  countComments: (row: Row) => number = () => 0,
): Row[] {
  const sort = query.get('sort') ?? fallback.sort;
  const direction = query.get('direction') ?? fallback.direction;
  const keyed = rows.map((row) => ({ row, key: keyOf(row, sort, countComments) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.row.id - b.row.id));
  if (direction === 'desc') keyed.reverse();
  return keyed.map(({ row }) => row);
}

function keyOf<Row extends Stamped>(
  row: Row,
  sort: string,
  countComments: (row: Row) => number,
): string | number {
  if (sort === 'updated') return row.updatedAt;
  if (sort === 'comments' || sort === 'popularity') return countComments(row);
  return row.createdAt;
}

/** `since` includes its own second: rows of the same second must not be lost, so they come again. */
export function sinceOf(query: URLSearchParams): string {
  const since = query.get('since');
  if (since === null) return '';
  const ms = Date.parse(since);
  return Number.isNaN(ms) ? '' : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
