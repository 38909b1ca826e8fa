import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectPrompts } from '../fleet/prompt-story.js';

const folderOf = (world: string): string =>
  fileURLToPath(new URL(`../golden/prompts/${world}/`, import.meta.url));

/** Run with `UPDATE_GOLDEN=1` to rewrite the files, then review the differences. */
describe.each(['bare', 'rich', 'long', 'commandless'] as const)('the prompts of the %s story', (world) => {
  const folder = folderOf(world);
  let prompts: Record<string, string>;
  beforeAll(async () => {
    prompts = await collectPrompts(world);
    if (process.env['UPDATE_GOLDEN'] !== '1') return;
    for (const [name, prompt] of Object.entries(prompts)) {
      const path = `${folder}${name}.txt`;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${prompt}\n`);
    }
  });

  it('match their approved golden files', () => {
    const names = readdirSync(folder);
    const approved = names.map((name) => [name, readFileSync(`${folder}${name}`, 'utf8')]);
    expect(
      Object.fromEntries(Object.entries(prompts).map(([name, text]) => [`${name}.txt`, `${text}\n`])),
    ).toEqual(Object.fromEntries(approved));
  });
});
