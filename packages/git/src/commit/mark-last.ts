import type { Invalid } from '../run/refuse.js';
import type { Adopted } from './adopt-commits.js';
import { appendTrailer } from './append-trailer.js';
import type { Faulty } from './find-faults.js';
import type { Staging } from './gather-leftovers.js';
import { ask, type Tip, toTip } from './make-commit.js';

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
