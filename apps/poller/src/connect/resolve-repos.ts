import type { RepoConfig } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import type { GitHub } from '@mergexo/github';
import type { State } from '@mergexo/state';
import { inParallel } from '../in-parallel.js';
import type { Repo } from '../tools.js';
import { expectVersions } from './expect-versions.js';
import type { Health } from './health.js';

/** Reads configured repositories that are not known yet. The next cycle retries the unreadable ones. */
export async function resolveRepos(
  tools: {
    github: Pick<GitHub, 'fetchRepository' | 'expectVersions'>;
    state: State;
    log: Log;
    health: Pick<Health, 'report'>;
  },
  configured: readonly RepoConfig[],
  known: Map<string, Repo>,
): Promise<void> {
  const troubles: unknown[] = [];
  const unknown = configured.filter(({ id }) => !known.has(id));
  await inParallel(unknown, async (config) => {
    try {
      const { id, defaultBranch } = await tools.github.fetchRepository(config.fullName);
      const { owner, name } = config;
      tools.state.transaction(() => tools.state.saveRepository({ id, owner, name, defaultBranch }));
      expectVersions(tools, { id, config });
      known.set(config.id, { id, config });
    } catch (error) {
      troubles.push(error);
      const { id } = tools.state.listRepositories().find(isNamed(config)) ?? {};
      if (id !== undefined && error instanceof Failure) tools.health.report(`repo/${id}`, error);
    }
  });
  // Thrown at the end, so that an unreadable repository does not delay the others.
  if (troubles.length > 0) throw troubles[0];
}

/**
 * True for a recorded repository with the configured name. `status` and the dashboard show the health of this record.
 */
const isNamed =
  ({ owner, name }: RepoConfig) =>
  (repo: { owner: string; name: string }): boolean =>
    repo.owner === owner && repo.name === name;
