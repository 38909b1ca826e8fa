import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '@mergexo/config';
import { createRedact } from '@mergexo/core/text';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createRunPrograms } from './run-programs.js';
import { aReport } from './steps/testing/scene.js';

describe('a test that an agent wrote', () => {
  const directory = createTemporaryDirectory();
  afterAll(() => directory.remove());

  /** Runs the script as `required_tests`, without setup. */
  const run = async (script: string) => {
    const slot = { path: join(directory.path, 'checkouts/worker-1'), mirrorPath: directory.path };
    mkdirSync(slot.path, { recursive: true });
    writeFileSync(join(slot.path, 'test.sh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const config = parseConfig(
      `[runtime]\nbase_dir = ${JSON.stringify(directory.path)}\n[repo.a]\nowner = "acme"\nname = "app"`,
      { homeDir: directory.path },
    );
    const [repo] = config.repos;
    if (repo === undefined) throw new Error('no repository');
    const runsDir = join(directory.path, 'runs');
    const host = { env: { PATH: process.env['PATH'] }, passEnv: [], runsDir, readOnlyPaths: [] };
    const choice = { kind: 'chosen', sandbox: { kind: 'none' } } as const;
    const { runTests } = createRunPrograms({ config, redact: createRedact([]) }, { host, choice });
    const signal = new AbortController().signal;
    return runTests({ slot, repo, signal, report: aReport() }, { path: 'test.sh', home: undefined });
  };

  it('cannot read or change the home of another run of the tests', async () => {
    expect(await run('echo solution > "$HOME/cache"; exit 1')).toMatchObject({ kind: 'failed' });
    expect(existsSync(join(directory.path, 'tests/acme/app/worker-1'))).toBe(false);
    expect(await run('ls -A "$HOME" && test -z "$(ls -A "$HOME")"')).toEqual({ kind: 'passed' });
  });

  it('gets no home that a crash left', async () => {
    const home = join(directory.path, 'tests/acme/app/worker-1');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'cache'), 'solution');
    expect(await run('test -z "$(ls -A "$HOME")"')).toEqual({ kind: 'passed' });
  });
});
