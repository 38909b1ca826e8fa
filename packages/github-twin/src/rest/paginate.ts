import { type Answer, type Call, ok } from './call.js';

export type Page = { number: number; size: number };

export function pageOf(query: URLSearchParams): Page {
  const number = Math.max(1, Number(query.get('page') ?? 1) || 1);
  const size = Math.min(100, Math.max(1, Number(query.get('per_page') ?? 30) || 30));
  return { number, size };
}

/** One page of rows as an answer: what is too young for a lagging list is left out before pages are cut. */
export async function listPage<Row extends object>(
  call: Call,
  rows: Row[],
  render: (row: Row) => unknown,
  wrap: (rendered: unknown[], total: number) => unknown = (rendered) => rendered,
): Promise<Answer> {
  const visible = rows.filter((row) => isOldEnough(call, row));
  const page = pageOf(call.query);
  const start = Math.max(0, (page.number - 1) * page.size + (page.number > 1 ? call.shift : 0));
  const rendered = await Promise.all(visible.slice(start, start + page.size).map(render));
  return ok(wrap(rendered, visible.length), linkHeader(call, page, visible.length));
}

/** GitHub's links name the repository by id: a client must follow them, not build them. */
export function linkHeader(call: Call, page: Page, total: number): Record<string, string> | undefined {
  const last = Math.max(1, Math.ceil(total / page.size));
  const link = (number: number, rel: string) => {
    const query = new URLSearchParams(call.query);
    query.set('page', String(number));
    return `<${call.api}${byRepositoryId(call)}?${query}>; rel="${rel}"`;
  };
  const links = [
    ...(page.number > 1 ? [link(Math.min(page.number - 1, last), 'prev')] : []),
    ...(page.number < last ? [link(page.number + 1, 'next'), link(last, 'last')] : []),
    ...(page.number > 1 ? [link(1, 'first')] : []),
  ];
  return links.length > 0 ? { link: links.join(', ') } : undefined;
}

function byRepositoryId(call: Call): string {
  const { owner, repo } = call.params;
  const found = call.world.store.repos.find((row) => row.owner === owner && row.name === repo);
  return found ? call.path.replace(/^\/repos\/[^/]+\/[^/]+/, `/repositories/${found.id}`) : call.path;
}

type Versions<Row> = { asOf(id: number, ms: number): Row | undefined };

/** The rows as a list sees them that is behind the truth: the young are missing, the changed are as they were. */
export function asSeen<Row extends { id: number }>(call: Call, table: Versions<Row>, rows: Row[]): Row[] {
  const behindMs = Math.max(call.lagMs, call.staleMs);
  if (behindMs === 0) return rows;
  const then = call.world.clock.now() - behindMs;
  return rows.filter((row) => isOldEnough(call, row)).map((row) => table.asOf(row.id, then) ?? row);
}

function isOldEnough(call: Call, row: object): boolean {
  if (call.lagMs === 0) return true;
  const born = 'bornMs' in row ? row.bornMs : undefined;
  return typeof born !== 'number' || born <= call.world.clock.now() - call.lagMs;
}
