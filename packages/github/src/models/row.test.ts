import { z } from 'zod';
import { orNull, row, text } from './row.js';

const Thing = row({ id: ['id', z.int()], url: ['html_url', z.string()], body: ['body', text] });

describe('row', () => {
  it('keeps the named fields under our names', () => {
    const answer = { id: 1, html_url: 'https://example.com', body: null, node_id: 'x' };
    expect(Thing.parse(answer)).toEqual({ id: 1, url: 'https://example.com', body: '' });
  });

  it("reports every missing or wrong value under GitHub's field name", () => {
    const { error } = Thing.safeParse({ id: 'one' });
    expect(error?.issues.map(({ path }) => path)).toEqual([['id'], ['html_url']]);
    expect(
      row({ login: ['user', z.object({ login: z.string() })] }).safeParse({ user: {} }).error?.issues,
    ).toEqual([expect.objectContaining({ path: ['user', 'login'] })]);
  });

  it('treats a missing value like null', () => {
    const Optional = row({ line: ['line', orNull(z.int())] });
    expect([Optional.parse({}), Optional.parse({ line: null })]).toEqual([{ line: null }, { line: null }]);
    expect(Optional.safeParse({ line: 'x' }).success).toBe(false);
  });
});
