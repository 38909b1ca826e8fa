import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDataDirectory, markSecret } from '@mergexo/config';
import { openState } from '@mergexo/state';
import { createTemporaryDirectory, eventually, startProgram } from '@mergexo/testkit';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(ROOT, 'apps/cli/bin/mergexo.js');
const POLLER = join(ROOT, 'apps/poller/dist/main.js');

it('after a lost secret, status suggests adopt, a dry run of adopt changes nothing, and the poller starts after adopt', async () => {
  const directory = createTemporaryDirectory();
  const env = {
    HOME: directory.path,
    MERGEXO_CONFIG: join(directory.path, 'mergexo.toml'),
    GITHUB_TOKEN: 'ghp_none',
  };
  const base = findDataDirectory({ env: {}, homeDir: directory.path });
  const secret = join(base, 'secret');
  const run = async (program: string, ...args: string[]) => {
    const started = startProgram(program, args, env);
    return { code: await started.exited, output: started.output() };
  };
  try {
    const api = ['--api-url', 'http://127.0.0.1:1'];
    expect((await run(CLI, 'init', '--repo', 'ada/engine', ...api)).code).toBe(0);
    const old = readFileSync(secret, 'utf8').trim();
    markSecret(secret, { current: old, older: [] });
    const state = openState(join(base, 'state.db'));
    state.saveRepository({ id: 7, owner: 'ada', name: 'engine', defaultBranch: 'main' });
    const about = { repoId: 7, issueNumber: 3, flow: 'bugfix', issueTitle: 'Broken', branch: 'b' } as const;
    state.recordRun({ ...about, designDocPath: null, ordinal: 1 }, 1);
    state.close();
    rmSync(secret);

    const refused = await run(POLLER);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('mergexo adopt --repo')]);
    for (const command of ['status', 'doctor'])
      expect((await run(CLI, command)).output).toContain('npx mergexo adopt --repo');

    expect(await run(CLI, 'adopt', '--repo', 'ada/engine')).toMatchObject({
      code: 2,
      output: expect.stringContaining('Add --yes to confirm. Nothing was changed.'),
    });
    expect((await run(CLI, 'adopt', '--repo', 'ada/loom', '--yes')).output).toContain('known: ada/engine');
    const preview = await run(CLI, 'adopt', '--repo', 'Ada/Engine', '--dry-run', '--json');
    expect(JSON.parse(preview.output)).toMatchObject({ dry_run: true, runs: 1, secret: 'missing' });
    expect(existsSync(secret)).toBe(false);

    const done = await run(CLI, 'adopt', '--repo', 'ada/engine', '--yes', '--json');
    expect(JSON.parse(done.output)).toMatchObject({ ok: true, adopted: true, repo: 'ada/engine', runs: 1 });
    expect(readFileSync(secret, 'utf8').trim()).not.toBe(old);

    const poller = startProgram(POLLER, [], env);
    try {
      await eventually(() => expect(poller.output()).toContain('poller is ready'));
      const busy = await run(CLI, 'adopt', '--repo', 'ada/engine', '--yes');
      expect([busy.code, busy.output]).toEqual([1, expect.stringContaining('Stop that process first')]);
    } finally {
      poller.kill('SIGTERM');
      expect(await poller.exited).toBe(0);
    }
  } finally {
    directory.remove();
  }
});
