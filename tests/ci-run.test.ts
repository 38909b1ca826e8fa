import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

describe('.ci/run', () => {
  it('waits for a line that the demo prints when its scripted part ends', () => {
    const awaited = [...read('.ci/run').matchAll(/grep -q '([^']+)'/g)].map(([, line = '']) => line);
    expect(new Set(awaited).size).toBe(1);
    expect(read('apps/demo/src/invite.ts')).toContain(awaited[0]);
  });
});
