import { join } from 'node:path';
import type { RepoConfig, Settings } from '@mergexo/config';

export type Workspace = {
  /** Contains all files that the agent of a replay, and the programs that it runs, are meant to see. */
  dir: string;
  /** The repository from which the replay's mirror is fetched. Its history ends at the base of the pull request. */
  cut: string;
  /** A repository with the merged pull request. It exists only while no agent runs. */
  archive: string;
  /** The checkouts in which the results are tested. */
  scoring: string;
};

export function layOutWorkspace(dir: string): Workspace {
  return {
    dir,
    cut: join(dir, 'cut.git'),
    archive: join(dir, 'archive.git'),
    scoring: join(dir, 'scoring'),
  };
}

/** Returns settings that limit a planner to the cut repository. */
export function isolateSettings(settings: Settings, repo: RepoConfig, { dir, cut }: Workspace): Settings {
  const { config, paths } = settings;
  return {
    ...settings,
    config: {
      ...config,
      runtime: { ...config.runtime, baseDir: dir },
      repos: [{ ...repo, remoteUrl: cut }],
    },
    paths: { ...paths, logs: join(dir, 'logs') },
  };
}

/** Lists the ways in which an agent on this machine could find the merged pull request; empty in a full sandbox. */
export function listLeaks(
  { config }: Pick<Settings, 'config'>,
  repo: RepoConfig,
  { hasBubblewrap }: { hasBubblewrap: boolean },
): string[] {
  const { agent, sandbox } = config;
  const isConfined = agent.sandbox !== 'none' && hasBubblewrap;
  const usesAll =
    sandbox.network === 'all' || (sandbox.network === undefined && repo.agent.adapter === 'command');
  const reachesHosts = !isConfined || usesAll;
  // The agent writes tests and gets their output, and setup runs on its commits.
  const testsReachHosts =
    repo.requiredTests !== undefined &&
    (sandbox.requiredTestsNetwork === 'all' || (repo.setup !== undefined && sandbox.setupNetwork === 'all'));
  return [
    ...(isConfined
      ? []
      : ['the agent runs without bubblewrap and can read other files on this machine, such as the mirror']),
    ...(reachesHosts
      ? ['the agent can reach every host, such as GitHub; set `network` in [sandbox] to prevent that']
      : []),
    ...(testsReachHosts && !reachesHosts
      ? [
          'tests that the agent writes can reach every host, such as GitHub; set `required_tests_network` and `setup_network` in [sandbox] to prevent that',
        ]
      : []),
  ];
}
