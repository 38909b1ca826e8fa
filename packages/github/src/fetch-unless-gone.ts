import { Failure } from '@mergexo/core/basics';
import type { Requests } from './http/requests.js';
import { Repository } from './models/issue-models.js';

/** Null when it is gone. GitHub says the same of all that we may not see, so the repository must be readable. */
export async function fetchUnlessGone<T>(
  requests: Pick<Requests, 'get'>,
  repo: string,
  read: () => Promise<T>,
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'not-found') throw error;
    await requests.get(`/repos/${repo}`, Repository);
    return null;
  }
}
