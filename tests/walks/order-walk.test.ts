import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@mergexo/testkit';
import { createWalk, OTHER_REPO, REPO, type Walk } from '../fleet/walk.js';

describe('a single worker', () => {
  let walk: Walk;
  afterEach(() => walk.closeAndCheck());

  /** Lists turns, such as `app#3 start`, in the order in which the worker began them. */
  const listBegun = (): string[] => {
    const names = walk.withState(
      (state) => new Map(state.listRepositories().map(({ id, name }) => [id, name])),
    );
    return walk
      .listBegun()
      .map(
        ({ repoId, issueNumber, prNumber }) =>
          `${names.get(repoId)}#${issueNumber} ${prNumber === null ? 'start' : 'feedback'}`,
      );
  };
  const countLive = (): number =>
    walk.withState(
      (state) => state.listTurnsInState('open').length + state.listTurnsInState('queued').length,
    );

  it('takes a comment first and then alternates between repositories, while six new issues wait', async () => {
    walk = await createWalk({ withOtherRepo: true });
    walk.startPoller();
    walk.startWorker();
    const { pr } = await walk.openPull('agent:small-job');
    const gate = join(walk.dir, 'go');
    const first = await walk.openIssue('agent:small-job', { waitFor: gate });
    await eventually(() => expect(listBegun()).toHaveLength(2), 30_000);
    for (let i = 0; i < 5; i += 1) await walk.openIssue('agent:small-job');
    await eventually(() => expect(countLive()).toBe(5), 30_000);
    await walk.alice.comment(REPO, pr, 'Why?');
    const lib = await walk.openIssue('agent:small-job', {}, 'Another', OTHER_REPO);
    await eventually(() => expect(countLive()).toBe(7), 30_000);
    writeFileSync(gate, '');
    await eventually(() => expect(listBegun().length).toBeGreaterThanOrEqual(5), 60_000);
    expect(listBegun().slice(1, 5)).toEqual([
      `app#${first} start`,
      'app#1 feedback',
      `lib#${lib} start`,
      `app#${first + 1} start`,
    ]);
  });

  it('gets no further turn once the first turn has used up the daily budget, and MergeXO reports the limit once', async () => {
    walk = await createWalk({ limits: '[limits]\nmax_cost_usd_per_day = 2' });
    const issues: number[] = [];
    for (let i = 0; i < 6; i += 1)
      issues.push(await walk.openIssue('agent:small-job', { usage: { cost_usd: 5 } }));
    walk.startPoller();
    walk.startWorker();
    const notices = async (): Promise<string[][]> =>
      Promise.all(
        issues.map(async (issue) => {
          const rows = await walk.alice.request('GET', `/repos/${REPO}/issues/${issue}/comments`);
          const bodies: string[] = Array.isArray(rows) ? rows.map(({ body }) => String(body)) : [];
          return bodies.filter((body) => body.includes('max_cost_usd_per_day'));
        }),
      );
    const parked = issues.slice(1);
    await eventually(async () => expect((await notices()).flat()).toHaveLength(5), 60_000);
    expect(parked.map((issue) => walk.runOf(issue)?.status)).toEqual(parked.map(() => 'ready'));
    expect(issues.map((issue) => walk.agentCalls(issue))).toEqual([1, 0, 0, 0, 0, 0]);
  });
});
