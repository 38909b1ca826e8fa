import { Failure } from '@mergexo/core/basics';
import type { GitHub, Issue } from '@mergexo/github';
import type { Repo } from '../tools.js';

/** Undefined when there is none, or none any more. */
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

/** GitHub says "not found" of all that we may not see for a while: where the repository is there, a part of it is gone. */
export async function isReadable(github: Pick<GitHub, 'fetchRepository'>, repo: Repo): Promise<boolean> {
  return github.fetchRepository(repo.config.fullName).then(
    () => true,
    () => false,
  );
}
