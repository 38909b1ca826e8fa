import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onlyWith, useTemporaryDirectory } from '@mergexo/testkit';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAMS = {
  poller: ['apps/poller/dist/main.js'],
  worker: ['apps/worker/dist/main.js'],
  dashboard: ['apps/dashboard/dist/main.js'],
  init: ['apps/cli/bin/mergexo.js', 'init'],
};
const notLinux = process.platform === 'linux' ? undefined : 'this is not Linux';

describe('a base_dir that cannot be used', () => {
  const pathTo = useTemporaryDirectory();
  beforeEach(() => {
    mkdirSync(pathTo('home'));
    writeFileSync(pathTo('file'), '');
    symlinkSync(pathTo('unmounted', 'disk'), pathTo('link'));
  });

  function start(baseDir: string, program: readonly string[]) {
    const config = pathTo('mergexo.toml');
    writeFileSync(
      config,
      `[runtime]\nbase_dir = ${JSON.stringify(baseDir)}\n[repo.a]\nowner = "o"\nname = "n"\n`,
    );
    return new Promise<{ code: number | null; output: string }>((resolve) => {
      const options = { cwd: ROOT, env: { PATH: process.env['PATH'], HOME: pathTo('home') } };
      const args = [...program, '--config', config];
      const child = execFile(process.execPath, args, options, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, output: stdout + stderr }),
      );
    });
  }

  const expectOneLine = async (baseDir: string, program: readonly string[]): Promise<string> => {
    const { code, output } = await start(baseDir, program);
    expect(output).toMatch(/^mergexo[^\n]*: Cannot use [^\n]*\n$/);
    expect(output).toContain(baseDir);
    expect(code).toBe(1);
    return output;
  };

  it.each(Object.entries(PROGRAMS))('is explained in one line by %s', async (_name, program) => {
    expect(await expectOneLine(pathTo('link'), program)).toContain('its disk is mounted');
    expect(await expectOneLine(pathTo('file', 'x'), program)).toContain('is a file, not a directory');
  });

  onlyWith(notLinux).it('is explained if MergeXO may not create it', async () => {
    expect(await expectOneLine('/sys/mergexo', PROGRAMS.poller)).toMatch(/denied|not permitted/);
  });
});
