/** An open issue, possibly of another repository, that blocks an issue on GitHub. */
export type Blocker = { repo: string; number: number };

/** What is known about the open issues that block an issue. */
export type Blockers = {
  /** GitHub's count. */
  count: number;
  /** Null if MergeXO has not listed them yet. */
  open: readonly Blocker[] | null;
  /** Number of blockers in GitHub's list, including closed ones. */
  listed: number;
};

/** Waiting work and the issues that block it. `hidden` blockers are missing from GitHub's list. */
export type BlockedBy = { open: readonly Blocker[]; hidden: number };

/** Returns what blocks an issue of `repo`; null if nothing does. */
export function findBlockedBy({ count, open, listed }: Blockers): BlockedBy | null {
  const hidden = open === null ? count : Math.max(0, count - listed);
  return hidden === 0 && (open ?? []).length === 0 ? null : { open: open ?? [], hidden };
}

/** Two names of a repository may differ in case. */
export function isSameRepo(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Returns the numbers of the blockers in the same repository. */
export function listOwnBlockers({ open }: BlockedBy, repo: string): number[] {
  return open.filter((one) => isSameRepo(one.repo, repo)).map(({ number }) => number);
}

export function nameBlocker({ repo, number }: Blocker, ownRepo: string): string {
  return isSameRepo(repo, ownRepo) ? `#${number}` : `${repo}#${number}`;
}
