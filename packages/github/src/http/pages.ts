import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import type { Answer, Requests } from './requests.js';
import type { Query } from './send.js';

export type FeedPage<Row> = { kind: 'unchanged' } | { kind: 'changed'; rows: Row[]; etag: string | null };

/** `limit`: stop after the page that reaches this number of rows. The result includes all rows of that page. */
export type List<Row> = { path: string; page: z.ZodType<Row[]>; query?: Query; limit?: number };
export type Pages<Row> = readonly Answer<Row[]>[];

type Reader = Pick<Requests, 'get' | 'getIfChanged'>;

export const NEWEST_FIRST = { sort: 'updated', direction: 'desc', per_page: 100 };

/** Reads all pages; undefined if nothing has changed since the ETag. */
export async function readPagesSince<Row>(
  requests: Reader,
  list: List<Row>,
  etag: string | null,
): Promise<Pages<Row> | undefined> {
  const { path, page, query = {} } = list;
  if (etag === null) return followPages(requests, list, await requests.get(path, page, { query }));
  const first = await requests.getIfChanged(path, page, { query, etag });
  return first && followPages(requests, list, first);
}

/** Maximum number of pages. GitHub's lists are shorter, so a longer list is a server error. */
const MAX_PAGES = 1_000;

async function followPages<Row>(
  requests: Reader,
  { page, limit = Number.POSITIVE_INFINITY }: List<Row>,
  first: Answer<Row[]>,
): Promise<Pages<Row>> {
  const pages = [first];
  let rows = first.data.length;
  for (let next = first.next; next !== null && rows < limit; ) {
    refuseEndless(pages.length);
    const answer = await requests.get(next, page);
    pages.push(answer);
    rows += answer.data.length;
    next = answer.next;
  }
  return pages;
}

/** Throws if a list has so many pages that the server must be faulty. */
export function refuseEndless(pages: number): void {
  if (pages < MAX_PAGES) return;
  throw new Failure('invalid-data', `GitHub sent a list of more than ${MAX_PAGES} pages. MergeXO stopped.`);
}

export async function readRows<Row>(requests: Reader, list: List<Row>): Promise<Row[]> {
  return rowsOf((await readPagesSince(requests, list, null)) ?? []);
}

export async function readFeed<Row>(
  requests: Reader,
  list: List<Row>,
  etag: string | null,
): Promise<FeedPage<Row>> {
  const pages = await readPagesSince(requests, list, etag);
  return pages === undefined ? { kind: 'unchanged' } : toFeedPage(pages);
}

export function toFeedPage<Row>(pages: Pages<Row>) {
  return { kind: 'changed' as const, rows: rowsOf(pages), etag: pages[0]?.etag ?? null };
}

function rowsOf<Row>(pages: Pages<Row>): Row[] {
  return pages.flatMap(({ data }) => data);
}

/** Returns all rows without missing one, or fails with 'unavailable'. */
export function createGetAll(requests: Reader): Requests['getAll'] {
  return async (path, row, { query, limit } = {}) => {
    const page = z.array(row);
    const list = { path, page, query: { per_page: 100, ...query }, ...(limit !== undefined && { limit }) };
    const pages = (await readPagesSince(requests, list, null)) ?? [];
    if (await havePagesMoved(requests, list, pages))
      throw new Failure(
        'unavailable',
        `The list GET ${path} changed while it was read. MergeXO reads it again.`,
      );
    return rowsOf(pages);
  };
}

/**
 * True if rows moved between pages since they were read. A row that is deleted during the read moves all later rows up,
 * so the first row of the next page is missed although the counts agree. Ignores edits of a row's text, so that nobody
 * can prevent a complete read by editing. Requests all pages but the last again, which does not count against the rate
 * limit while they are unchanged.
 */
export async function havePagesMoved<Row>(
  requests: Reader,
  { path, query = {}, page }: List<Row>,
  pages: Pages<Row>,
): Promise<boolean> {
  let place = { path, query };
  for (const { data, etag, next } of pages.slice(0, -1)) {
    const now = await requests.getIfChanged(place.path, page, { query: place.query, etag });
    if (now !== undefined && identify(now.data) !== identify(data)) return true;
    place = { path: next ?? place.path, query: {} };
  }
  return false;
}

const Addressed = z.object({ url: z.string() });

/** Returns the rows' addresses in order. Compares a row without an address, such as a changed file, as a whole. */
function identify(rows: readonly unknown[]): string {
  return JSON.stringify(rows.map((row) => Addressed.safeParse(row).data?.url ?? row));
}

/** Keeps the last row for each key, because a row that moves to another page during the read is returned twice. */
export function keepOnePer<Row>(key: (row: Row) => string | number, rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [key(row), row])).values()];
}
