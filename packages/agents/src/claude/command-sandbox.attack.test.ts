import { aRequest } from '@mergexo/testkit';
import { z } from 'zod';
import { ALWAYS_DENIED, DENIED_WITHOUT_NESTING } from '../sandbox/denied-syscalls.js';
import { type Bench, createBench } from '../testing/bench.js';
import { createCliBench } from '../testing/cli-bench.js';
import { compileAttack, withCompiler } from '../testing/compile-attack.js';
import { describeIn, findSandboxes, type SandboxUnderTest } from '../testing/sandboxes.js';
import { callAll, expectedError, listAttempts } from '../testing/syscall-attempts.js';
import { probeCommandSandbox } from './command-sandbox.js';

const path = process.env['PATH'] ?? '';
const { bubblewrap } = await findSandboxes({ PATH: path });
const ATTEMPTS = listAttempts([...ALWAYS_DENIED, ...DENIED_WITHOUT_NESTING]);

/** Marks bubblewrap as missing if it cannot run inside bubblewrap on this machine. */
async function withNesting(under: SandboxUnderTest): Promise<SandboxUnderTest> {
  if (under.missing !== undefined || under.sandbox.kind !== 'bwrap') return under;
  const { program } = under.sandbox;
  const bench = createBench(under.sandbox, { PATH: path });
  const machine = { host: bench.host, sandbox: 'bwrap', bubblewrap: { kind: 'works', program } } as const;
  const probe = await probeCommandSandbox(machine).finally(bench.remove);
  return probe?.kind === 'works' ? under : { missing: 'bubblewrap cannot run inside bubblewrap', ...under };
}

const nesting = withCompiler(await Promise.all(bubblewrap.map(withNesting)), path);

describeIn(nesting, 'a command of Claude Code in its own sandbox in $name', ({ sandbox }) => {
  let bench: Bench;
  beforeAll(() => {
    bench = createBench(sandbox, { PATH: path });
    compileAttack(bench.cwd);
  });
  afterAll(() => bench.remove());

  /** Runs the command as Claude Code does, and returns its output. */
  const run = async (command: string): Promise<string> => {
    const agent = createCliBench(bench).sandboxingClaude(`
      const { spawnSync } = await import('node:child_process');
      const { stdout, stderr } = spawnSync(process.env.CLAUDE_CODE_SHELL_PREFIX, [${JSON.stringify(command)}], { encoding: 'utf8' });
      claude({ structured_output: { output: stdout + stderr } });`);
    const ended = await agent.runTurn(aRequest('bugfix_start'), bench.turnContext());
    if (ended.kind === 'failed') throw new Error(ended.message);
    return z.object({ output: z.string() }).parse(ended.output).output.trim();
  };

  it('cannot make any denied system call, although Claude Code itself may create a sandbox', async () => {
    const errors = (await run(callAll(ATTEMPTS))).split('\n');
    const results = ATTEMPTS.map(({ name }, index) => [name, errors[index]]);
    expect(results).toEqual(ATTEMPTS.map((attempt) => [attempt.name, expectedError(attempt)]));
  });

  it.each([
    '--user',
    '--ipc',
    '--mount',
    '--net',
    '--pid',
    '--uts',
    '--cgroup',
    '--user --map-root-user --ipc',
  ])('cannot create a namespace with unshare %s', async (options) => {
    expect(await run(`unshare ${options} true 2>/dev/null && echo made || echo refused`)).toBe('refused');
  });

  it('cannot create a user namespace with clone', async () => {
    expect(await run('./attack clone')).toBe('refused');
  });

  it('cannot start another sandbox', async () => {
    const command = 'bwrap --ro-bind / / true 2>/dev/null && echo made || echo refused';
    expect(await run(command)).toBe('refused');
  });
});
