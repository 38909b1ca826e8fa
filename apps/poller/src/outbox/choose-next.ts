import type { Action } from '@mergexo/core/actions';

export const repoKey = ({ repoId }: Action): string => `${repoId}`;
export const threadOf = ({ repoId, thread }: Action): string => `${repoId}/${thread}`;

/** Chooses the first unsettled action of a thread that is not waiting. Repositories take turns. */
export function chooseNext(
  actions: readonly Action[],
  waiting: ReadonlySet<string>,
  lastRepo: number,
): Action | undefined {
  const firsts = actions.filter(
    (action, i) => actions.findIndex((other) => threadOf(other) === threadOf(action)) === i,
  );
  const ready = firsts.filter((action) => !waiting.has(threadOf(action)));
  return ready.find(({ repoId }) => repoId > lastRepo) ?? ready[0];
}
