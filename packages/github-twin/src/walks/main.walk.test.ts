import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitFile, mustGit, withToken } from '../testing/git.js';
import { at, each } from '../testing/json-fields.js';
import { cleanUp, makeTempDir, SEED } from '../testing/test-twin.js';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

type Program = { child: ChildProcess; url: string; tokens: Record<string, string> };

/** Starts the built program. `npm test` builds it first. */
async function startProgram(...args: string[]): Promise<Program> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanUp(() => void child.kill('SIGKILL'));
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.includes('ready\n')) break;
  }
  const tokens = [...output.matchAll(/^token (\S+) (\S+)$/gm)].map(([, login = '', token = '']) => [
    login,
    token,
  ]);
  return { child, url: /^url (\S+)$/m.exec(output)?.[1] ?? '', tokens: Object.fromEntries(tokens) };
}

async function get({ url, tokens }: Program, where: string): Promise<unknown> {
  const response = await fetch(`${url}${where}`, { headers: { authorization: `token ${tokens['alice']}` } });
  return response.json();
}

async function post({ url, tokens }: Program, where: string, body: object): Promise<unknown> {
  const headers = { authorization: `token ${tokens['alice']}` };
  const response = await fetch(`${url}${where}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}

async function end({ child }: Program, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  child.kill(signal);
  await once(child, 'exit');
  return child.exitCode;
}

describe('the twin’s program', () => {
  it('starts with an example, prints its address and tokens, and exits cleanly on SIGTERM', async () => {
    const program = await startProgram();
    expect(at(await get(program, '/user'), 'login')).toBe('alice');
    expect(await end(program, 'SIGTERM')).toBe(0);
  });

  it('serves pages only with --pages', async () => {
    const headers = { accept: 'text/html' };
    const statusOf = async (...args: string[]) =>
      (await fetch(`${(await startProgram(...args)).url}/acme/app/issues`, { headers })).status;
    expect([await statusOf('--pages'), await statusOf()]).toEqual([200, 401]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'restores rows, tokens, ids, repositories and history after %s',
    async (signal) => {
      const dir = path.join(makeTempDir(), 'state');
      const seed = path.join(makeTempDir(), 'seed.json');
      fs.writeFileSync(seed, JSON.stringify(SEED));
      const first = await startProgram('--dir', dir, '--seed', seed);
      const issue = await post(first, '/repos/acme/app/issues', { title: 'Kept' });
      const comments = `/repos/acme/app/issues/${at(issue, 'number')}/comments`;
      const comment = await post(first, comments, { body: 'Kept as well' });
      const clone = path.join(makeTempDir(), 'clone');
      const address = withToken(`${first.url}/acme/app.git`, first.tokens['alice'] ?? '');
      await mustGit(path.dirname(clone), 'clone', '-q', address, 'clone');
      const sha = await commitFile(clone, 'a.txt', 'a\n');
      await mustGit(clone, 'push', '-q', 'origin', 'HEAD:topic');
      await end(first, signal);

      const second = await startProgram('--dir', dir, '--control');
      expect(second.tokens).toEqual(first.tokens);
      expect(each(await get(second, '/repos/acme/app/issues/comments'), 'id')).toEqual([at(comment, 'id')]);
      expect(at(await get(second, '/repos/acme/app/branches/topic'), 'commit', 'sha')).toBe(sha);
      const next = await post(second, '/repos/acme/app/issues', { title: 'Next' });
      expect(Number(at(next, 'id'))).toBeGreaterThan(Number(at(comment, 'id')));
      expect(at(next, 'number')).toBe(Number(at(issue, 'number')) + 1);
      const history = await (await fetch(`${second.url}/_twin/history?kind=ref`)).json();
      expect(each(history, 'ref')).toContain('refs/heads/topic');
      expect(await end(second, 'SIGTERM')).toBe(0);
    },
  );

  it('refuses a directory that another twin uses, and starts after that twin was killed', async () => {
    const dir = path.join(makeTempDir(), 'state');
    const first = await startProgram('--dir', dir);
    expect(await complaint('--dir', dir)).toContain('is in use by another twin');
    await end(first, 'SIGKILL');
    expect(await end(await startProgram('--dir', dir), 'SIGTERM')).toBe(0);
  });

  it('rejects a busy port and an invalid seed, each with a one-line error', async () => {
    const seed = path.join(makeTempDir(), 'seed.json');
    fs.writeFileSync(seed, JSON.stringify({ users: [{ login: 'a', colour: 'red' }] }));
    expect(await complaint('--seed', seed)).toContain('colour');
    expect(await complaint('--seed', `${seed}.missing`)).toMatch(/^The seed \S+\.missing does not exist/);
    fs.writeFileSync(seed, '{');
    expect(await complaint('--seed', seed)).toMatch(/^The seed \S+ is not JSON/);
    const { url } = await startProgram();
    const { port } = new URL(url);
    expect(await complaint('--port', port)).toMatch(new RegExp(`^Port ${port} is in use`));
  });

  it.each([
    [['--port', 'abc'], /--port must be a number from 0 to 65535, not "abc"/],
    [['--latency', 'soon'], /--latency must be a number from 0 to 60000, not "soon"/],
    [['--prot', '1'], /--prot/],
  ])('exits with code 2 for the invalid arguments %j', async (args, reason) => {
    const { code, text } = await fail(...args);
    expect([code, text]).toEqual([2, expect.stringMatching(reason)]);
  });
});

async function complaint(...args: string[]): Promise<string> {
  return (await fail(...args)).text;
}

async function fail(...args: string[]): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stderr) text += String(chunk);
  await ended;
  return { code: child.exitCode, text };
}
