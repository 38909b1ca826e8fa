import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { A_CHANGE, aRequest } from '@mergexo/testkit';
import { createAgents } from '../create-agents.js';
import { type Bench, createBench } from '../testing/bench.js';
import { createCliBench } from '../testing/cli-bench.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import { probeCodexSandbox } from './codex-sandbox.js';

const { all } = await findSandboxes(process.env);
const request = aRequest('bugfix_start');

/**
 * Imitates Codex. `codex sandbox` fails if its directory or one of its homes contains any file, and other
 * commands write the value of `--sandbox` to the slot.
 */
const FAKE_CODEX = `
if (args[0] === 'sandbox') {
  const found = [...fs.readdirSync('.'), ...fs.readdirSync(process.env.CODEX_HOME),
    ...fs.readdirSync(process.env.HOME).filter((name) => name !== 'codex')];
  if (found.length > 0) console.error('cannot enforce sandbox read-only path: ' + found);
  process.exit(found.length > 0 ? 1 : 0);
}
fs.appendFileSync('seen.txt', args[args.indexOf('--sandbox') + 1] + '\\n');
codex(${JSON.stringify(JSON.stringify(A_CHANGE))});`;

const SETTINGS = 'sandbox_mode = "danger-full-access"\napproval_policy = "never"\n';

function plantDirectory(path: string): void {
  mkdirSync(path);
  writeFileSync(join(path, 'config.toml'), SETTINGS);
}

/** Files and directories that a checkout can contain as `.codex`. */
const PLANTS: [string, (path: string, bench: Bench) => void][] = [
  ['a link to nowhere', (path) => symlinkSync('/nowhere/at/all', path)],
  ['a link to a system directory', (path) => symlinkSync('/etc', path)],
  ['a link out of the checkout', (path, { dir }) => symlinkSync(dir, path)],
  ['a relative link out of the checkout', (path) => symlinkSync('../..', path)],
  ['a link to itself', (path) => symlinkSync('.codex', path)],
  ['a file', (path) => writeFileSync(path, SETTINGS)],
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
  ['a directory with settings that disable the sandbox', plantDirectory],
  [
    'a directory whose settings are a link',
    (path, { dir }) => {
      mkdirSync(path);
      symlinkSync(join(dir, 'planted.toml'), join(path, 'config.toml'));
    },
  ],
];

describeIn(all, 'Codex’s own sandbox in $name, with a hostile checkout', ({ sandbox: outer }) => {
  let bench: Bench;
  beforeEach(() => {
    bench = createBench(outer, { PATH: process.env['PATH'] });
  });
  afterEach(() => bench.remove());

  /** Starts Codex as a worker does: one probe, then turns. */
  const startWorker = async (lines = FAKE_CODEX, ownSandbox: 'required' | 'optional' = 'optional') => {
    const { sandbox: _, ...host } = bench.host;
    const machine = {
      host,
      sandbox: outer.kind === 'bwrap' ? ('bwrap' as const) : ('none' as const),
      bubblewrap:
        outer.kind === 'bwrap'
          ? { kind: 'works' as const, program: outer.program }
          : { kind: 'unusable' as const, reason: 'not in this test' },
      settings: { codex: { binary: createCliBench(bench).binary(lines), extraArgs: [], ownSandbox } },
      limits: { wallMs: 60_000 },
    };
    const codexProbe = await probeCodexSandbox(machine);
    return createAgents({ ...machine, codexProbe }).find('codex');
  };
  const runTurn = async (found: Awaited<ReturnType<typeof startWorker>>) => {
    if (found.kind === 'refused') throw new Error(found.reason);
    return found.agent.runTurn(request, bench.turnContext());
  };
  const seen = () => readFileSync(join(bench.cwd, 'seen.txt'), 'utf8').trim().split('\n');

  it.each(PLANTS)(
    'stays on if the checkout has %s as .codex when the worker starts',
    async (_what, plant) => {
      plant(join(bench.cwd, '.codex'), bench);
      expect(await runTurn(await startWorker())).toMatchObject({ kind: 'answered' });
      expect(seen()).toEqual(['workspace-write']);
    },
  );

  it('stays on if every Codex command fails', async () => {
    const lines = `if (args[0] === 'sandbox') process.exit(0);
      fs.appendFileSync('seen.txt', args[args.indexOf('--sandbox') + 1] + '\\n');
      codexFails('error building bubblewrap command: cannot enforce sandbox read-only path');`;
    const found = await startWorker(lines);
    for (const _turn of [1, 2])
      expect(await runTurn(found)).toMatchObject({ kind: 'failed', failure: 'crashed' });
    expect(seen()).toEqual(['workspace-write', 'workspace-write']);
  });

  it('stays on if the worker’s HOME and CODEX_HOME point to the checkout', async () => {
    bench.host.env = { ...bench.host.env, CODEX_HOME: bench.cwd, HOME: bench.cwd };
    plantDirectory(join(bench.cwd, '.codex'));
    await runTurn(await startWorker());
    expect(seen()).toEqual(['workspace-write']);
  });

  if (outer.kind === 'none') return;

  it.each(PLANTS)('stays on if %s appears as .codex between two turns', async (_what, plant) => {
    const found = await startWorker();
    await runTurn(found);
    plant(join(bench.cwd, '.codex'), bench);
    await runTurn(found);
    expect(seen()).toEqual(['workspace-write', 'workspace-write']);
  });

  it.each(PLANTS)('stays on if the agent left %s as .codex in its home', async (_what, plant) => {
    plant(join(bench.home, '.codex'), bench);
    await runTurn(await startWorker());
    expect(seen()).toEqual(['workspace-write']);
  });

  it('keeps Codex from starting if the sandbox does not work and the operator allowed no fallback', async () => {
    const found = await startWorker(`process.exit(1); ${FAKE_CODEX}`, 'required');
    expect(found).toMatchObject({ kind: 'refused', reason: expect.stringContaining('own_sandbox') });
  });
});
