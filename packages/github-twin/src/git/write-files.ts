import { findMemoryRepo } from './memory/memory-repos.js';
import type { NewCommit } from './new-commit.js';
import { runGit } from './run-git.js';

/** Creates a commit in a bare repository without an index or a work tree. Moves no branch. */
export async function writeCommit(dir: string, commit: NewCommit): Promise<string> {
  const memory = findMemoryRepo(dir);
  if (memory !== undefined) return memory.commit(commit);
  const ref = `refs/twin/import-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const sha = await runGit(dir, ['fast-import', '--quiet', '--date-format=raw', '--force'], {
    input: toStream(ref, commit),
  });
  return sha.trim();
}

function toStream(ref: string, commit: NewCommit): Buffer {
  const who = `${commit.author.name} <${commit.author.email}> ${Math.floor(commit.atMs / 1000)} +0000`;
  const parts: Buffer[] = [
    Buffer.from(`commit ${ref}\nmark :1\nauthor ${who}\ncommitter ${who}\n`),
    toData(commit.message),
  ];
  if (commit.parent) parts.push(Buffer.from(`from ${commit.parent}\n`));
  for (const [name, content] of Object.entries(commit.files)) {
    const path = JSON.stringify(name);
    if (content === null) parts.push(Buffer.from(`D ${path}\n`));
    else parts.push(Buffer.from(`M ${modeOf(content)} inline ${path}\n`), toData(content));
  }
  // fast-import needs a branch for the commit. The last commands remove that ref.
  parts.push(Buffer.from(`get-mark :1\nreset ${ref}\nfrom ${'0'.repeat(40)}\n\n`));
  return Buffer.concat(parts);
}

/** Files that start with `#!` are executable. */
function modeOf(content: string | Buffer): string {
  return Buffer.from(content).subarray(0, 2).toString() === '#!' ? '100755' : '100644';
}

function toData(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}
