import { refusedByTwin } from '../basics/api-error.js';
import { toStamp } from '../basics/clock.js';
import { type Answer, type Call, ok } from './call.js';
import { byRepositoryId, type RepoCall } from './repo-route.js';

export type Page = { number: number; size: number };

/** Reads the page number and size. `defaultSize` is the size if the query has neither `page` nor `per_page`. */
export function pageOf(query: URLSearchParams, defaultSize = 30): Page {
  const number = Math.max(1, Number(query.get('page')) || 1);
  if (!query.has('page') && !query.has('per_page')) return { number, size: defaultSize };
  return { number, size: Math.min(100, Math.max(1, Number(query.get('per_page')) || 30)) };
}

export const slicePage = <Row>(rows: Row[], { number, size }: Page, pageShift = 0): Row[] => {
  const start = Math.max(0, (number - 1) * size + (number > 1 ? pageShift : 0));
  return rows.slice(start, start + size);
};

type View<Row> = (call: RepoCall, row: Row) => unknown;

/** Responds with one page of rows. If the list lags, recent rows are removed before the list is split into pages. */
export async function listPage<Row extends object>(
  call: RepoCall,
  rows: Row[],
  view: View<Row>,
): Promise<Answer> {
  const visible = rows.filter((row) => isOldEnough(call, row));
  const page = pageOf(call.query);
  const shown = await Promise.all(slicePage(visible, page, call.pageShift).map((row) => view(call, row)));
  return ok(shown, linkHeader(call, page, visible.length));
}

/** Responds with one page of rows and their total count. */
export async function listCounted<Row extends object>(
  call: RepoCall,
  name: string,
  { rows, view }: { rows: Row[]; view: View<Row> },
): Promise<Answer> {
  const { body, headers } = await listPage(call, rows, view);
  return ok({ total_count: rows.filter((row) => isOldEnough(call, row)).length, [name]: body }, headers);
}

/** As on GitHub, links identify the repository by id, so clients must follow links instead of building them. */
export function linkHeader(call: RepoCall, page: Page, total: number): Record<string, string> {
  return pageLinks({ ...call, path: byRepositoryId(call.path, call.repo) }, page, total);
}

/** Responds with one page of rows that belong to no repository. */
export function listRows<Row>(call: Call, rows: Row[], view: (row: Row) => unknown): Answer {
  const page = pageOf(call.query);
  return ok(slicePage(rows, page).map(view), pageLinks(call, page, rows.length));
}

export function pageLinks(call: Call, page: Page, total: number): Record<string, string> {
  const last = Math.max(1, Math.ceil(total / page.size));
  const link = (rel: string, number: number) => {
    const query = new URLSearchParams(call.query);
    query.set('page', String(number));
    return `<${call.api}${call.path}?${query}>; rel="${rel}"`;
  };
  const links = [
    ...(page.number > 1 ? [link('prev', Math.min(page.number - 1, last))] : []),
    ...(page.number < last ? [link('next', page.number + 1), link('last', last)] : []),
    ...(page.number > 1 ? [link('first', 1)] : []),
  ];
  return links.length > 0 ? { link: links.join(', ') } : {};
}

type Versions<Row> = { asOf(id: number, ms: number): Row | undefined };

/** Returns the rows of a lagging list: recent rows are missing, and changed rows appear in an earlier version. */
export function applyLag<Row extends { id: number }>(call: Call, table: Versions<Row>, rows: Row[]): Row[] {
  const behindMs = Math.max(call.lagMs, call.staleMs);
  if (behindMs === 0) return rows;
  const then = call.world.clock.now() - behindMs;
  return rows.filter((row) => isOldEnough(call, row)).map((row) => table.asOf(row.id, then) ?? row);
}

function isOldEnough(call: Call, row: object): boolean {
  const createdMs = 'createdMs' in row ? row.createdMs : undefined;
  return (
    typeof createdMs !== 'number' || call.lagMs === 0 || createdMs <= call.world.clock.now() - call.lagMs
  );
}

type Stamped = { id: number; createdAt: string; updatedAt: string };

/** Sorts by time, then by id. Timestamps are in whole seconds and often equal, so ids keep the pages stable. */
export function sortRows<Row extends Stamped>(
  rows: Row[],
  query: URLSearchParams,
  defaultDirection: 'asc' | 'desc',
): Row[] {
  const sort = query.get('sort') ?? 'created';
  if (sort !== 'updated' && sort !== 'created') throw refusedByTwin(501, `it does not sort by "${sort}"`);
  const key = sort === 'updated' ? 'updatedAt' : 'createdAt';
  const sorted = [...rows].sort((a, b) => (a[key] === b[key] ? a.id - b.id : a[key] < b[key] ? -1 : 1));
  return (query.get('direction') ?? defaultDirection) === 'desc' ? sorted.reverse() : sorted;
}

/** `since` is inclusive, so a client misses no row but may read some rows twice. */
export function changedSince(query: URLSearchParams): (row: { updatedAt: string }) => boolean {
  const ms = Date.parse(query.get('since') ?? '');
  return Number.isNaN(ms) ? () => true : (row) => row.updatedAt >= toStamp(ms);
}
