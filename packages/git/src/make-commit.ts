import type { Staging } from './leftovers.js';
import { mustRun } from './run-git.js';
import { appendTrailer } from './trailer.js';

export type CommitRequest = { parent: string; tree: string; message: string; trailer: string };

export async function makeCommit(staging: Staging, request: CommitRequest): Promise<string> {
  const { parent, tree, message, trailer } = request;
  const input = Buffer.from(appendTrailer(message, trailer));
  return ask(staging, ['commit-tree', tree, '-p', parent, '-F', '-'], input);
}

/**
 * The agent's last commit again, with our trailer: every turn's work must be recognisable. Nobody has seen the original,
 * so no history is rewritten. A signature would not hold any more and is left out.
 */
export async function markCommit(staging: Staging, sha: string, trailer: string): Promise<string> {
  const original = await askRaw(staging, ['cat-file', 'commit', sha]);
  const text = original.toString('latin1');
  const border = text.indexOf('\n\n');
  const headers = text.slice(0, border).replace(/\n(?:gpgsig|gpgsig-sha256) .*(?:\n .*)*/g, '');
  const content = `${headers}\n\n${appendTrailer(text.slice(border + 2), trailer)}`;
  return ask(staging, ['hash-object', '-t', 'commit', '-w', '--stdin'], Buffer.from(content, 'latin1'));
}

async function ask(staging: Staging, args: string[], input: Buffer): Promise<string> {
  return (await askRaw(staging, args, input)).toString().trim();
}

async function askRaw(
  { door, gitDir, tree, signal }: Staging,
  args: string[],
  input?: Buffer,
): Promise<Buffer> {
  const action = `committing the work of ${tree.slot}`;
  const ran = await mustRun(door.run, {
    action,
    args,
    gitDir,
    signal,
    ...(input !== undefined && { input }),
  });
  return ran.stdout;
}
