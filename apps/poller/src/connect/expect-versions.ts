import type { GitHub } from '@mergexo/github';
import type { State } from '@mergexo/state';
import type { Repo } from '../tools.js';

type Tools = { github: Pick<GitHub, 'expectVersions'>; state: State };

/** Passes the recorded versions to a new GitHub client, which has not read anything yet. */
export function expectVersions({ github, state }: Tools, { id, config }: Repo): void {
  const pulls = state.listWatchedPulls(id);
  github.expectVersions(config.fullName, {
    issues: state.listSeenIssues(id),
    pulls: pulls.flatMap(({ prNumber: number, remoteUpdatedAt: updatedAt }) =>
      updatedAt === null ? [] : [{ number, updatedAt }],
    ),
    runs: pulls.flatMap(({ checks }) => (checks ?? []).filter(({ source }) => source === 'actions')),
  });
}
