import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Invalid, refuse } from '../run/refuse.js';
import { type Repository, runIn } from '../run/run-git.js';

const TURN_REF = 'refs/mergexo/turn';

export type Range = {
  startSha: string;
  sha: string;
  /** The second parent of a merge, which is also on the remote. */
  mergeParent?: string | undefined;
};

const listKnown = ({ startSha, mergeParent }: Range): string[] =>
  mergeParent === undefined ? [startSha] : [startSha, mergeParent];

/** Revisions that exclude commits already on the remote. */
export const excludeKnown = (range: Range): string[] => listKnown(range).map((sha) => `^${sha}`);

type Bundled = { kind: 'bundled'; bundle: Buffer } | { kind: 'too-large'; bytes: number } | Invalid;

export async function makeBundle(repository: Repository, range: Range, maxBytes: number): Promise<Bundled> {
  const { gitDir } = repository;
  const { startSha, sha } = range;
  const ref = join(gitDir, TURN_REF);
  await mkdir(dirname(ref), { recursive: true, mode: 0o700 });
  await writeFile(ref, `${sha}\n`);
  const file = join(gitDir, 'turn.bundle');
  const args = ['bundle', 'create', '--quiet', file, TURN_REF, ...excludeKnown(range)];
  try {
    const action = `bundling ${startSha}..${sha}`;
    const ran = await runIn(repository, { action, args });
    if (ran.code !== 0) return refuse(action, ran);
    const { size } = await stat(file);
    if (size > maxBytes) return { kind: 'too-large', bytes: size };
    return { kind: 'bundled', bundle: await readFile(file) };
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Imports a bundle's commits after checking every object as strictly as git can. Does not use `git fetch`, whose older
 * versions import bundles unchecked.
 */
export async function importBundle(
  repository: Repository,
  range: Range,
  bundle: Buffer,
): Promise<{ kind: 'imported' } | Invalid> {
  const { startSha, sha } = range;
  const pack = findPack(bundle, sha);
  if (pack === undefined) return { kind: 'invalid', reason: `the bundle does not contain ${sha}` };
  const action = `checking the commits ${startSha}..${sha}`;
  const steps = [
    { args: ['index-pack', '--stdin', '--fix-thin', '--strict'], input: pack },
    { args: ['rev-list', '--objects', '--quiet', sha, `^${startSha}`] },
    ...listKnown(range).map((known) => ({ args: ['merge-base', '--is-ancestor', known, sha] })),
  ];
  for (const step of steps) {
    const ran = await runIn(repository, { action, ...step });
    if (ran.code !== 0) return refuse(action, ran);
  }
  return { kind: 'imported' };
}

/** Lists the commits that the bundle builds on but does not contain. */
export function listPrerequisites(bundle: Buffer): string[] {
  return readHeader(bundle).lines.flatMap((line) => /^-([0-9a-f]{40})(?: |$)/.exec(line)?.[1] ?? []);
}

function findPack(bundle: Buffer, sha: string): Buffer | undefined {
  const { lines, headerEnd } = readHeader(bundle);
  const known = /^# v[23] git bundle$/.test(lines[0] ?? '') && lines.includes(`${sha} ${TURN_REF}`);
  return known ? bundle.subarray(headerEnd + 2) : undefined;
}

/** Reads the header. A bundle is a few lines of text (format, `-` prerequisites, tips), an empty line, and a pack. */
function readHeader(bundle: Buffer): { lines: string[]; headerEnd: number } {
  const headerEnd = bundle.indexOf('\n\n');
  return { lines: bundle.subarray(0, Math.max(headerEnd, 0)).toString('latin1').split('\n'), headerEnd };
}
