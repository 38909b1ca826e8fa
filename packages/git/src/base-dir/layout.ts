import { join } from 'node:path';
import { checkBranch, checkRepoPart } from '../run/check-names.js';
import { parseRemote } from '../run/parse-remote.js';

export type RepoRef = { owner: string; name: string; remoteUrl: string; defaultBranch: string };

export type Layout = ReturnType<typeof layOut>;

/** Returns the paths of one repository under the base directory. */
export function layOut(baseDir: string, repo: RepoRef) {
  const { owner, name } = repo;
  checkRepoPart(owner);
  checkRepoPart(name);
  checkBranch(repo.defaultBranch);
  const trusted = join(baseDir, 'trusted', owner, name);
  const checkouts = join(baseDir, 'checkouts', owner, name);
  return {
    label: `${owner}/${name}`,
    remote: parseRemote(repo.remoteUrl),
    mirror: join(baseDir, 'repos', owner, `${name}.git`),
    checkouts,
    slot: (number: number) => join(checkouts, `worker-${number}`),
    trusted: (number: number) => join(trusted, `worker-${number}.git`),
    /** Holds objects from the slot until they are checked. */
    staging: (number: number) => join(trusted, `worker-${number}.staging.git`),
    publisher: (number: number) => join(trusted, `publisher-${number}.git`),
    claim: (claimed: string) => join(baseDir, 'claims', owner, name, claimed),
  };
}
