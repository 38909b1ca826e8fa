import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { findDescendants, isAlive, listProcesses, type ProcessRef, referTo } from '@mergexo/process';
import { eventually, patiently } from '@mergexo/testkit';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';

/** How many turns to cancel. */
const RUNS = Number(process.env.MERGEXO_CANCELS ?? 3);
/** A canceled agent is gone this long after the operator started the command. */
const LIMIT_MS = 2_000;
const GIVE_UP_MS = 20_000;
/** Processes of a deaf agent: the agent, two shells, and two children of each shell. */
const DEAF_TREE = 7;

jest.setTimeout(patiently(300_000 + 10_000 * RUNS));

/** Pauses, cancels and resumes real agents on real processes. */
describe('an operator', () => {
  let walk: Walk;
  beforeEach(async () => {
    // A canceled issue still counts as open work.
    walk = await createWalk({ limits: `[limits]\nmax_open_runs = ${RUNS + 10}` });
  });
  afterEach(() => walk.closeAndCheck());

  const mergexo = async (...args: string[]) => {
    const { code, output } = await walk.runCli(...args, '--json');
    return { code, ...JSON.parse(output) };
  };
  const pullOf = (issue: number) => walk.runOf(issue)?.prNumber ?? null;
  const comments = async (issue: number): Promise<string[]> => {
    const rows = await walk.alice.request('GET', `/repos/${REPO}/issues/${issue}/comments`);
    // The status comment says that the issue is paused.
    return (Array.isArray(rows) ? rows : [])
      .map(({ body }) => String(body))
      .filter((body) => !body.includes('kind=issue_status'));
  };

  it('pauses all work; MergeXO starts a labelled issue only after the resume', async () => {
    walk.startPoller();
    walk.startWorker();
    await walk.until(() => expect(walk.withState((state) => state.listRepositories())).not.toEqual([]));
    expect(await mergexo('pause', '--reason', 'release day')).toMatchObject({ code: 0, changed: true });
    const issue = await walk.openIssue('agent:bugfix');
    await walk.until(() => expect(walk.runOf(issue)?.status).toBe('running'));
    await new Promise((done) => setTimeout(done, 3_000));
    expect([walk.agentCalls(issue), pullOf(issue)]).toEqual([0, null]);
    const status = await mergexo('status');
    expect(status.pauses).toMatchObject([
      { repo: null, issue: null, by: expect.stringMatching(/^cli/), reason: 'release day' },
    ]);
    expect(status.work).toMatchObject([{ issue, waits_for: expect.stringContaining('resume all work') }]);
    expect(await mergexo('resume')).toMatchObject({ changed: true });
    await walk.until(() => expect(pullOf(issue)).not.toBeNull());
    expect(walk.agentCalls(issue)).toBe(1);
  });

  /** Runs `mergexo cancel`, and measures the time from its start until all these processes are gone. */
  const cancel = async (issue: number, processes: readonly ProcessRef[]) => {
    const from = performance.now();
    const canceled = mergexo('cancel', String(issue));
    while (processes.some(isAlive) && performance.now() - from < patiently(GIVE_UP_MS)) await sleep(10);
    return { tookMs: Math.round(performance.now() - from), ...(await canceled) };
  };

  it('cancels running turns: all their processes end in time, and nothing is posted until the resume', async () => {
    walk.startPoller();
    walk.startWorker();
    const delays: number[] = [];
    const issues: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const go = join(walk.dir, `go-${run}`);
      const script = { waitFor: go, deaf: true, files: { 'fix.txt': 'fixed\n' } };
      const issue = await walk.openIssue('agent:bugfix', script);
      const processes = await eventually(() => {
        const tree = listTree(walk.agentRequests(issue)[0]?.pid ?? -1);
        expect(tree).toHaveLength(DEAF_TREE);
        return tree;
      }, 60_000);
      const canceled = await cancel(issue, processes);
      expect(canceled).toMatchObject({ code: 0, through: 'poller', turn: { end: 'cancelled' } });
      delays.push(canceled.tookMs);
      writeFileSync(go, '');
      issues.push(issue);
    }
    process.stdout.write(`ms until the agents were gone: ${delays.sort((a, b) => a - b).join(', ')}\n`);
    expect(delays.filter((ms) => ms > patiently(LIMIT_MS))).toEqual([]);
    await new Promise((done) => setTimeout(done, 3_000));
    for (const issue of issues)
      expect([await comments(issue), pullOf(issue), walk.agentCalls(issue)]).toEqual([[], null, 1]);
    const [first = 0] = issues;
    await walk.alice.comment(REPO, first, '/mergexo resume');
    await walk.until(() => expect(pullOf(first)).not.toBeNull());
    await walk.until(async () =>
      expect(await comments(first)).toEqual(
        expect.arrayContaining([expect.stringContaining('Resumed.'), expect.stringContaining('proposes')]),
      ),
    );
  });
});

/** Returns the process and all its descendants. */
function listTree(root: number): ProcessRef[] {
  return [root, ...findDescendants(listProcesses(), root)].flatMap((pid) => referTo(pid) ?? []);
}
