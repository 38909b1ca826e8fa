import { Failure } from '@mergexo/core';
import { z } from 'zod';
import type { Answer, Query, Requests } from './request.js';

type Reader = Pick<Requests, 'get' | 'getIfChanged'>;

/** From one page on to the last, or until there is enough. */
export async function followPages<S extends z.ZodType>(
  requests: Pick<Requests, 'get'>,
  first: Answer<z.infer<S>[]>,
  row: S,
  limit = Number.POSITIVE_INFINITY,
): Promise<Answer<z.infer<S>[]>[]> {
  const pages = [first];
  let rows = first.data.length;
  for (let next = first.next; next !== null && rows < limit; ) {
    const page = await requests.get(next, z.array(row));
    pages.push(page);
    rows += page.data.length;
    next = page.next;
  }
  return pages;
}

/** Every row as it was at one moment, or 'unavailable'. */
export async function readAll<S extends z.ZodType>(
  requests: Reader,
  path: string,
  row: S,
  query: Query,
): Promise<z.infer<S>[]> {
  const start = { path, query: { per_page: 100, ...query } };
  const first = await requests.get(path, z.array(row), start);
  const pages = await followPages(requests, first, row);
  if (await havePagesMoved(requests, start, row, pages))
    throw new Failure('unavailable', `The list GET ${path} changed while it was read. It is read again.`);
  return pages.flatMap(({ data }) => data);
}

/**
 * When a row is deleted while we read, all later ones move up, and the first of the next page slips through although the
 * counts agree. So all pages but the last are asked for once more, which is free while they are unchanged.
 */
export async function havePagesMoved<S extends z.ZodType>(
  requests: Reader,
  start: { path: string; query: Query },
  row: S,
  pages: readonly Answer<z.infer<S>[]>[],
): Promise<boolean> {
  let { path, query } = start;
  for (const { data, etag, next } of pages.slice(0, -1)) {
    const now = await requests.getIfChanged(path, z.array(row), { query, etag });
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
