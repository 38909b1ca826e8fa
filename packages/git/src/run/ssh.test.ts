import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { git, makeRemote, SEARCH_PATH, write } from '../testing/shell.js';
import { BRANCH, FILES, makeWorld, NEW_BRANCH, TRAILER } from '../testing/world.js';

describe('a remote behind ssh', () => {
  let place: ReturnType<typeof createTemporaryDirectory>;
  let remote: string;
  let searchPath: string;
  beforeEach(() => {
    place = createTemporaryDirectory();
    ({ remote } = makeRemote(place.path, FILES));
    searchPath = [place.path, SEARCH_PATH].join(delimiter);
  });
  afterEach(() => place.remove());

  /** Replaces ssh with a script that logs its arguments and environment, and then acts as the server. */
  function pretendSsh(act: string): void {
    const log = join(place.path, 'ssh.log');
    const tell = `{ printf '%s\\n' "$@"; env; echo; } >> ${log}`;
    writeFileSync(join(place.path, 'ssh'), `#!/bin/sh\n${tell}\n${act}\n`);
    chmodSync(join(place.path, 'ssh'), 0o755);
  }
  const open = (remoteUrl = `git@host.example:${remote}`) =>
    makeWorld({
      remoteUrl,
      searchPath,
      sshAuthSock: '/run/agent.sock',
      credential: () => Promise.reject(new Error('asked for a token')),
    });

  it("is fetched from and pushed to with the user's own key only", async () => {
    pretendSsh('for last; do :; done; eval "$last"');
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
      const said = readFileSync(join(place.path, 'ssh.log'), 'utf8');
      expect(said).toContain('BatchMode=yes\n');
      expect(said).toContain('StrictHostKeyChecking=yes\n');
      expect(said).toContain('SSH_AUTH_SOCK=/run/agent.sock\n');
      expect(said).toContain('git@host.example\n');
      expect(said).not.toMatch(/Authorization|GIT_DIR=/);
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
  ])('that answers %s does not cause a new mirror', async (act, kind) => {
    pretendSsh(act);
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
    pretendSsh('exit 1');
    const world = makeWorld({ searchPath, sshAuthSock: '/run/agent.sock' });
    try {
      await world.start();
      expect(() => readFileSync(join(place.path, 'ssh.log'))).toThrow('ENOENT');
    } finally {
      await world.remove();
    }
  });
});
