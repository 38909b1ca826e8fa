import { Failure } from '@mergexo/core/basics';

const FULL_SHA = /^[0-9a-f]{40}$/;

/** Throws unless the sha is full. A branch or short sha may name another commit later; a path could leave the route. */
export function refusePartialSha(sha: string): void {
  if (FULL_SHA.test(sha)) return;
  throw new Failure(
    'invalid-data',
    `${JSON.stringify(sha)} is not a full commit sha; MergeXO sent no request to GitHub.`,
  );
}
