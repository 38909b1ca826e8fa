import { REPO, type Walk } from './walk.js';

export type RecordedPull = { issue: number; pr: number };

/** Opens pull requests and records each as if a MergeXO turn had opened it. No poller may run during the call. */
export async function recordPulls(walk: Walk, count: number): Promise<RecordedPull[]> {
  const robot = walk.twin.as('robot');
  const repoId = Number(Object(await walk.alice.request('GET', `/repos/${REPO}`)).id);
  walk.withState((state) =>
    state.saveRepository({ id: repoId, owner: 'alice', name: 'app', defaultBranch: 'main' }),
  );
  const opened: RecordedPull[] = [];
  for (let index = 0; index < count; index += 1) {
    const issue = await walk.alice.openIssue(REPO, { title: `Issue ${index}`, body: '{}' });
    const branch = `agent/small/${issue}-issue`;
    const headSha = await robot.pushFiles(REPO, branch, { [`file-${index}.txt`]: 'x\n' });
    const pr = await robot.openPull(REPO, { title: `Change ${index}`, head: branch, base: 'main' });
    walk.withState((state) => {
      const facts = {
        repoId,
        issueNumber: issue,
        flow: 'small_job',
        ordinal: 1,
        issueTitle: 'Issue',
      } as const;
      const run = state.recordRun({ ...facts, branch, designDocPath: null }, Date.now());
      if (run === undefined) return;
      state.saveRun({ ...run, status: 'awaiting_feedback', prNumber: pr }, Date.now());
      state.recordPull(
        { repoId, prNumber: pr, runId: run.id, issueNumber: issue, branch, headSha, url: null },
        Date.now(),
      );
      state.saveSession({ runId: run.id, adapter: 'command', threadId: null, stateSummary: '' }, Date.now());
    });
    opened.push({ issue, pr });
  }
  return opened;
}

/** Counts the watched pull requests with threads that the poller has not read yet. */
export function countUnread(walk: Walk): number {
  const [repo] = walk.withState((state) => state.listRepositories());
  return walk
    .withState((state) => state.listWatchedPulls(repo?.id ?? 0))
    .filter((pull) => pull.listedAt === null).length;
}
