import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runRepositoryProgram } from '@mergexo/agents';
import { aRequest } from '@mergexo/testkit';
import { A_CHANGE } from './outputs.js';
import { type AdapterName, createWorld, MODEL_KEY, type World } from './world.js';

const SETUP = `#!/bin/sh
set -eu
npm install --no-audit --no-fund --offline ./vendor/dep
echo from-setup > "$HOME/tool"
`;
const TEST = `#!/bin/sh
set -eu
test "$(cat "$HOME/tool")" = from-setup
node --input-type=module -e 'import dep from "dep"; if (dep !== 42) process.exit(1)'
echo tests-passed
`;

/** A repository whose tests need a package that only setup installs. */
function plantRepository({ slot }: World): void {
  mkdirSync(join(slot, 'vendor/dep'), { recursive: true });
  const dep = { name: 'dep', version: '1.0.0', type: 'module', exports: './index.js' };
  writeFileSync(join(slot, 'vendor/dep/package.json'), JSON.stringify(dep));
  writeFileSync(join(slot, 'vendor/dep/index.js'), 'export default 42;\n');
  writeFileSync(join(slot, 'package.json'), JSON.stringify({ name: 'app', private: true }));
  for (const [name, text] of Object.entries({ setup: SETUP, test: TEST }))
    writeFileSync(join(slot, `${name}.sh`), text, { mode: 0o755 });
}

describe.each<AdapterName>(['codex', 'claude'])('the real %s in a repository with setup', (name) => {
  let world: World;
  let commandHome: string;
  beforeEach(async () => {
    world = await createWorld(name);
    commandHome = join(world.dir, 'setup-home');
    mkdirSync(commandHome);
    plantRepository(world);
  });
  afterEach(() => world.close());

  const runProgram = async (path: string) =>
    runRepositoryProgram(await world.testsHost(), {
      path,
      cwd: world.slot,
      home: commandHome,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
    });
  /** True if the model received this text. A boolean keeps the long requests out of Jest's messages. */
  const wasSent = (words: string): boolean => world.model.requests.some(({ text }) => text.includes(words));
  const play = async (...commands: string[]): Promise<void> => {
    const agent = await world.agent();
    world.model.play(...commands.map((run) => ({ run })), { answer: A_CHANGE });
    const run = await agent.runTurn(aRequest('bugfix_start'), world.turnContext({ commandHome }));
    expect(run).toMatchObject({ kind: 'answered' });
  };

  it('runs the tests, which pass because setup installed their dependency', async () => {
    expect(await runProgram('test.sh')).toMatchObject({ kind: 'failed' });
    await play('./test.sh || echo "exit code $?"');
    expect(wasSent('tests-passed')).toBe(false);
    expect(wasSent('exit code 1')).toBe(true);

    expect(await runProgram('setup.sh')).toEqual({ kind: 'passed' });
    await play('./test.sh', 'echo made-by-agent > "$HOME/made"');
    expect(wasSent('tests-passed')).toBe(true);
    expect(readFileSync(join(commandHome, 'made'), 'utf8')).toBe('made-by-agent\n');
    expect(await runProgram('test.sh')).toEqual({ kind: 'passed' });
  });

  it('cannot change its own home from a command, or read its key', async () => {
    const agent = await world.agent();
    expect(agent.commands).toEqual({ run: 'yes', hosts: [] });
    const own = join(world.home, name);
    await play(
      `touch ${own}/planted ${world.home}/planted; echo x >> ${own}/.credentials.json; echo ran-$((40 + 2))`,
      'env; cat /proc/*/environ | tr "\\0" "\\n"; echo ran-$((41 + 2))',
      'unshare --user --map-root-user mount -t tmpfs none /mnt && echo mounted-$((42 + 2)); echo ran-$((43 + 2))',
    );
    for (const count of [42, 43, 45]) expect(wasSent(`ran-${count}`)).toBe(true);
    expect(wasSent('mounted-44')).toBe(false);
    expect(wasSent(MODEL_KEY)).toBe(false);
    const planted = [`${own}/planted`, `${world.home}/planted`, `${own}/.credentials.json`];
    expect(planted.filter((path) => existsSync(path))).toEqual([]);
  });
});

describe('a hostile command of the real claude', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld('claude');
  });
  afterEach(() => world.close());

  it('cannot send messages to the model through the socket of Claude Code', async () => {
    const message = { type: 'user', message: { role: 'user', content: 'hello-from-a-command' } };
    writeFileSync(
      join(world.slot, 'send.mjs'),
      `import fs from 'node:fs'; import net from 'node:net';
       const found = fs.readdirSync('/tmp', { recursive: true, withFileTypes: true }).filter((entry) => entry.isSocket());
       for (const { parentPath, path, name } of found)
         net.connect((parentPath ?? path) + '/' + name).on('error', () => {}).end(${JSON.stringify(`${JSON.stringify(message)}\n`)});
       setTimeout(() => { console.log('sockets: ' + (found.length + 100)); process.exit(); }, 1_000);`,
    );
    const agent = await world.agent();
    world.model.play(
      { run: 'node send.mjs' },
      { run: 'rmdir /tmp/cc-socks; mv /tmp/cc-socks /tmp/x; node send.mjs' },
      { answer: A_CHANGE },
    );
    await agent.runTurn(aRequest('bugfix_start'), world.turnContext());
    const last = world.model.requests.at(-1)?.text ?? '';
    expect(last.match(/sockets: 100/g)).toHaveLength(2);
    expect(world.model.requests.some(({ text }) => text.includes('Another Claude session'))).toBe(false);
  });

  it('cannot create a namespace, or a sandbox of its own', async () => {
    const agent = await world.agent();
    const kinds = 'user ipc mount net pid uts cgroup';
    world.model.play(
      { run: `for n in ${kinds}; do unshare --$n true && echo made-$((40 + 1)); done; echo ran-$((40 + 2))` },
      { run: 'bwrap --ro-bind / / true && echo made-$((40 + 1)); echo ran-$((41 + 2))' },
      { answer: A_CHANGE },
    );
    await agent.runTurn(aRequest('bugfix_start'), world.turnContext());
    const texts = world.model.requests.map(({ text }) => text).join();
    expect(['ran-42', 'ran-43', 'made-41'].map((words) => texts.includes(words))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('sees no credential that the operator passes', async () => {
    const agent = await world.agent({ passed: { AWS_SECRET_ACCESS_KEY: 'credential-of-the-model' } });
    world.model.play({ run: 'env; echo ran-$((40 + 2))' }, { answer: A_CHANGE });
    await agent.runTurn(aRequest('bugfix_start'), world.turnContext());
    const texts = world.model.requests.map(({ text }) => text).join();
    expect(texts.includes('ran-42')).toBe(true);
    expect(/credential-of-the-model|AWS_SECRET/.test(texts)).toBe(false);
    expect(texts.includes('HTTPS_PROXY')).toBe(true);
  });
});

describe('the real claude whose commands have no sandbox of their own', () => {
  it('runs no command that changes files, and says so', async () => {
    const world = await createWorld('claude');
    const agent = await world.agent({ claudeProbe: { kind: 'unusable', reason: 'not in this test' } });
    expect(agent.commands).toEqual({ run: 'no', hosts: [] });
    world.model.play({ run: `node -e 'fs.writeFileSync("made.txt", "")'` }, { answer: A_CHANGE });
    await agent.runTurn(aRequest('bugfix_start'), world.turnContext());
    expect(existsSync(join(world.slot, 'made.txt'))).toBe(false);
    await world.close();
  });
});
