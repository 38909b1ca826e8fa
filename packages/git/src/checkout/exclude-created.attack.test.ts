import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureGrowth, useTemporaryDirectory } from '@mergexo/testkit';
import { readCreated } from './exclude-created.js';

describe('the list of files that setup created', () => {
  const pathTo = useTemporaryDirectory();
  const read = (created: readonly string[]) => {
    mkdirSync(pathTo('git'), { recursive: true });
    writeFileSync(
      join(pathTo('git'), 'created-by-setup'),
      created.map((path) => `${path}\0`).join(''),
      'latin1',
    );
    return readCreated(pathTo('git'));
  };

  it.each([
    ['a file', 'b.txt', true],
    ['a file in a created folder', 'node_modules/a/b.js', true],
    ['a file in a nested created folder', 'src/gen/x/y.ts', true],
    ['a file beside it', 'b.txt2', false],
    ['a file whose folder has a longer name', 'node_modules2/a.js', false],
    ['a file in the folder above', 'src/main.ts', false],
    ['a file that sorts before all others', '0', false],
    ['a folder with the name of a created file', 'b.txt/c', false],
  ])('knows %s', async (_what, path, expected) => {
    const isCreated = await read(['b.txt', 'node_modules/', 'node_modules-cache/', 'src/gen/', 'z.log']);
    expect(isCreated(path)).toBe(expected);
  });

  it('is as fast for deeply nested files', async () => {
    const isCreated = await read(Array.from({ length: 2_000 }, (_, index) => `created-${index}/`));
    const search = (depth: number): void => {
      for (let file = 0; file < 200; file += 1) isCreated(`${'d/'.repeat(depth)}${file}`);
    };
    expect(measureGrowth(search, { from: 500, to: 4_000 })).toBeLessThan(1.6);
  });
});
