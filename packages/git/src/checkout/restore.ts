import { join } from 'node:path';
import { removeTree } from '@mergexo/process';
import { settleAll } from '../files/settle-all.js';
import type { Mirror } from '../mirror/mirror.js';
import type { GitTools } from '../repository/git-tools.js';
import { makeRealDirectory } from '../repository/write-skeleton.js';
import type { Author } from '../run/build-env.js';
import { checkBranch, checkSha } from '../run/check-names.js';
import { createFailure } from '../run/to-failure.js';
import { describeAgentRepository, moveInside, writeBeside } from './agent-repository.js';
import { checkOutTree, isRepairable, resetTrustedRepo, type WorkingTree } from './working-tree.js';

export type RestoreRequest = {
  branch: string;
  /** The head that the branch must have on the remote; null for a branch that starts at the base branch's head. */
  startSha: string | null;
  baseBranch: string;
};

export type Restored =
  | { kind: 'ready'; head: string; baseSha: string }
  | { kind: 'mismatch'; expected: string; observed: string | null };

type RestoreTools = GitTools & {
  tree: WorkingTree;
  mirror: Mirror;
  author: Author;
  signal: AbortSignal;
};

/** Prepares the slot for a turn, with exactly the branch's files and a repository in which the agent can use git. */
export async function restore(tools: RestoreTools, request: RestoreRequest): Promise<Restored> {
  checkBranch(request.branch);
  checkBranch(request.baseBranch);
  if (request.startSha !== null) checkSha(request.startSha);
  // Always removes the previous turn's repositories, even if the head does not match.
  const [found] = await settleAll(findHead(tools, request), clear(tools.tree));
  if (found.kind === 'mismatch') return found;
  const content = describeAgentRepository(tools, request, found);
  await settleAll(fill(tools, found.head), writeBeside(tools.tree, content));
  await moveInside(tools.tree);
  return found;
}

async function clear(tree: WorkingTree): Promise<void> {
  await resetTrustedRepo(tree);
  await makeRealDirectory(tree.slot);
  await removeTree(join(tree.slot, '.git'));
}

async function fill(tools: RestoreTools, sha: string): Promise<void> {
  const { tree, mirror, signal } = tools;
  try {
    await checkOutTree(tools, tree, { sha, signal });
  } catch (error) {
    if (signal.aborted || !isRepairable(error)) throw error;
    // A new slot did not help, so the mirror is probably damaged.
    await mirror.rebuild(signal);
    await checkOutTree(tools, tree, { sha, signal });
  }
}

async function findHead(tools: RestoreTools, request: RestoreRequest): Promise<Restored> {
  const first = await lookUp(tools, request);
  // Fetches the branch again, because some of GitHub's servers may not have a new push yet.
  return first.kind === 'ready' ? first : lookUp(tools, request);
}

async function lookUp({ mirror, tree, signal }: RestoreTools, request: RestoreRequest): Promise<Restored> {
  const { branch, startSha, baseBranch } = request;
  const [baseSha, observed] = await mirror.fetch(signal, (readHead) =>
    Promise.all([readHead(baseBranch), readHead(branch)]),
  );
  if (baseSha === null)
    throw createFailure(
      'not-found',
      `${tree.label} has no branch ${baseBranch}; check the configured base branch`,
    );
  if (startSha === null) return { kind: 'ready', head: baseSha, baseSha };
  if (observed !== startSha) return { kind: 'mismatch', expected: startSha, observed };
  return { kind: 'ready', head: startSha, baseSha };
}
