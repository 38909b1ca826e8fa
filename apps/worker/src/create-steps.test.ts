import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig, readSettings } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { createRedact } from '@mergexo/core/text';
import { createTemporaryDirectory, useTemporaryDirectory } from '@mergexo/testkit';
import { createSteps, listAdapters } from './create-steps.js';
import { createRunPrograms } from './run-programs.js';
import { aRepo } from './steps/testing/a-repo.js';
import { aReport } from './steps/testing/scene.js';

describe('listAdapters', () => {
  it('lists authors, reviewers and their fallbacks, which `doctor` checks', () => {
    const { repos } = parseConfig(
      `[agent]\nfallback = ["claude"]\n[review]\nfallback = ["command"]\n[command]\nargv = ["agent"]
      [repo.a]\nowner = "a"\nname = "a"\nreview_enabled = false
      [repo.b]\nowner = "a"\nname = "b"\nagent_fallback = []`,
      { homeDir: '/' },
    );
    expect(repos.map((repo) => listAdapters([repo]))).toEqual([
      ['codex', 'claude'],
      ['codex', 'codex', 'command'],
    ]);
  });
});

describe('createSteps', () => {
  const pathTo = useTemporaryDirectory();

  it('fails before the worker takes turns if bubblewrap is missing', async () => {
    const text = `[runtime]\nbase_dir = ${JSON.stringify(pathTo('data'))}
      [agent]\nadapter = "command"\n[command]\nargv = ["agent"]\n[repo.a]\nowner = "o"\nname = "n"`;
    writeFileSync(pathTo('mergexo.toml'), text);
    const env = { PATH: pathTo('bin') };
    const settings = readSettings({ configPath: pathTo('mergexo.toml'), env, homeDir: pathTo() });
    await expect(createSteps(settings, silentLog)).rejects.toThrow(/bwrap.*`security_opt`/);
  });
});

describe("the repository's programs", () => {
  const directory = createTemporaryDirectory();
  afterAll(() => directory.remove());

  it('end when the time limit of setup or of the tests is reached', async () => {
    const { path } = directory;
    writeFileSync(join(path, 'slow.sh'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    const limits = ['setup_timeout_seconds = 1', 'required_tests_timeout_seconds = 1'];
    const runs = limits.map(async (limit, index) => {
      const text = `[agent]\n${limit}\n[repo.a]\nowner = "a"\nname = "a"`;
      const { runTests, runSetup } = createRunPrograms(
        { config: parseConfig(text, { homeDir: '/' }), redact: createRedact([]) },
        {
          host: { env: process.env, passEnv: [], runsDir: join(path, 'runs'), readOnlyPaths: [] },
          choice: { kind: 'chosen', sandbox: { kind: 'none' } },
        },
      );
      const task = {
        slot: { path, mirrorPath: path },
        repo: aRepo({ remoteUrl: path }),
        issueNumber: 7,
        signal: new AbortController().signal,
        report: aReport(),
      };
      return (index === 0 ? runSetup : runTests)(task, { path: 'slow.sh', home: path });
    });
    expect(await Promise.all(runs)).toMatchObject([{ kind: 'timed-out' }, { kind: 'timed-out' }]);
  });
});
