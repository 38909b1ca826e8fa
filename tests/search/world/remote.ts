import { createMemoryRepo, findMemoryRepo, Packed, type Twin } from '@mergexo/github-twin';
import { z } from 'zod';
import { POSTER, REPO } from './constants.js';
import type { Network } from './network.js';

export type Remote = ReturnType<typeof createRemote>;

type Work = { head: string; files: Record<string, string | null>; message: string; atMs: number };
type Publish = {
  branch: string;
  startSha: string;
  sha: string;
  bundle: Buffer;
  continues?: boolean;
};
type Published =
  | { kind: 'pushed' }
  | { kind: 'superseded'; remoteHead: string | null }
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string };

/** How the next pushes end, instead of normally. */
export type PushTrouble = 'lost-before' | 'lost-after' | 'refused';

/**
 * The git remote as a worker sees it. Commits are made in a clone, travel as a bundle, and are pushed as a fast-forward
 * with the same decisions as `publish` of the package `git`.
 */
export function createRemote(twin: Twin, network: Network) {
  const origin = findMemoryRepo(twin.repoDir(REPO));
  if (origin === undefined) throw new Error('the twin must run in the process');
  const troubles: PushTrouble[] = [];
  const readHead = (branch: string): string | null => origin.refs.get(`refs/heads/${branch}`) ?? null;
  const isOnSomeBranch = (sha: string): boolean =>
    origin.resolve(sha) !== undefined &&
    [...origin.refs].some(([ref, head]) => ref.startsWith('refs/heads/') && origin.isAncestor(sha, head));

  const decide = ({ branch, startSha, sha, continues }: Publish): Published | { kind: 'push' } => {
    const head = readHead(branch);
    if (head === startSha) return { kind: 'push' };
    if (head !== null) {
      const isThere = origin.resolve(sha) !== undefined && origin.isAncestor(sha, head);
      return isThere ? { kind: 'pushed' } : { kind: 'superseded', remoteHead: head };
    }
    if (isOnSomeBranch(sha)) return { kind: 'pushed' };
    return continues !== true && isOnSomeBranch(startSha)
      ? { kind: 'push' }
      : { kind: 'superseded', remoteHead: null };
  };

  return {
    troubles,
    readHead,
    listFiles: (sha: string): string[] | undefined =>
      origin.resolve(sha) === undefined ? undefined : [...origin.readFiles(sha).keys()],
    readFile: (sha: string, path: string): string | undefined => {
      const entry = origin.readFiles(sha).get(path);
      return entry && origin.objects.readBlob(entry.sha).toString();
    },
    hasCommit: (sha: string): boolean => origin.resolve(sha) !== undefined,
    isAncestor: (older: string, newer: string): boolean => origin.isAncestor(older, newer),
    /** Makes a commit in a fresh clone. Nobody else sees it until its bundle is pushed. */
    commit({ head, files, message, atMs }: Work): { sha: string; bundle: string } {
      const clone = createMemoryRepo(origin.objects);
      const author = { name: POSTER, email: `${POSTER}@example.test` };
      const sha = clone.commit({ files, message, parent: head, author, atMs });
      return { sha, bundle: Buffer.from(JSON.stringify(clone.objects.pack())).toString('base64') };
    },
    /** Pushes the bundle, unless the link of this worker is cut. */
    async publish(link: string, request: Publish): Promise<Published> {
      await network.travel('git');
      if (network.isCut(link)) return { kind: 'failed', reason: 'the remote did not respond' };
      const decision = decide(request);
      if (decision.kind !== 'push') return decision;
      const trouble = troubles.shift();
      if (trouble === 'lost-before') return { kind: 'failed', reason: 'the connection was lost' };
      if (trouble === 'refused')
        return { kind: 'refused', reason: 'a rule of the repository forbids the push' };
      const { branch, startSha, sha, bundle } = request;
      const objects = z.array(Packed).parse(JSON.parse(bundle.toString()));
      const expected = readHead(branch) === null ? null : startSha;
      const pushed = await twin.pushObjects(POSTER, REPO, { branch, after: sha, objects, expected });
      await network.travel('git');
      if (trouble === 'lost-after') return { kind: 'failed', reason: 'the connection was lost' };
      return pushed === 'pushed' ? { kind: 'pushed' } : { kind: 'superseded', remoteHead: readHead(branch) };
    },
  };
}
