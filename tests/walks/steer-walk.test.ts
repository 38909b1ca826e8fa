import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';

/** Pauses, cancels and resumes real agents on real processes. */
describe('an operator', () => {
  let walk: Walk;
  beforeEach(async () => {
    walk = await createWalk();
  });
  afterEach(() => walk.closeAndCheck());

  const mergexo = async (...args: string[]) => {
    const { code, output } = await walk.runCli(...args, '--json');
    return { code, ...JSON.parse(output) };
  };
  const pullOf = (issue: number) => walk.runOf(issue)?.prNumber ?? null;
  const comments = async (issue: number): Promise<string[]> => {
    const rows = await walk.alice.request('GET', `/repos/${REPO}/issues/${issue}/comments`);
    return Array.isArray(rows) ? rows.map(({ body }) => String(body)) : [];
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
    expect(status.pauses).toMatchObject([{ repo: null, issue: null, by: 'cli', reason: 'release day' }]);
    expect(status.work).toMatchObject([{ issue, waits_for: expect.stringContaining('resume all work') }]);
    expect(await mergexo('resume')).toMatchObject({ changed: true });
    await walk.until(() => expect(pullOf(issue)).not.toBeNull());
    expect(walk.agentCalls(issue)).toBe(1);
  });

  it('cancels a running turn: its agent ends and nothing is posted until the resume', async () => {
    const go = join(walk.dir, 'go');
    walk.startPoller();
    walk.startWorker();
    const issue = await walk.openIssue('agent:bugfix', { waitFor: go, files: { 'fix.txt': 'fixed\n' } });
    await walk.until(() => expect(walk.agentCalls(issue)).toBe(1));
    const agents = (): string[] =>
      execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.includes('scripted-agent') && line.includes(walk.dir));
    expect(agents()).not.toEqual([]);
    expect(await mergexo('cancel', String(issue))).toMatchObject({
      code: 0,
      through: 'poller',
      turn: { end: 'cancelled' },
    });
    await walk.until(() => expect(agents()).toEqual([]));
    writeFileSync(go, '');
    await new Promise((done) => setTimeout(done, 3_000));
    expect([await comments(issue), pullOf(issue), existsSync(go)]).toEqual([[], null, true]);
    await walk.alice.comment(REPO, issue, '/mergexo resume');
    await walk.until(() => expect(pullOf(issue)).not.toBeNull());
    expect(await comments(issue)).toEqual(
      expect.arrayContaining([expect.stringContaining('Resumed.'), expect.stringContaining('proposes')]),
    );
  });
});
