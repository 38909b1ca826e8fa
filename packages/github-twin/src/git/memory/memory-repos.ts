import { createMemoryRepo, type MemoryRepo } from './memory-repo.js';

/** A directory name with this start refers to a repository in memory. No such path exists on a disk. */
const PREFIX = 'memory:';

const repos = new Map<string, MemoryRepo>();
let roots = 0;

export function createMemoryRoot(): string {
  roots += 1;
  return `${PREFIX}${roots}`;
}

/** Forgets all repositories below the root. */
export function dropMemoryRoot(root: string): void {
  for (const dir of repos.keys()) if (dir.startsWith(`${root}/`)) repos.delete(dir);
}

/** Returns undefined for a directory on the disk. */
export function findMemoryRepo(dir: string): MemoryRepo | undefined {
  if (!dir.startsWith(PREFIX)) return undefined;
  const repo = repos.get(dir) ?? createMemoryRepo();
  repos.set(dir, repo);
  return repo;
}
