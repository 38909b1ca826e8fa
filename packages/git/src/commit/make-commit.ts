import type { Invalid } from '../run/refuse.js';
import { appendTrailer } from './append-trailer.js';
import { type Output, runStaged, type Staging, toText } from './staging.js';

type CommitRequest = {
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
  return toTip(await runStaged(staging, { args, input }));
}

/** Copies a commit and adds our trailers, so that MergeXO recognizes the commits of each turn. */
export async function copyWithTrailers(
  staging: Staging,
  sha: string,
  trailers: readonly string[],
): Promise<Tip | Invalid> {
  const original = await runStaged(staging, { args: ['cat-file', 'commit', sha] });
  if (original.kind === 'invalid') return original;
  const text = original.stdout.toString('latin1');
  const headerEnd = text.indexOf('\n\n');
  if (headerEnd < 0) return { kind: 'invalid', reason: `${sha} is a commit without a message` };
  const content = `${text.slice(0, headerEnd)}\n\n${trailers.reduce(appendTrailer, text.slice(headerEnd + 2))}`;
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  return toTip(await runStaged(staging, { args, input: Buffer.from(content, 'latin1') }));
}

const toTip = (output: Output | Invalid): Tip | Invalid =>
  output.kind === 'invalid' ? output : { kind: 'tip', sha: toText(output) };
