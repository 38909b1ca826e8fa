import { fullName } from '../domain/permissions.js';
import type { CheckRun, WorkflowRun } from '../store/rows.js';
import { viewRun, viewWorkflow } from '../views/actions.js';
import { viewCheckRun, viewSimpleStatus } from '../views/checks.js';
import { viewCommit } from '../views/commit.js';
import { repoUrl } from '../views/repo.js';
import { viewUserOf } from '../views/user.js';
import type { RepoView, World } from '../world/world.js';
import { type Announcement, announce } from './announcement.js';
import { trackRows, type Versions } from './track-rows.js';

type Describe = (id: number) => Announcement[];

/** Describes new and completed check runs. A run that is created as completed has both events. */
export function createCheckRunDescriber(world: World): Describe {
  const track = trackRows(world.store.checkRuns);
  return (id) => {
    const versions = track(id);
    const { after } = versions;
    if (!after) return [];
    return listCheckActions(versions).flatMap((action) =>
      announce(world, { event: 'check_run', repoId: after.repoId }, (view) => ({
        action,
        check_run: viewCheckRun(view, after),
        ...viewStarter(view, after),
      })),
    );
  };
}

function listCheckActions({ before, after }: Versions<CheckRun>): string[] {
  const completed = after?.status === 'completed' && before?.status !== 'completed';
  return [...(before ? [] : ['created']), ...(completed ? ['completed'] : [])];
}

/** The sender of an event about a job is the person who started its workflow run. */
function viewStarter(view: RepoView, { suiteId }: CheckRun): object {
  const run = view.world.store.workflowRuns.find((row) => row.suiteId === suiteId);
  return run ? { sender: viewUserOf(view, run.actorId) } : {};
}

/** Describes new commit statuses. */
export function createStatusDescriber(world: World): Describe {
  const track = trackRows(world.store.statuses);
  return (id) => {
    const { before, after } = track(id);
    if (!after || before) return [];
    return announce(world, { event: 'status', repoId: after.repoId }, async (view) => {
      const { url: _url, ...status } = viewSimpleStatus(view, after);
      return {
        ...status,
        sha: after.sha,
        name: fullName(view.repo),
        commit: viewCommit(view, await world.gitRepo(view.repo).readCommit(after.sha)),
        branches: listBranches(view, after.sha),
      };
    });
  };
}

/** Lists the branches that end at a commit. */
function listBranches(view: RepoView, sha: string): object[] {
  const { world, repo } = view;
  const url = `${repoUrl(view)}/commits/${sha}`;
  const refs = Object.entries(world.gitRepo(repo).refs());
  return refs
    .filter(([ref, head]) => head === sha && ref.startsWith('refs/heads/'))
    .map(([ref]) => ref.slice('refs/heads/'.length))
    .map((name) => ({ name, commit: { sha, url }, protected: repo.protectedBranches.includes(name) }));
}

/** Describes the progress of workflow runs. A new attempt is requested again. */
export function createWorkflowRunDescriber(world: World): Describe {
  const track = trackRows(world.store.workflowRuns);
  return (id) => {
    const versions = track(id);
    const { after } = versions;
    const action = nameRunAction(versions);
    if (!after || !action) return [];
    return announce(world, { event: 'workflow_run', repoId: after.repoId }, async (view) => ({
      action,
      workflow_run: viewRun(view, after, await world.gitRepo(view.repo).readCommit(after.sha)),
      workflow: viewWorkflow(view, after),
      sender: viewUserOf(view, after.actorId),
    }));
  };
}

function nameRunAction({ before, after }: Versions<WorkflowRun>): string | undefined {
  if (!after || (before?.status === after.status && before.attempt === after.attempt)) return undefined;
  return after.status === 'queued' ? 'requested' : after.status;
}
