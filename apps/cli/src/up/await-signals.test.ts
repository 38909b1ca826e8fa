import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

const MODULE = new URL('../../dist/up/await-signals.js', import.meta.url).href;
const SCRIPT = `
  const { awaitSignals } = await import(${JSON.stringify(MODULE)});
  const signals = awaitSignals();
  const exit = (name) => { console.log(name); process.exit(); };
  signals.first.then(exit);
  process.stdin.on('data', () => exit('still running')).resume();
  console.log('ready');
`;

describe('awaitSignals', () => {
  it.each([
    ['reports a stop request when its npm parent exits', { npm_command: 'exec' }, 'the parent process ended'],
    ['keeps running when a shell that is not npm exits', { npm_command: '' }, 'still running'],
  ])('%s', async (_title, env, expected) => {
    // Like the shell that `npx` starts, this shell exits on the signal without forwarding the signal.
    const shell = spawn(
      'sh',
      ['-c', '"$0" --input-type=module -e "$1" <&3; true', process.execPath, SCRIPT],
      {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
      },
    );
    if (shell.stdout === null) throw new Error('no pipe');
    const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
    expect(await lines.next()).toMatchObject({ value: 'ready' });
    shell.kill('SIGTERM');
    await once(shell, 'exit');
    const input = shell.stdio[3];
    if (!(input instanceof Writable)) throw new Error('no pipe');
    const probe = setTimeout(() => input.write('x'), expected === 'still running' ? 1_000 : 4_000);
    expect(await lines.next()).toMatchObject({ value: expected });
    clearTimeout(probe);
    input.destroy();
  });
});
