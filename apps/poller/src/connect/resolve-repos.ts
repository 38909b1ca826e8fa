import type { RepoConfig } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';
import type { GitHub } from '@mergexo/github';
import type { State } from '@mergexo/state';
import type { Repo } from '../tools.js';

/** Asks GitHub for what is not known yet; a repository that cannot be read now is asked for again in the next cycle. */
export async function resolveRepos(
  tools: { github: Pick<GitHub, 'fetchRepository'>; state: State; log: Log },
  configured: readonly RepoConfig[],
  known: Map<string, Repo>,
): Promise<void> {
  const troubles: unknown[] = [];
  for (const config of configured.filter(({ id }) => !known.has(id))) {
    try {
      const { id, defaultBranch } = await tools.github.fetchRepository(config.fullName);
      const { owner, name } = config;
      tools.state.transaction(() => tools.state.saveRepository({ id, owner, name, defaultBranch }));
      known.set(config.id, { id, config });
    } catch (error) {
      troubles.push(error);
    }
  }
  // One that cannot be read holds up none of the others.
  if (troubles.length > 0) throw troubles[0];
}
