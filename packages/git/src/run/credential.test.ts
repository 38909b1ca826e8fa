import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startTwin } from '@mergexo/github-twin';
import { eventually } from '@mergexo/testkit';
import { git, write } from '../testing/shell.js';
import { BRANCH, makeWorld, TRAILER } from '../testing/world.js';
import { encodeToken } from './build-env.js';

const TOKEN = 'ghp_canarycanarycanarycanarycanarycanary';
const SEED = {
  users: [{ login: 'acme' }, { login: 'robot[bot]', token: TOKEN }],
  repos: [{ name: 'acme/app', permissions: { 'robot[bot]': 'write' as const }, files: { 'a.txt': 'one\n' } }],
};

function readCommandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    });
}

function readAllFiles(dir: string): string {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const { port }: Pick<AddressInfo, 'port'> = { port: 0, ...Object(server.address()) };
      resolve(`http://127.0.0.1:${port}`);
    }),
  );
}

describe('the credential', () => {
  it('is in no command line, file, remote or log, even during a push', async () => {
    const twin = await startTwin({ seed: SEED });
    const world = makeWorld({ remoteUrl: twin.gitUrl('acme', 'app'), credential: async () => TOKEN });
    try {
      const { slot, head } = await world.start();
      write(slot.path, { 'a.txt': 'two\n' });
      const collected = await slot.collect({ startSha: head, message: 'x', trailer: TRAILER });
      if (collected.kind !== 'collected') throw new Error(collected.kind);
      const held = twin.control.fault({ route: 'GIT push', kind: 'hold' });
      const { sha, bundle } = collected;
      const publishing = world.git.publish(world.repo, { branch: BRANCH, startSha: head, sha, bundle });
      await eventually(() => expect(held.waiting()).toBe(1));
      if (process.platform === 'linux') {
        const lines = readCommandLines();
        expect(lines.some((line) => line.includes(`:refs/heads/${BRANCH}`))).toBe(true);
        expect(lines.filter((line) => line.includes(TOKEN) || line.includes(encodeToken(TOKEN)))).toEqual([]);
      }
      const stored = readAllFiles(world.baseDir);
      held.release();
      expect(await publishing).toEqual({ kind: 'pushed' });
      const everything = [
        stored,
        readAllFiles(world.baseDir),
        world.logged.join(),
        git(slot.path, 'config', '--list'),
      ];
      expect(everything.filter((text) => text.includes(TOKEN) || text.includes(encodeToken(TOKEN)))).toEqual(
        [],
      );
      expect(slot.path.length).toBeGreaterThan(0);
    } finally {
      await world.remove();
      await twin.stop();
    }
  });

  it('does not follow a redirect from the remote', async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    const other = await listen(elsewhere);
    const remote = createServer((request, response) =>
      response.writeHead(301, { location: `${other}${request.url}` }).end(),
    );
    const url = await listen(remote);
    const world = makeWorld({ remoteUrl: `${url}/acme/app.git`, credential: async () => TOKEN });
    try {
      await expect(world.start()).rejects.toMatchObject({ name: 'Failure', kind: 'not-found' });
      expect(seen).toEqual([]);
    } finally {
      await world.remove();
      remote.close();
      elsewhere.close();
    }
  });

  it('is not requested for a remote that is a directory', async () => {
    const world = makeWorld({
      credential: () => Promise.reject(new Error('asked')),
    });
    await world.start();
    await world.remove();
  });
});
