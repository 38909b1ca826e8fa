import type { z } from 'zod';
import { type FeedPage, keepOnePer, refuseEndless } from './pages.js';
import type { Answer, Requests } from './requests.js';

type List<Row> = { path: string; page: z.ZodType<Row[]>; maxPages?: number };
type Page<Row> = Answer<Row[]>;

const PAGE_SIZE = 100;
/** Separates the ETags, because no header value contains a line break. */
const BETWEEN_TAGS = '\n';

/**
 * Reads a list in which any row may change. `etag` combines the ETags of all pages; pass it unchanged to the next
 * call. GitHub returns 304 for every page of an unchanged list.
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

const readPage = <Row>(requests: Requests, list: List<Row>, page: number): Promise<Page<Row>> =>
  requests.get(list.path, list.page, { query: { per_page: PAGE_SIZE, page } });

/**
 * Requests each page; undefined for each unchanged page. If the last page is full, also reads the next page, because
 * it may be new.
 */
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
        : await requests.getIfChanged(list.path, list.page, { query: { per_page: PAGE_SIZE, page }, etag });
    pages.push(answer);
    const isLast =
      answer === undefined ? page >= tags.length : answer.next === null && answer.data.length < PAGE_SIZE;
    if (isLast || page >= maxPages) return pages;
    refuseEndless(page);
  }
}
