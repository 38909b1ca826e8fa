import { Failure } from '@mergexo/core/basics';
import { resetBlocked } from '../commands/blocked-reset.js';
import type { Context } from '../context.js';
import { findRepositories, readState } from '../read-state.js';
import { parseNumber } from './parse-arguments.js';

export type UnblockOptions = { repo?: string; headSha?: string; reason?: string };

/** Unblocks an issue or pull request, or starts its scheduled retry now. */
export async function unblock(context: Context, number: string, options: UnblockOptions): Promise<void> {
  const wanted = parseNumber(number);
  const pull = findPull(context, wanted, options.repo);
  if (pull === undefined && options.headSha !== undefined)
    throw new Failure('not-found', `#${wanted} has no pull request whose head MergeXO could accept.`);
  await resetBlocked(context, {
    ...options,
    ...(pull === undefined ? { issue: [String(wanted)] } : { pr: [String(pull)] }),
  });
}

/** Returns the number of the pull request that the number names, itself or through its issue. */
function findPull(context: Context, number: number, repo: string | undefined): number | undefined {
  return readState(context, (state) => {
    const repositories = findRepositories(state, repo);
    if (repositories.some(({ id }) => state.readPull(id, number) !== undefined)) return number;
    const [run] = repositories.flatMap(({ id }) => state.listRunsOfIssue(id, number));
    return run?.prNumber ?? undefined;
  });
}
