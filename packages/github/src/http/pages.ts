import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import type { Answer, Requests } from './requests.js';
import type { Query } from './send.js';

type Reader = Pick<Requests, 'get' | 'getIfChanged'>;

/** From one page on to the last, or until there is enough. */
export async function followPages<Row>(
  requests: Pick<Requests, 'get'>,
  first: Answer<Row[]>,
  page: z.ZodType<Row[]>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Answer<Row[]>[]> {
  const pages = [first];
  let rows = first.data.length;
  for (let next = first.next; next !== null && rows < limit; ) {
    const answer = await requests.get(next, page);
    pages.push(answer);
    rows += answer.data.length;
    next = answer.next;
  }
  return pages;
}

/** Every row as it was at one moment, or 'unavailable'; with a limit the first ones, and what else their last page has. */
export async function readAll<Row>(
  requests: Reader,
  { path, query, limit }: { path: string; query: Query; limit: number | undefined },
  row: z.ZodType<Row>,
): Promise<Row[]> {
  const start = { path, query: { per_page: 100, ...query } };
  const page = z.array(row);
  const pages = await followPages(requests, await requests.get(path, page, start), page, limit);
  if (await havePagesMoved(requests, start, page, pages))
    throw new Failure('unavailable', `The list GET ${path} changed while it was read. It is read again.`);
  return pages.flatMap(({ data }) => data);
}

/**
 * When a row is deleted while we read, all later ones move up, and the first of the next page slips through although the
 * counts agree. So all pages but the last are asked for once more, which is free while they are unchanged.
 */
export async function havePagesMoved<Row>(
  requests: Reader,
  start: { path: string; query: Query },
  page: z.ZodType<Row[]>,
  pages: readonly Answer<Row[]>[],
): Promise<boolean> {
  let { path, query } = start;
  for (const { data, etag, next } of pages.slice(0, -1)) {
    const now = await requests.getIfChanged(path, page, { query, etag });
    if (now !== undefined && JSON.stringify(now.data) !== JSON.stringify(data)) return true;
    path = next ?? path;
    query = {};
  }
  return false;
}

/** A row that moved to another page while we read comes twice; what was read last counts. */
export function keepOnePer<Row>(key: (row: Row) => string | number, rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [key(row), row])).values()];
}
