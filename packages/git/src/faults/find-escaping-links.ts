import { posix } from 'node:path';
import { type Conflict, toConflict } from '../merge/parse-merge.js';
import { readBlobs } from '../repository/read-blobs.js';
import { mustRun, type Repository } from '../run/run-git.js';

/** Finds links in the commit that point outside the repository, except links that a parent already has. */
export async function findEscapingLinks(repository: Repository, sha: string): Promise<Conflict[]> {
  const escaping = await listEscaping(repository, sha);
  if (escaping.size === 0) return [];
  const before = await Promise.all(
    (await listParents(repository, sha)).map((parent) => listEscaping(repository, parent)),
  );
  return [...escaping]
    .filter(([path, target]) => before.every((links) => links.get(path) !== target))
    .map(([path, target]) =>
      toConflict({ path, reason: `it is a link to ${target}, which is outside the repository` }),
    );
}

async function listParents(repository: Repository, sha: string): Promise<string[]> {
  const args = ['rev-list', '--parents', '--max-count=1', sha];
  const stdout = await mustRun(repository, { action: `reading the parents of ${sha}`, args });
  return stdout.toString().trim().split(' ').slice(1);
}

type Links = ReadonlyMap<string, string>;

async function listEscaping(repository: Repository, sha: string): Promise<Links> {
  const links = await listLinks(repository, sha);
  const work = { steps: 0 };
  return new Map([...links].filter(([path]) => leadsOutside(links, path, work)));
}

/** Maps the path of each link to its target. */
async function listLinks(repository: Repository, sha: string): Promise<Links> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', sha];
  const stdout = await mustRun(repository, { action: `listing the links of ${sha}`, args });
  const idOf = new Map<string, string>();
  for (const record of stdout.toString('latin1').split('\0')) {
    const [, id = '', path = ''] = /^120000 blob ([0-9a-f]+)\t(.+)$/s.exec(record) ?? [];
    if (path !== '') idOf.set(path, id);
  }
  const targets = new Map<string, string>();
  await readBlobs(repository, { ids: [...idOf.values()] }, (id, content) => {
    // One byte more than the maximum is enough to detect a target that is too long.
    targets.set(id, content.toString('latin1', 0, MAX_TARGET + 1));
  });
  return new Map([...idOf].map(([path, id]) => [path, targets.get(id) ?? '']));
}

/** Operating systems follow at most 40 links, and refuse longer targets. */
const MAX_LINKS = 40;
const MAX_TARGET = 4_095;
/** Maximum work for all links of a commit: enough for 50,000 usual links. */
const MAX_STEPS = 1_000_000;

/**
 * Resolves links like the operating system: `..` refers to the parent of the link's target, not of the link. A link
 * that takes too long to resolve counts as a link that points outside.
 */
function leadsOutside(links: Links, path: string, work: { steps: number }): boolean {
  const at = posix.dirname(path) === '.' ? [] : posix.dirname(path).split('/');
  const todo = [posix.basename(path)];
  for (let followed = 0; todo.length > 0; ) {
    work.steps += 1 + at.length;
    if (work.steps > MAX_STEPS) return true;
    const part = todo.pop() ?? '';
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return true;
      continue;
    }
    const target = links.get([...at, part].join('/'));
    if (target === undefined) {
      if (at.length === 0 && part.toLowerCase() === '.git') return true;
      at.push(part);
      continue;
    }
    followed += 1;
    if (target.startsWith('/') || target.length > MAX_TARGET) return true;
    if (followed > MAX_LINKS) return false;
    todo.push(...target.split('/').reverse());
  }
  return false;
}
