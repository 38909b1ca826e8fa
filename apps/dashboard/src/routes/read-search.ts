import type { Request } from 'express';

/** Reads the query string. Express's own parser is off, because it builds nested objects. */
export function readSearch({ url }: Pick<Request, 'url'>): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}
