import { join } from 'node:path';
import { findToken, type RepoConfig, type Settings } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';
import type { EvalCase, Replay } from '@mergexo/core/eval';
import { createGit } from '@mergexo/git';
import { removeTree } from '@mergexo/process';
import type { Report } from '../steps/make-plan.js';
import type { PlanTools } from '../steps/task.js';
import type { Workspace } from './isolate-settings.js';
import type { RealChange } from './score-change.js';
import { createTestBranch, type TestBranch } from './test-branch.js';

/** The installation's settings, and the ways to log, report and stop. */
export type Surroundings = { settings: Settings; log: Log; signal: AbortSignal; report: Report };

export type ReplayParts = {
  around: Surroundings;
  workspace: Workspace;
  repo: RepoConfig;
  tools: PlanTools;
  evalCase: EvalCase;
  replay: Replay;
};

/** `unfit`: the pull request cannot be replayed, because the remote no longer has all its commits. */
export type WithReal<T> = { kind: 'ready'; value: T } | { kind: 'unfit'; reason: string };

/**
 * Fetches the merged pull request, runs the work, and then deletes the fetched commits, so that they are not
 * on disk while an agent runs.
 */
export async function withRealChange<T>(
  { around, workspace, repo, tools, evalCase, replay }: ReplayParts,
  work: (real: RealChange, testBranch: TestBranch) => Promise<T>,
): Promise<WithReal<T>> {
  const { settings, log, signal, report } = around;
  const { childEnv, searchPath, config, proxy, extraCaCerts } = settings;
  const { headSha, mergeSha } = evalCase;
  const context = evalCase[replay];
  const reviewedSha = context !== null && 'headSha' in context ? context.headSha : null;
  const token = findToken(settings, () => performance.now());
  const { baseDir } = config.runtime;
  const git = createGit({
    baseDir,
    searchPath,
    log,
    credential: token,
    proxy,
    extraCaCerts,
    sshAuthSock: childEnv['SSH_AUTH_SOCK'],
  });
  const scoring = createGit({
    baseDir: workspace.scoring,
    searchPath,
    log,
    credential: async () => undefined,
  });
  try {
    const commits = [...new Set([headSha, mergeSha, reviewedSha ?? headSha])];
    const opened = await git.openArchive(repo, { dir: workspace.archive, commits, signal });
    if (opened.kind === 'missing') return { kind: 'unfit', reason: opened.reason };
    const { archive } = opened;
    const base = await archive.findBase({ headSha: reviewedSha ?? headSha, mergeSha });
    if (base === null) return { kind: 'unfit', reason: 'its branch and its base have no common commit' };
    const real = { archive, base, headSha, mergeSha, startSha: reviewedSha ?? base };
    const local = { ...repo, remoteUrl: archive.path };
    const setupDirectory = join(workspace.scoring, 'setup');
    const task = { signal, report, baseSha: base };
    const bench = { ...task, git: scoring, repo: local, tools, setupDirectory };
    return { kind: 'ready', value: await work(real, createTestBranch(bench)) };
  } finally {
    await Promise.all([removeTree(workspace.archive), removeTree(workspace.scoring)]);
  }
}
