import { Failure } from '@mergexo/core/basics';
import type { GitHub, PullFile } from '@mergexo/github';
import type { Repo } from '../tools.js';

export type DocumentRead =
  | { kind: 'text'; text: string }
  | { kind: 'absent' }
  | { kind: 'unreadable'; reason: string };

/** Reads a document at a commit. A file that is binary or too large is `unreadable` and does not throw. */
export async function readDocument(
  github: Pick<GitHub, 'fetchFileAt'>,
  repo: string,
  { path, sha }: { path: string; sha: string },
): Promise<DocumentRead> {
  try {
    const text = await github.fetchFileAt(repo, path, sha);
    return text === null ? { kind: 'absent' } : { kind: 'text', text };
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'invalid-data') throw error;
    return { kind: 'unreadable', reason: 'it is larger than 1 MB, or not UTF-8 text' };
  }
}

/** Lists the design documents that a pull request adds or changes. */
export async function listDocuments(
  github: Pick<GitHub, 'fetchPullFiles'>,
  { config }: Repo,
  prNumber: number,
): Promise<PullFile[]> {
  const { files } = await github.fetchPullFiles(config.fullName, prNumber);
  return files.filter(
    ({ status, path }) =>
      status !== 'removed' && path.startsWith(`${config.designDocsDir}/`) && path.endsWith('.md'),
  );
}
