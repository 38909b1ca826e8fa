import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../../context.js';
import { checkConfigFile } from './config-check.js';

describe('config check', () => {
  const directory = createTemporaryDirectory();
  const config = join(directory.path, 'mergexo.toml');
  afterAll(() => directory.remove());

  const check = (text: string, json: boolean) => {
    writeFileSync(config, text);
    let printed = '';
    const write = (part: string): void => {
      printed += part;
    };
    const ok = checkConfigFile(createContext({ config, json, env: {}, homeDir: directory.path, write }));
    return { ok, printed };
  };

  it('lists the repositories of a valid file', () => {
    const { ok, printed } = check('[repo.app]\nowner = "ada"\nname = "engine"\n', true);
    expect([ok, JSON.parse(printed)]).toEqual([
      true,
      { ok: true, file: config, problems: [], repos: ['ada/engine'] },
    ]);
  });

  it('lists every problem at once, with its key', () => {
    const text = '[runtime]\nworker_count = "many"\n[repo.app]\nowner = "ada"\n';
    const { ok, printed } = check(text, true);
    expect(ok).toBe(false);
    expect(JSON.parse(printed).problems.map(({ path }: { path: string }) => path)).toEqual([
      'runtime.worker_count',
      'repo.app.name',
    ]);
    expect(check(text, false).printed).toMatch(/2 problems:\n {2}runtime\.worker_count: /);
  });
});
