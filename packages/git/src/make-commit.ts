import type { Adopted } from './adopt-commits.js';
import type { Faulty } from './find-faults.js';
import type { Staging } from './leftovers.js';
import { type Invalid, refuse } from './refuse.js';
import { appendTrailer } from './trailer.js';

export type CommitRequest = {
  parents: readonly string[];
  tree: string;
  message: string;
  trailers: readonly string[];
};

export type Tip = { kind: 'tip'; sha: string };

export async function makeCommit(staging: Staging, request: CommitRequest): Promise<Tip | Invalid> {
  const { parents, tree, message, trailers } = request;
  const input = Buffer.from(trailers.reduce(appendTrailer, message));
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  return toTip(await ask(staging, args, input));
}

/** The agent's last commit again, with our trailers: every turn's work must be recognisable. */
export async function markLast(
  staging: Staging,
  { parents: [sha = ''], fault }: Adopted,
  trailers: readonly string[],
): Promise<Tip | Faulty | Invalid> {
  if (fault !== undefined) return fault;
  const original = await ask(staging, ['cat-file', 'commit', sha]);
  if (original.kind === 'invalid') return original;
  const text = original.said.toString('latin1');
  const border = text.indexOf('\n\n');
  if (border < 0) return { kind: 'invalid', reason: `${sha} is a commit without a message` };
  const content = `${text.slice(0, border)}\n\n${trailers.reduce(appendTrailer, text.slice(border + 2))}`;
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  return toTip(await ask(staging, args, Buffer.from(content, 'latin1')));
}

type Said = { kind: 'said'; said: Buffer };

const toTip = (answer: Said | Invalid): Tip | Invalid =>
  answer.kind === 'said' ? { kind: 'tip', sha: answer.said.toString().trim() } : answer;

async function ask(staging: Staging, args: string[], input?: Buffer): Promise<Said | Invalid> {
  const { door, gitDir, tree, author, signal } = staging;
  const action = `committing the work of ${tree.slot}`;
  const ran = await door.run({ action, args, gitDir, author, signal, ...(input !== undefined && { input }) });
  return ran.code === 0 ? { kind: 'said', said: ran.stdout } : refuse(action, ran);
}
