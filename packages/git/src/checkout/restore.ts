import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '@mergexo/process';
import { settleAll } from '../files/settle-all.js';
import type { Mirror } from '../mirror/mirror.js';
import type { Door } from '../repository/git-tools.js';
import { makeRealDirectory, type Skeleton, writeSkeleton } from '../repository/write-skeleton.js';
import type { Author } from '../run/build-env.js';
import { checkBranch, checkSha } from '../run/check-names.js';
import { notFoundFailure } from '../run/to-failure.js';
import { isCurable, renewTrusted, showTree, type WorkingTree } from './working-tree.js';

export type RestoreRequest = {
  branch: string;
  /** The head that the branch must have on the remote; null for a branch that starts at the base branch's head. */
  startSha: string | null;
  baseBranch: string;
};

export type Restored =
  | { kind: 'ready'; head: string; baseSha: string }
  | { kind: 'mismatch'; expected: string; observed: string | null };

export type RestoreTools = {
  door: Door;
  tree: WorkingTree;
  mirror: Mirror;
  author: Author;
  signal: AbortSignal;
};

/** The slot as a turn must find it: the branch's files, nothing of anybody else's, and a repository to look around in. */
export async function restore(tools: RestoreTools, request: RestoreRequest): Promise<Restored> {
  checkBranch(request.branch);
  checkBranch(request.baseBranch);
  if (request.startSha !== null) checkSha(request.startSha);
  // Whatever the answer, the last task's repositories go.
  const [found] = await settleAll(findHead(tools, request), clear(tools.tree));
  if (found.kind === 'mismatch') return found;
  // Beside the slot until the slot's files are there: a slot that resists is thrown away as a whole.
  const agentRepository = `${tools.tree.slot}.git`;
  const content = describeAgentRepository(tools, request, found);
  await settleAll(fill(tools, found.head), writeSkeleton(agentRepository, content));
  await copyFile(join(tools.tree.trusted, 'index'), join(agentRepository, 'index'));
  await rename(agentRepository, join(tools.tree.slot, '.git'));
  return found;
}

async function clear(tree: WorkingTree): Promise<void> {
  await renewTrusted(tree);
  await makeRealDirectory(tree.slot);
  await removeTree(join(tree.slot, '.git'));
}

async function fill({ door, tree, mirror, signal }: RestoreTools, sha: string): Promise<void> {
  try {
    await showTree(door, tree, { sha, signal });
  } catch (error) {
    if (signal.aborted || !isCurable(error)) throw error;
    // A new slot did not help, so it is what the slot borrows from.
    await mirror.rebuild(signal);
    await showTree(door, tree, { sha, signal });
  }
}

async function findHead(tools: RestoreTools, request: RestoreRequest): Promise<Restored> {
  const first = await lookUp(tools, request);
  // What was pushed a moment ago may not be served everywhere yet.
  return first.kind === 'ready' ? first : lookUp(tools, request);
}

async function lookUp({ mirror, tree, signal }: RestoreTools, request: RestoreRequest): Promise<Restored> {
  const { branch, startSha, baseBranch } = request;
  const [baseSha, observed] = await mirror.look(signal, (readHead) =>
    Promise.all([readHead(baseBranch), readHead(branch)]),
  );
  if (baseSha === null)
    throw notFoundFailure(`${tree.label} has no branch ${baseBranch}; check the configured base branch`);
  if (startSha === null) return { kind: 'ready', head: baseSha, baseSha };
  if (observed !== startSha) return { kind: 'mismatch', expected: startSha, observed };
  return { kind: 'ready', head: startSha, baseSha };
}

/** Only for the agent's own `git log`, `git diff` and commits. No command of ours ever believes it. */
function describeAgentRepository(
  { tree, author }: RestoreTools,
  { branch, baseBranch }: RestoreRequest,
  { head, baseSha }: { head: string; baseSha: string },
): Skeleton {
  return {
    head: branch,
    bare: false,
    borrowsFrom: [tree.mirror],
    refs: { [`refs/heads/${branch}`]: head, [`refs/remotes/origin/${baseBranch}`]: baseSha },
    config: `[user]\n\tname = ${quote(author.name)}\n\temail = ${quote(author.email)}\n`,
  };
}

function quote(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&').replace(/\n/g, ' ')}"`;
}
