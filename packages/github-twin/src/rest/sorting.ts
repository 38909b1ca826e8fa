import { refusedByTwin } from '../basics/api-error.js';

type Stamped = { id: number; createdAt: string; updatedAt: string };
type Order = { sort: string; direction: string };

/** Equal stamps are frequent (whole seconds); ids decide, so that pages are stable. */
export function sortRows<Row extends Stamped>(rows: Row[], query: URLSearchParams, fallback: Order): Row[] {
  const sort = query.get('sort') ?? fallback.sort;
  const direction = query.get('direction') ?? fallback.direction;
  if (sort !== 'updated' && sort !== 'created') throw refusedByTwin(501, `it does not sort by "${sort}"`);
  const key = sort === 'updated' ? 'updatedAt' : 'createdAt';
  const sorted = [...rows].sort((a, b) => (a[key] === b[key] ? a.id - b.id : a[key] < b[key] ? -1 : 1));
  return direction === 'desc' ? sorted.reverse() : sorted;
}

/** `since` includes its own second: rows of the same second must not be lost, so they come again. */
export function sinceOf(query: URLSearchParams): string {
  const since = query.get('since');
  if (since === null) return '';
  const ms = Date.parse(since);
  return Number.isNaN(ms) ? '' : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
