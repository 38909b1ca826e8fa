import type { Pull, Run } from '@mergexo/state';

type Part = {
  run: Pick<Run, 'flow' | 'designDocPath'>;
  pull: Pick<Pull, 'status' | 'url' | 'branch'> | undefined;
};

/**
 * Finds the design document that an issue's latest run writes or implements: on the run's branch until its pull request
 * is merged, then on the default branch. `parts` are the runs, newest first.
 */
export function findDocument(
  parts: readonly Part[],
  defaultBranch: string,
): { path: string; baseUrl: string } | undefined {
  const [latest] = parts;
  const path = latest?.run.designDocPath ?? null;
  const url = parts.flatMap(({ pull }) => pull?.url ?? [])[0];
  const branch = latest && findBranch(latest, defaultBranch);
  if (path === null || url === undefined || branch === undefined) return undefined;
  return { path, baseUrl: `${url.replace(/\/pull\/\d+$/, '')}/blob/${branch}` };
}

function findBranch({ run, pull }: Part, defaultBranch: string): string | undefined {
  if (run.flow !== 'design_doc' || pull?.status === 'merged') return defaultBranch;
  // GitHub may delete the branch of a closed pull request.
  return pull === undefined || pull.status === 'closed' ? undefined : pull.branch;
}
