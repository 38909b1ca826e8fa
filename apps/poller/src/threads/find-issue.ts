import { Failure } from '@mergexo/core/basics';
import type { GitHub, Issue } from '@mergexo/github';
import type { Repo } from '../tools.js';

/** Fetches an issue. Returns undefined if the issue does not exist or was deleted. */
export async function findIssue(
  github: Pick<GitHub, 'fetchIssue'>,
  repo: Repo,
  number: number,
): Promise<Issue | undefined> {
  try {
    return await github.fetchIssue(repo.config.fullName, number);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** True if the repository is readable. Otherwise a 404 may be a loss of access instead of a deleted object. */
export async function isReadable(github: Pick<GitHub, 'fetchRepository'>, repo: Repo): Promise<boolean> {
  return github.fetchRepository(repo.config.fullName).then(
    () => true,
    () => false,
  );
}
