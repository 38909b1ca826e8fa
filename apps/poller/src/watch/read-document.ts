import { Failure } from '@mergexo/core/basics';
import type { GitHub } from '@mergexo/github';

export type DocumentRead =
  | { kind: 'text'; text: string }
  | { kind: 'absent' }
  | { kind: 'unreadable'; reason: string };

/** A document as a commit has it. One that is no text, or too large, is a fact about it and no trouble of ours. */
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
