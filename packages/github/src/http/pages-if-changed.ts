import type { z } from 'zod';
import type { FeedPage } from './feed-page.js';
import { keepOnePer } from './pages.js';
import type { Answer, Requests } from './requests.js';
import type { Query } from './send.js';

type List<Row> = { path: string; page: z.ZodType<Row[]>; query?: Query; maxPages?: number };
type Page<Row> = Answer<Row[]>;

const PAGE_SIZE = 100;
/** No header holds a line break, so no ETag does. */
const BETWEEN_TAGS = '\n';

/**
 * A whole list in which any row may change. `etag` stands for all pages: hand it back as it is. While nothing changes,
 * every page is a 304.
 */
export async function readPagesIfChanged<Row extends { id: number }>(
  requests: Requests,
  list: List<Row>,
  etag: string | null,
): Promise<FeedPage<Row>> {
  const checked = await checkPages(requests, list, etag?.split(BETWEEN_TAGS) ?? []);
  if (checked.every((page) => page === undefined)) return { kind: 'unchanged' };
  const pages: Page<Row>[] = [];
  for (const [index, page] of checked.entries())
    pages.push(page ?? (await readPage(requests, list, index + 1)));
  const tags = pages.flatMap((page) => page.etag ?? []);
  const rows = pages.flatMap(({ data }) => data);
  return {
    kind: 'changed',
    rows: keepOnePer(({ id }) => id, rows),
    etag: tags.length === pages.length ? tags.join(BETWEEN_TAGS) : null,
  };
}

const queryOf = <Row>({ query }: List<Row>, page: number) => ({ ...query, per_page: PAGE_SIZE, page });

const readPage = <Row>(requests: Requests, list: List<Row>, page: number): Promise<Page<Row>> =>
  requests.get(list.path, list.page, { query: queryOf(list, page) });

/** Undefined for each page that is as its tag says. A full last page would not show what comes behind it: one more is read. */
async function checkPages<Row>(
  requests: Requests,
  list: List<Row>,
  tags: readonly string[],
): Promise<(Page<Row> | undefined)[]> {
  const { maxPages = Number.POSITIVE_INFINITY } = list;
  const pages: (Page<Row> | undefined)[] = [];
  for (let page = 1; ; page += 1) {
    const etag = tags[page - 1];
    const answer =
      etag === undefined
        ? await readPage(requests, list, page)
        : await requests.getIfChanged(list.path, list.page, { query: queryOf(list, page), etag });
    pages.push(answer);
    const isLast =
      answer === undefined ? page >= tags.length : answer.next === null && answer.data.length < PAGE_SIZE;
    if (isLast || page >= maxPages) return pages;
  }
}
