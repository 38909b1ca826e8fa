import { z } from 'zod';
import { createGetAll } from './pages.js';

type Row = { url: string; body: string };
const Rows = z.object({ url: z.string(), body: z.string() });
const rows = (...ids: number[]): Row[] => ids.map((id) => ({ url: `u/${id}`, body: `text ${id}` }));

/** Serves two pages. `later` is the first page when it is requested again. */
function readTwice(later: Row[]): Promise<Row[]> {
  const answer = (data: unknown, next: string | null) => ({ data, etag: '"e"', next, status: 200 });
  const getAll = createGetAll({
    get: async (path, schema) => {
      const [data, next] = path === '/list' ? [rows(1, 2), '/list?page=2'] : [rows(3, 4), null];
      return { ...answer(data, next), data: schema.parse(data) };
    },
    getIfChanged: async (_path, schema) => ({ ...answer(later, null), data: schema.parse(later) }),
  });
  return getAll('/list', Rows);
}

it('an edit during the read does not prevent a complete list', async () => {
  const edited = rows(1, 2).map((row) => ({ ...row, body: 'edited' }));
  expect(await readTwice(edited)).toEqual(rows(1, 2, 3, 4));
});

it.each([
  ['deleted', rows(2, 3)],
  ['added before the others', rows(9, 1)],
])('a row that is %s during the read is noticed', async (_how, later) => {
  await expect(readTwice(later)).rejects.toThrow('changed while it was read');
});
