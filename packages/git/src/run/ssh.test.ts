import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { git, makeRemote, SEARCH_PATH, write } from '../testing/shell.js';
import { BRANCH, FILES, makeWorld, NEW_BRANCH, TRAILER } from '../testing/world.js';

describe('an ssh remote', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let remote: string;
  let searchPath: string;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    ({ remote } = makeRemote(directory.path, FILES));
    searchPath = [directory.path, SEARCH_PATH].join(delimiter);
  });
  afterEach(() => directory.remove());

  /** Replaces ssh with a script that logs its arguments and environment, and then acts as the server. */
  function replaceSsh(script: string): void {
    const log = join(directory.path, 'ssh.log');
    const logCall = `{ printf '%s\\n' "$@"; env; echo; } >> ${log}`;
    writeFileSync(join(directory.path, 'ssh'), `#!/bin/sh\n${logCall}\n${script}\n`);
    chmodSync(join(directory.path, 'ssh'), 0o755);
  }
  const open = (remoteUrl = `git@host.example:${remote}`) =>
    makeWorld({
      remoteUrl,
      searchPath,
      sshAuthSock: '/run/agent.sock',
      credential: () => Promise.reject(new Error('asked for a token')),
    });

  it("is fetched from and pushed to with the user's own key only", async () => {
    replaceSsh('for last; do :; done; eval "$last"');
    const world = open();
    try {
      const { slot, head } = await world.start();
      write(slot.path, { 'src/a.txt': 'fixed\n' });
      const collected = await slot.collect({ startSha: head, message: 'x', trailer: TRAILER });
      if (collected.kind !== 'collected') throw new Error(collected.kind);
      const { sha, bundle } = collected;
      const plan = { branch: BRANCH, startSha: head, sha, bundle };
      expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'pushed' });
      expect(git(remote, 'rev-parse', BRANCH)).toBe(sha);
      const logged = readFileSync(join(directory.path, 'ssh.log'), 'utf8');
      expect(logged).toContain('BatchMode=yes\n');
      expect(logged).toContain('StrictHostKeyChecking=yes\n');
      expect(logged).toContain('SSH_AUTH_SOCK=/run/agent.sock\n');
      expect(logged).toContain('git@host.example\n');
      expect(logged).not.toMatch(/Authorization|GIT_DIR=/);
    } finally {
      await world.remove();
    }
  });

  it.each([
    ['echo "Host key verification failed." >&2; exit 255', 'unauthorized'],
    ['echo "git@host: Permission denied (publickey)." >&2; exit 255', 'unauthorized'],
    ['echo "ssh: connect to host x port 22: No route to host" >&2; exit 255', 'unavailable'],
    ['echo "kex_exchange_identification: Connection closed by remote host" >&2; exit 255', 'unavailable'],
    ['echo "ERROR: Repository not found." >&2; exit 1', 'not-found'],
  ])('does not recreate the mirror when ssh fails: %s', async (script, kind) => {
    replaceSsh(script);
    const world = open();
    try {
      const slot = await world.lease();
      await expect(slot.restore(NEW_BRANCH)).rejects.toMatchObject({ name: 'Failure', kind });
      expect(world.logged).toEqual([]);
    } finally {
      await world.remove();
    }
  });

  it('is the only kind of remote for which ssh is started', async () => {
    replaceSsh('exit 1');
    const world = makeWorld({ searchPath, sshAuthSock: '/run/agent.sock' });
    try {
      await world.start();
      expect(() => readFileSync(join(directory.path, 'ssh.log'))).toThrow('ENOENT');
    } finally {
      await world.remove();
    }
  });
});
