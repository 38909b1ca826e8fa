import { type Invalid, refuse } from '../run/refuse.js';
import { appendTrailer } from './append-trailer.js';
import type { Staging } from './gather-leftovers.js';

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

type Said = { kind: 'said'; said: Buffer };

export const toTip = (answer: Said | Invalid): Tip | Invalid =>
  answer.kind === 'said' ? { kind: 'tip', sha: answer.said.toString().trim() } : answer;

export async function ask(staging: Staging, args: string[], input?: Buffer): Promise<Said | Invalid> {
  const { door, gitDir, tree, author, signal } = staging;
  const action = `committing the work of ${tree.slot}`;
  const ran = await door.run({ action, args, gitDir, author, signal, ...(input !== undefined && { input }) });
  return ran.code === 0 ? { kind: 'said', said: ran.stdout } : refuse(action, ran);
}
