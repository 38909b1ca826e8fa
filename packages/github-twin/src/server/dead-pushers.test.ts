import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gitEnv } from '../basics/git-env.js';
import { ask, read } from '../testing/ask.js';
import { commitFile, git, mustGit, withToken } from '../testing/git.js';
import { AT, cleanUp, makeTempDir, REPO, startTestTwin, type Twin } from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';

/** Starts a git command that can be killed with all its child processes, as a machine crash would. */
function startGit(cwd: string, ...args: string[]): { ended: Promise<unknown>; kill(): void } {
  const child: ChildProcess = spawn('git', args, { cwd, env: gitEnv(), stdio: 'ignore', detached: true });
  const ended = once(child, 'exit');
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  return { ended, kill };
}

/** Lists the pids of git processes that belong to the twin with this root directory. */
function listBackends(root: string): string[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readQuietly(`/proc/${pid}/environ`).includes(`GIT_PROJECT_ROOT=${root}/`));
}

function readQuietly(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function startWithClone(bytes = 10) {
  const twin = await startTestTwin();
  const dir = makeTempDir();
  await mustGit(dir, 'clone', '-q', withToken(twin.gitUrl('acme', 'app'), twin.tokens['bob'] ?? ''), 'clone');
  const clone = path.join(dir, 'clone');
  const sha = await commitFile(clone, 'file.bin', randomBytes(bytes));
  return { twin, clone, sha };
}

const outcomes = (twin: Twin) =>
  twin.history
    .list('request')
    .filter(({ route }) => route === 'GIT push')
    .map(({ outcome }) => outcome);

/** Holds the repository's lock until the returned function is called. */
function occupy(twin: Twin): () => void {
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const [repo] = twin.world.store.repos.all();
  if (repo) void twin.world.gitRepo(repo).lock(() => left);
  cleanUp(leave);
  return leave;
}

describe('a push by a client that dies', () => {
  it('leaves the repository writable for others, and lets the twin stop', async () => {
    const { twin, clone, sha } = await startWithClone(3 * 1024 * 1024);
    for (let round = 0; round < 4; round += 1) {
      const pushes = [1, 2, 3].map((index) =>
        startGit(clone, 'push', '-q', 'origin', `HEAD:refs/heads/r${round}-${index}`),
      );
      await delay(60 + round * 60);
      for (const push of pushes) push.kill();
      await Promise.all(pushes.map(({ ended }) => ended));
    }
    await mustGit(clone, 'push', '-q', 'origin', 'HEAD:alive');
    const body = { ref: 'refs/heads/made', sha };
    expect((await ask(twin, `POST ${AT}/git/refs`, { as: 'bob', body })).status).toBe(201);
    await twin.stop();
    await waitFor(() => listBackends(twin.world.root).length === 0, 'git to exit');
  });

  it('has no effect if the client dies while the push waits for the repository’s lock', async () => {
    const { twin, clone } = await startWithClone();
    const leave = occupy(twin);
    const hold = twin.control.fault({ route: 'GIT push', kind: 'hold' });
    const push = startGit(clone, 'push', '-q', 'origin', 'HEAD:never');
    await waitFor(() => hold.waiting() === 1, 'the hold');
    hold.release();
    push.kill();
    await push.ended;
    await delay(300);
    leave();
    await waitFor(() => outcomes(twin).length === 1);
    expect(outcomes(twin)).toEqual(['client-gone']);
    expect((await ask(twin, `GET ${AT}/branches/never`)).status).toBe(404);
  });

  it('is recorded if the client dies in the middle of a large body, even while a fault holds the push', async () => {
    const { twin, clone } = await startWithClone(8 * 1024 * 1024);
    const hold = twin.control.fault({ route: 'GIT push', kind: 'hold' });
    const push = startGit(clone, 'push', '-q', 'origin', 'HEAD:never');
    await waitFor(() => hold.waiting() === 1, 'the hold');
    push.kill();
    await waitFor(() => outcomes(twin).includes('client-gone'), 'the pusher to exit');
    hold.release();
    expect((await ask(twin, `GET ${AT}/branches/never`)).status).toBe(404);
  });
});

describe('a push that stalls in the middle of its body', () => {
  it('does not block other pushes, merges and ref updates', async () => {
    const { twin, clone } = await startWithClone();
    const url = new URL(`${twin.gitUrl('acme', 'app')}/git-receive-pack`);
    const stalled = request(url, {
      method: 'POST',
      auth: `x:${twin.tokens['bob']}`,
      headers: { 'content-type': 'application/x-git-receive-pack-request', 'content-length': 5_000 },
    });
    stalled.on('error', () => {});
    stalled.write('0123');
    expect((await git(clone, 'push', 'origin', 'HEAD:topic')).code).toBe(0);
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    await twin.as('alice').merge(REPO, number);
    expect(await read(twin, `GET ${AT}/pulls/${number}`, 'merged')).toBe(true);
    stalled.destroy();
    await waitFor(() => outcomes(twin).includes('client-gone'));
    expect(listBackends(twin.world.root)).toEqual([]);
  });
});
