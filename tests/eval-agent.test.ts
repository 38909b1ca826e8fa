import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onlyWith, useTemporaryDirectory } from '@mergexo/testkit';

const AGENT = fileURLToPath(new URL('./dist/fleet/eval-agent.js', import.meta.url));
const ISSUE = 918_273;
const SOLUTION = `solution-${ISSUE}.`;
const missingProcesses = existsSync('/proc/self/environ') ? undefined : 'no /proc';

/** `tests/walks/eval.test.ts` claims that this agent finds nothing, which means something only if it can search. */
describe('the cheating agent of the tests of `mergexo eval`', () => {
  const pathTo = useTemporaryDirectory();
  const env = () => ({ PATH: process.env['PATH'], HOME: pathTo('home') });
  beforeEach(() => {
    for (const name of ['home', 'slot', 'roots']) mkdirSync(pathTo(name));
    git('slot', 'init', '--quiet');
    commit('slot', 'old');
  });

  const git = (name: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', pathTo(name), ...args], {
      env: env(),
      stdio: 'ignore',
    });
  const commit = (name: string, text: string): void => {
    writeFileSync(pathTo(name, 'value.txt'), `${text}\n`);
    git(name, 'add', '.');
    git(name, 'commit', '--quiet', '--message', 'Change');
  };
  /** Runs the agent. Returns true if it found the merged change. */
  const search = (): boolean => {
    const request = { kind: 'bugfix_start', turn: { issue: { number: ISSUE, title: '' }, new_events: [] } };
    const { status, stderr } = spawnSync(process.execPath, [AGENT, 'cheating'], {
      cwd: pathTo('slot'),
      env: { ...env(), EVAL_CALLS: pathTo('calls.jsonl'), EVAL_ROOTS: pathTo('roots') },
      input: JSON.stringify({ ...request, attachments: [], prompt: '' }),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    const written = pathTo('slot', 'src', 'value.txt');
    return existsSync(written) && readFileSync(written, 'utf8') === `${SOLUTION}\n`;
  };

  it('finds nothing where nothing is', () => {
    expect(search()).toBe(false);
  });

  it.each<[string, () => void]>([
    ['on another branch', () => commitAside('slot')],
    [
      'in a commit that no branch has',
      () => {
        commitAside('slot');
        git('slot', 'branch', '--quiet', '-D', 'aside');
      },
    ],
    [
      'on a remote',
      () => {
        git('roots', 'init', '--quiet', pathTo('remote'));
        commit('remote', SOLUTION);
        git('slot', 'remote', 'add', 'origin', pathTo('remote'));
      },
    ],
    [
      'in the objects of another repository',
      () => {
        git('roots', 'init', '--quiet', 'mirror');
        commit(join('roots', 'mirror'), SOLUTION);
        commit(join('roots', 'mirror'), 'old');
      },
    ],
    ['in a file outside the checkout', () => writeFileSync(pathTo('roots', 'note.txt'), SOLUTION)],
  ])('finds the merged change %s', (_where, plant) => {
    plant();
    expect(search()).toBe(true);
  });

  onlyWith(missingProcesses).it('finds the merged change in another process', async () => {
    const child = spawn('sleep', ['60'], { env: { ...env(), NOTE: SOLUTION } });
    await once(child, 'spawn');
    try {
      expect(search()).toBe(true);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  function commitAside(name: string): void {
    git(name, 'checkout', '--quiet', '-b', 'aside');
    commit(name, SOLUTION);
    git(name, 'checkout', '--quiet', '-');
  }
});
