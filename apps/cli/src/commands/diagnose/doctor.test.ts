import { writeFileSync } from 'node:fs';
import { renderWorkerKey } from '@mergexo/config';
import { computeSender } from '@mergexo/core/ledger';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../../context.js';
import { addConfigOption, type DoctorOptions, doctor } from './doctor.js';

describe('addConfigOption', () => {
  const fix = 'Run `npx mergexo init`, or `npx mergexo adopt --repo <owner/name>`.';
  const finding = { name: 'database', status: 'failure', detail: 'x is missing', fix } as const;

  it('adds the --config option of this call to every suggested command', () => {
    expect(addConfigOption(finding, 'my fleet.toml').fix).toBe(
      'Run `npx mergexo init --config "my fleet.toml"`, or `npx mergexo adopt --config "my fleet.toml" --repo <owner/name>`.',
    );
    expect(addConfigOption(finding, 'a.toml').fix).toContain('`npx mergexo init --config a.toml`');
  });

  it('adds nothing for the default config', () => {
    expect(addConfigOption(finding, undefined)).toEqual(finding);
  });
});

describe('doctor --role', () => {
  const pathTo = useTemporaryDirectory();

  const run = async (options: DoctorOptions, env: Record<string, string> = {}) => {
    writeFileSync(
      pathTo('mergexo.toml'),
      `[runtime]\nbase_dir = ${JSON.stringify(pathTo('data'))}\n[github]\napi_url = "http://127.0.0.1:1"
       [dashboard]\nport = 0\n[agent]\nadapter = "command"\nsandbox = "none"\n[command]\nargv = ["/bin/cat"]
       [repo.a]\nowner = "o"\nname = "n"`,
    );
    let printed = '';
    const write = (text: string) => {
      printed = text;
    };
    const home = { PATH: process.env['PATH'] ?? '', HOME: pathTo() };
    const config = pathTo('mergexo.toml');
    await doctor(
      createContext({ config, json: true, env: { ...home, ...env }, homeDir: pathTo(), write }),
      options,
    );
    const { checks }: { checks: { name: string; status: string }[] } = JSON.parse(printed);
    return checks;
  };
  const namesOf = (checks: readonly { name: string }[]) => checks.map(({ name }) => name);
  const failuresOf = (checks: readonly { name: string; status: string }[]) =>
    namesOf(checks.filter(({ status }) => status === 'failure'));

  it('checks only what a worker needs, without the poller’s secret, database and login', async () => {
    const key = renderWorkerKey(computeSender('s'.repeat(64), 'compose'));
    const checks = await run({ role: 'worker' }, { MERGEXO_WORKER_KEY: key });
    expect(failuresOf(checks)).toEqual([]);
    expect(namesOf(checks)).toEqual(['node', 'git', 'config', 'disk', 'worker key', 'redis', 'command']);
  });

  it('checks only what the poller needs, before its first start', async () => {
    const env = { MERGEXO_ROLE: 'poller', MERGEXO_SECRET: 's'.repeat(64), GITHUB_TOKEN: 'ghp_none' };
    const checks = await run({}, env);
    const names = ['node', 'config', 'disk', 'database', 'secret', 'redis'];
    expect(namesOf(checks).slice(0, names.length)).toEqual(names);
    expect(namesOf(checks)).not.toContain('command');
    expect(failuresOf(checks)).toEqual(['github']);
  });

  it('checks only what the dashboard needs', async () => {
    const checks = await run({ role: 'dashboard' }, { MERGEXO_SECRET: 's'.repeat(64) });
    expect(namesOf(checks)).toEqual(['node', 'config', 'disk', 'database', 'secret', 'redis', 'dashboard']);
    expect(failuresOf(checks)).toEqual([]);
  });

  it('rejects an unknown role as incorrect usage', async () => {
    await expect(run({ role: 'queen' })).rejects.toThrow(
      'The role must be poller, worker, dashboard, not "queen".',
    );
  });
});
