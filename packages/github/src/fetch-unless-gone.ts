import { Failure } from '@mergexo/core/basics';
import type { z } from 'zod';
import type { GetOptions, Requests } from './http/requests.js';
import { Repository } from './models/issue-models.js';

type Reader = Pick<Requests, 'get'>;

/**
 * Fetches an object; null for a 404 in a readable repository. Fails in an unreadable one, where GitHub returns 404
 * for every request.
 */
export async function fetchUnlessGone<T>(
  requests: Reader,
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

/** Fetches one object by its path below the repository's path; null if the object does not exist. */
export function createFind(requests: Reader) {
  return <S extends z.ZodType>(
    { repo, path, ...options }: GetOptions & { repo: string; path: string },
    schema: S,
  ): Promise<z.infer<S> | null> =>
    fetchUnlessGone(
      requests,
      repo,
      async () => (await requests.get(`/repos/${repo}/${path}`, schema, options)).data,
    );
}
