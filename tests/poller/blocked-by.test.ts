import type { PlanResult } from '@mergexo/core/turns';
import { createStage, DEBOUNCE_MS, NAME, type Stage, WINDOW_MS } from '../stage/stage.js';

const LIB = 'alice/lib';
const SECRET_REPO = 'alice/hidden';
const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };
const BLOCKED_BY = '/issues/{issue_number}/dependencies/blocked_by';

/** Nobody knows whether a dependency changes the update time of the blocked issue on GitHub. */
describe.each([
  ['changes', true],
  ['does not change', false],
])(
  'an issue that another issue blocks, if a dependency %s its update time',
  (_name, dependenciesMoveIssue) => {
    let stage: Stage;
    beforeEach(async () => {
      const otherRepos = [{ name: LIB, robot: 'read' } as const, { name: SECRET_REPO }];
      stage = await createStage({ otherRepos, room: 10, recentMs: 2_000 });
      stage.twin.control.set({ dependenciesMoveIssue });
    });
    afterEach(() => stage.close());

    const openTurns = () => stage.state.listTurnsInState('open').map(({ issueNumber }) => issueNumber);
    const runOf = (issue: number) => stage.state.listRunsOfIssue(stage.repo.id, issue)[0];
    const reasonOf = (issue: number) => runOf(issue)?.schedule?.reason;
    const pollLater = async (times = 1) => {
      for (let i = 0; i < times; i += 1) {
        stage.advance(DEBOUNCE_MS);
        await stage.poll();
      }
    };
    const requestsFor = (text: string) =>
      stage.twin.history.list('request').filter(({ path }) => path.includes(text));
    const openBlocker = (repo = NAME) => stage.alice.openIssue(repo, { title: 'First', body: 'x' });
    const openBlocked = async (blocker: { repo?: string; number: number }, label = 'agent:bugfix') => {
      const number = await stage.alice.openIssue(NAME, { title: 'Second', body: 'x' });
      await stage.alice.addBlocker(NAME, number, blocker);
      await stage.alice.label(NAME, number, label);
      // The feed repeats the newest rows, so a newer issue hides changes that do not move the update time.
      stage.advance(3_000);
      await stage.alice.openIssue(NAME, { title: 'Unrelated' });
      return number;
    };
    const ourWords = async (number: number) =>
      (await stage.github.fetchThread(NAME, number)).comments
        .filter(({ author }) => author.login === 'robot')
        .map(({ body }) => body);

    it.each(['agent:bugfix', 'agent:small-job', 'agent:design'])(
      'waits with the label %s, says for which issue, and starts once it is closed',
      async (label) => {
        const first = await openBlocker();
        const second = await openBlocked({ number: first }, label);
        await pollLater();
        expect(openTurns()).toEqual([]);
        expect(runOf(second)).toMatchObject({
          status: 'ready',
          error: null,
          schedule: { reason: `blocked by #${first}, which is open` },
        });
        await stage.alice.close(NAME, first);
        await pollLater(2);
        expect(openTurns()).toEqual([second]);
        expect(runOf(second)?.schedule).toBeNull();
      },
    );

    it('starts once the dependency is removed', async () => {
      const first = await openBlocker();
      const second = await openBlocked({ number: first });
      await pollLater();
      await stage.alice.removeBlocker(NAME, second, { number: first });
      await pollLater(5);
      expect(openTurns()).toEqual([second]);
    });

    it('starts only after all its blockers are closed', async () => {
      const blockers = [await openBlocker(), await openBlocker()];
      const second = await openBlocked({ number: blockers[0] ?? 0 });
      await stage.alice.addBlocker(NAME, second, { number: blockers[1] ?? 0 });
      await pollLater();
      expect(reasonOf(second)).toBe('blocked by #1 and #2, which are open');
      await stage.alice.close(NAME, 1);
      await pollLater(2);
      expect(reasonOf(second)).toBe('blocked by #2, which is open');
      await stage.alice.close(NAME, 2);
      await pollLater(2);
      expect(openTurns()).toEqual([second]);
    });

    it('waits for an issue of another repository', async () => {
      const first = await openBlocker(LIB);
      const second = await openBlocked({ repo: LIB, number: first });
      await pollLater(2);
      expect(reasonOf(second)).toBe(`blocked by ${LIB}#${first}, which is open`);
      await stage.alice.close(LIB, first);
      await pollLater(5);
      expect(openTurns()).toEqual([second]);
    });

    it('waits for an issue that MergeXO cannot read', async () => {
      const first = await openBlocker(SECRET_REPO);
      const second = await openBlocked({ repo: SECRET_REPO, number: first });
      await pollLater(6);
      expect(reasonOf(second)).toBe('blocked by 1 issue that MergeXO could not read');
      await stage.alice.close(SECRET_REPO, first);
      await pollLater(6);
      expect(openTurns()).toEqual([second]);
    });

    it('waits even if its dependency was added after the label, while a limit delayed the start', async () => {
      stage.limit({ maxOpenRuns: 0 });
      const first = await openBlocker();
      const second = await stage.alice.openIssue(NAME, { title: 'Second', labels: ['agent:bugfix'] });
      stage.advance(3_000);
      await stage.alice.openIssue(NAME, { title: 'Unrelated' });
      await pollLater();
      expect(runOf(second)?.blockedKind).toBe('max_open_runs');
      await stage.alice.addBlocker(NAME, second, { number: first });
      stage.limit({});
      await pollLater(2);
      expect(openTurns()).toEqual([]);
      expect(runOf(second)).toMatchObject({
        blockedKind: null,
        schedule: { reason: `blocked by #${first}, which is open` },
      });
    });

    it('does not reach an agent if it is blocked while its turn waits for a worker', async () => {
      const first = await openBlocker();
      const second = await stage.alice.openIssue(NAME, { title: 'Second', labels: ['agent:bugfix'] });
      await pollLater();
      const [turn] = stage.state.listTurnsInState('open');
      if (turn === undefined) throw new Error('no turn was opened');
      await stage.alice.addBlocker(NAME, second, { number: first });
      stage.advance(3_000);
      expect(await stage.begin(turn)).toMatchObject({
        kind: 'refused',
        reason: `blocked by #${first}, which is open`,
      });
      await pollLater(2);
      expect([openTurns(), runOf(second)?.status]).toEqual([[], 'ready']);
      await stage.alice.close(NAME, first);
      await pollLater(2);
      await stage.work(fix);
      await stage.drain();
      expect(runOf(second)?.prNumber).not.toBeNull();
    });

    it('costs one request when GitHub reports the blocker, and no counted one while nothing changes', async () => {
      const first = await openBlocker();
      const second = await openBlocked({ number: first });
      await pollLater();
      expect(requestsFor('/dependencies/')).toHaveLength(1);
      await pollLater(8);
      const before = stage.twin.history.list('request').length;
      const { counted } = stage.twin.control.ledger('robot');
      await pollLater(8);
      expect(stage.twin.control.ledger('robot').counted).toBe(counted);
      expect(stage.twin.history.list('request').length - before).toBeLessThanOrEqual(8 * 6);
      expect(requestsFor(`/issues/${second}/dependencies/`).at(-1)).toMatchObject({ status: 304 });
    });

    it('still waits after a restart and after a database loss', async () => {
      const first = await openBlocker();
      const second = await openBlocked({ number: first });
      await pollLater();
      stage.restart();
      await pollLater();
      expect([openTurns(), reasonOf(second)]).toEqual([[], `blocked by #${first}, which is open`]);
      stage.loseState();
      stage.advance(WINDOW_MS);
      await pollLater(3);
      expect([openTurns(), reasonOf(second)]).toEqual([[], `blocked by #${first}, which is open`]);
      await stage.alice.close(NAME, first);
      stage.restart();
      await pollLater(2);
      expect(openTurns()).toEqual([second]);
    });

    it('waits while GitHub cannot list its blockers', async () => {
      const first = await openBlocker();
      const second = await openBlocked({ number: first });
      const fault = stage.twin.control.fault({
        kind: 'error',
        status: 502,
        route: `GET /repos/{owner}/{repo}${BLOCKED_BY}`,
        times: null,
      });
      await pollLater(2);
      expect([openTurns(), reasonOf(second)]).toEqual([[], 'blocked by 1 issue that MergeXO could not read']);
      fault.clear();
      await pollLater();
      expect(reasonOf(second)).toBe(`blocked by #${first}, which is open`);
    });

    it('shows in its status comment what it waits for', async () => {
      const first = await openBlocker();
      const second = await openBlocked({ number: first });
      await pollLater();
      await stage.sign();
      expect(await ourWords(second)).toEqual([expect.stringContaining(`blocked by #${first}`)]);
    });

    it('is reported once if the issues block each other', async () => {
      const first = await openBlocker();
      const second = await openBlocked({ number: first });
      await stage.alice.addBlocker(NAME, first, { number: second });
      await stage.alice.label(NAME, first, 'agent:bugfix');
      for (let i = 0; i < 3; i += 1) {
        await pollLater();
        await stage.drain();
      }
      stage.restart();
      await pollLater();
      await stage.drain();
      expect(openTurns()).toEqual([]);
      expect(await ourWords(first)).toEqual([expect.stringContaining('#1 and #2 depend on each other')]);
      expect(await ourWords(second)).toEqual([]);
    });

    it('waits with the implementation of its design', async () => {
      const first = await openBlocker();
      const second = await stage.alice.openIssue(NAME, { title: 'Second' });
      await stage.alice.pushFiles(NAME, 'mine', { 'docs/design/a.md': `---\nissue: ${second}\n---\n` });
      await stage.poll();
      const pr = await stage.alice.openPull(NAME, { title: 'A design', head: 'mine', base: 'main' });
      await stage.alice.addBlocker(NAME, second, { number: first });
      await stage.alice.merge(NAME, pr);
      await pollLater(3);
      expect([openTurns(), reasonOf(second)]).toEqual([[], `blocked by #${first}, which is open`]);
      await stage.alice.close(NAME, first);
      await pollLater(2);
      expect(openTurns()).toEqual([second]);
    });
  },
);

it('an issue is not blocked on a server without dependencies', async () => {
  const stage = await createStage();
  const number = await stage.alice.openIssue(NAME, { title: 'First', labels: ['agent:bugfix'] });
  const other = await stage.alice.openIssue(NAME, { title: 'Second' });
  await stage.alice.addBlocker(NAME, number, { number: other });
  const withoutSummary = (row: unknown): unknown =>
    typeof row === 'object' && row !== null ? { ...row, issue_dependencies_summary: undefined } : row;
  stage.twin.control.set({
    tamper: (route, body) =>
      !route.includes('/issues') || route.includes('comments')
        ? body
        : Array.isArray(body)
          ? body.map(withoutSummary)
          : withoutSummary(body),
  });
  await stage.poll();
  expect(stage.state.listTurnsInState('open')).toHaveLength(1);
  await stage.close();
});
