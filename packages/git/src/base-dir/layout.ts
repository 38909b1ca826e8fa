import { join } from 'node:path';
import { checkBranch, checkRepoPart } from '../run/check-names.js';
import { parseRemote, type Remote } from '../run/parse-remote.js';

export type RepoRef = { owner: string; name: string; remoteUrl: string; defaultBranch: string };

/** Paths of one repository under the base directory. */
export type Layout = {
  label: string;
  remote: Remote;
  mirror: string;
  checkouts: string;
  slot(number: number): string;
  trusted(number: number): string;
  /** Holds objects from the slot until they are checked. */
  staging(number: number): string;
  publisher(number: number): string;
  claim(name: string): string;
};

export function layOut(baseDir: string, repo: RepoRef): Layout {
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
    slot: (number) => join(checkouts, `worker-${number}`),
    trusted: (number) => join(trusted, `worker-${number}.git`),
    staging: (number) => join(trusted, `worker-${number}.staging.git`),
    publisher: (number) => join(trusted, `publisher-${number}.git`),
    claim: (claimed) => join(baseDir, 'claims', owner, name, claimed),
  };
}
