import { Failure } from '@mergexo/core/basics';

const FULL_SHA = /^[0-9a-f]{40}$/;

/** A branch or half a sha would name another commit tomorrow, and a path anything. */
export function refusePartialSha(sha: string): void {
  if (FULL_SHA.test(sha)) return;
  throw new Failure('invalid-data', `${JSON.stringify(sha)} is no full commit sha; GitHub was not asked.`);
}
