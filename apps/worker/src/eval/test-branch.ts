import type { RepoConfig } from '@mergexo/config';
import { Failure } from '@mergexo/core/basics';
import type { Git } from '@mergexo/git';
import { openSetupHome } from '../steps/check/setup-home.js';
import { runOnFiles, type TestTools } from '../steps/check/test-commit.js';
import type { Task } from '../steps/task.js';
import { REPLAY_AUTHOR } from './build-replay-turn.js';

/** Runs setup and `required_tests` on an archive branch's head. Returns null without a test program. */
export type TestBranch = (branch: string, sha: string) => Promise<boolean | null>;

type Bench = Pick<Task, 'signal' | 'report' | 'baseSha'> & {
  /** Fetches from the archive. */
  git: Git;
  repo: RepoConfig;
  tools: TestTools;
  /** Directory for the home of setup. The caller removes it. */
  setupDirectory: string;
};

export function createTestBranch({ git, repo, tools, setupDirectory, ...task }: Bench): TestBranch {
  return async (branch, sha) => {
    const { requiredTests: path } = repo;
    if (path === undefined) return null;
    const slot = await git.leaseSlot(repo, { author: REPLAY_AUTHOR, signal: task.signal });
    const setupHome = openSetupHome(setupDirectory, task.signal);
    try {
      const restored = await slot.restore({ branch, startSha: sha, baseBranch: branch });
      if (restored.kind === 'mismatch') throw new Error(`${branch} is not at ${sha}`);
      const run = await runOnFiles(tools, { ...task, slot, repo, setupHome }, { sha, path });
      if (run.kind === 'aborted') throw new Failure('unavailable', run.reason);
      return run.kind === 'absent' ? null : run.kind === 'passed';
    } finally {
      await setupHome.clear();
      await slot.release();
    }
  };
}
