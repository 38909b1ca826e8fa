import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { aRequest } from '@mergexo/testkit';
import { type Bench, createBench } from '../testing/bench.js';
import { findByCommand } from '../testing/processes.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';

const { all, bubblewrap } = await findSandboxes(process.env);

/** Starts a grandchild that listens on a port and writes the port to a file. Each generation has its own session. */
const daemon = (options: string): string => `
  const grandchild = \`
    const server = require('net').createServer().listen(0, '127.0.0.1', () =>
      require('fs').writeFileSync('port', String(server.address().port)));
    process.on('SIGTERM', () => {});\`;
  const child = \`require('child_process').spawn(process.execPath, ['-e', process.argv[1], process.argv[2]],
    { detached: true, stdio: 'ignore'${options} }).unref();\`;
  spawn(process.execPath, ['-e', child, grandchild, ${JSON.stringify('MARK')} + process.cwd()],
    { detached: true, stdio: 'ignore'${options} }).unref();
  const wait = setInterval(() => {
    if (!fs.existsSync('port')) return;
    clearInterval(wait);
    END
  }, 10);`;

const ENDINGS = [
  ['answers', 'answer({});'],
  ['fails', 'process.exit(1);'],
  ['is killed', `process.kill(process.pid, 'SIGKILL');`],
  ['hangs', 'forever();'],
] as const;

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

async function expectNothingLeft(bench: Bench): Promise<void> {
  expect(existsSync(join(bench.cwd, 'port'))).toBe(true);
  expect(findByCommand(bench.cwd)).toEqual([]);
  expect(await isOpen(Number(readFileSync(join(bench.cwd, 'port'), 'utf8')))).toBe(false);
}

describeIn(all, 'a process that an agent started in $name', ({ sandbox }) => {
  let bench: Bench;
  beforeEach(() => {
    bench = createBench(sandbox, process.env);
  });
  afterEach(() => bench.remove());

  it.each(ENDINGS)('is ended, and its port closed, when the agent %s', async (_name, ending) => {
    const agent = bench.agent(daemon('').replace('END', ending), { wallMs: 3_000 });
    await agent.runTurn(aRequest('bugfix_start'), bench.turnContext());
    await expectNothingLeft(bench);
  });

  it('is ended even if it forks repeatedly', async () => {
    const agent = bench.agent(
      `const fork = "require('child_process').spawn(process.execPath, ['-e', process.argv[1], process.argv[1], process.cwd()], { stdio: 'ignore' }); setInterval(() => {}, 1000)";
       spawn(process.execPath, ['-e', fork, fork, process.cwd()], { stdio: 'ignore' }); forever();`,
      { wallMs: 500 },
    );
    await agent.runTurn(aRequest('bugfix_start'), bench.turnContext());
    expect(findByCommand(bench.cwd)).toEqual([]);
  });

  it('does not delay the agent’s answer by keeping the output open', async () => {
    const agent = bench.agent(
      `spawn('sleep', ['60'], { stdio: 'inherit', detached: true }).unref(); answer({}); process.exit(0);`,
    );
    expect(await agent.runTurn(aRequest('bugfix_start'), bench.turnContext())).toMatchObject({
      kind: 'answered',
    });
  });
});

describeIn(bubblewrap, 'a hidden process in $name', ({ sandbox }) => {
  it('is ended even if it cleared its environment', async () => {
    const bench = createBench(sandbox, process.env);
    const agent = bench.agent(daemon(', env: {}').replace('END', 'answer({});'));
    expect(await agent.runTurn(aRequest('bugfix_start'), bench.turnContext())).toMatchObject({
      kind: 'answered',
    });
    await expectNothingLeft(bench);
    bench.remove();
  });
});
