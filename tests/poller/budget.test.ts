import { type PlanResult, StartContext, type Turn } from '@mergexo/core/turns';
import { resetBlocked } from '@mergexo/poller';
import { createStage, DEBOUNCE_MS, NAME, type Stage } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix the login', summary: 'It works again.', design: null };
const DAY_MS = 24 * 3_600_000;
const REASON = '$0.50 of $0.50 was spent today (UTC) (limits.max_cost_usd_per_day)';

describe('when a turn begins, the poller checks the limits again and', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage({ room: 5 });
  });
  afterEach(() => stage.close());

  const openIssue = (title: string) =>
    stage.alice.openIssue(NAME, { title, body: 'It fails.', labels: ['agent:bugfix'] });
  /** Opens two issues, one second apart, so that the turn of the first one comes first. */
  const openTwo = async (): Promise<[number, number]> => {
    const first = await openIssue('First');
    await stage.poll();
    stage.advance(1_000);
    const second = await openIssue('Second');
    await stage.poll();
    return [first, second];
  };
  const settle = async () => {
    for (let i = 0; i < 2; i += 1) {
      stage.advance(DEBOUNCE_MS + 2_000);
      await stage.poll();
      await stage.drain();
    }
  };
  const openTurns = () => stage.state.listTurnsInState('open');
  const openTurnOf = (issue: number): Turn => {
    const turn = openTurns().find(({ issueNumber }) => issueNumber === issue);
    if (turn === undefined) throw new Error(`no open turn of #${issue}`);
    return turn;
  };
  const run = (issue: number) => stage.state.listRunsOfIssue(stage.repo.id, issue)[0];
  const ourWords = async (number: number) =>
    (await stage.github.fetchThread(NAME, number)).comments
      .filter(({ author }) => author.login === 'robot')
      .map(({ body }) => body);

  it('defers a queued start if the daily budget is spent, reports the limit once, and resumes the next day', async () => {
    const [, second] = await openTwo();
    stage.limit({ maxCostUsdPerDay: 0.5 });
    await stage.work(fix);
    const turn = openTurnOf(second);
    expect(await stage.begin(turn)).toEqual({ kind: 'refused', reason: REASON });
    expect(stage.state.readTurn(turn.turnKey)).toMatchObject({ state: 'cancelled', reason: REASON });
    for (let i = 0; i < 2; i += 1) await settle();
    expect(run(second)).toMatchObject({ status: 'ready', blockedKind: 'max_cost_usd_per_day' });
    expect(await ourWords(second)).toEqual([expect.stringContaining(REASON)]);
    stage.advance(DAY_MS);
    await stage.poll();
    expect(await stage.begin(openTurnOf(second))).toMatchObject({ kind: 'begun', attempt: 1 });
  });

  it('keeps a comment on a waiting issue, and gives the comment to the agent the next day', async () => {
    const [issue] = await openTwo();
    await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Which database?' });
    await stage.drain();
    await stage.alice.comment(NAME, issue, 'Postgres.');
    await settle();
    stage.limit({ maxCostUsdPerDay: 0.5 });
    expect(await stage.begin(openTurnOf(issue))).toEqual({ kind: 'refused', reason: REASON });
    expect(run(issue)?.status).toBe('awaiting_issue_followup');
    await settle();
    expect(openTurns().map(({ issueNumber }) => issueNumber)).not.toContain(issue);
    stage.advance(DAY_MS);
    await settle();
    const context = StartContext.parse(stage.state.readTurnContext(openTurnOf(issue).turnKey));
    expect(context.followup?.comments.map(({ body }) => body)).toEqual(['Postgres.']);
  });

  it('leaves a comment unanswered if the budget is spent, and reports the limit on the pull request', async () => {
    const issue = await openIssue('First');
    await stage.poll();
    await stage.work(fix);
    await settle();
    const pr = run(issue)?.prNumber ?? 0;
    await stage.alice.comment(NAME, pr, 'Why?');
    await settle();
    stage.limit({ maxCostUsdPerDay: 0.5 });
    expect(await stage.begin(openTurnOf(issue))).toEqual({ kind: 'refused', reason: REASON });
    for (let i = 0; i < 2; i += 1) await settle();
    expect(stage.state.readPull(stage.repo.id, pr)).toMatchObject({ blockedKind: 'cap_reached' });
    expect(stage.state.listUnclaimedEvents(stage.repo.id, pr)).toHaveLength(1);
    expect(await ourWords(pr)).toEqual([expect.stringContaining(REASON)]);
  });

  it('still posts a frozen plan after the budget is spent, without another agent call', async () => {
    await openIssue('First');
    await stage.poll();
    const [turn] = openTurns();
    if (turn === undefined) throw new Error('no turn');
    await stage.begin(turn);
    const commit = { branch: 'agent/bugfix/1-first', startSha: 'e'.repeat(40), sha: 'f'.repeat(40) };
    const held = { turnKey: turn.turnKey, attempt: 1 };
    await stage.tell({ kind: 'freeze', ...held, parcel: stage.buildParcel(fix, commit), finished: false });
    await stage.tell({ kind: 'release', ...held, reason: 'draining' });
    stage.limit({ maxCostUsdPerDay: 0.5 });
    const frozen = stage.state.readTurn(turn.turnKey) ?? turn;
    expect(await stage.begin(frozen)).toMatchObject({ kind: 'begun', attempt: 2, frozen: { plan: {} } });
  });

  const liftOnce = (issueNumber: number) => {
    const { state, now, log } = stage.common();
    const wish = { pulls: [{ repo: null, issueNumber }], repo: null, headSha: null, reason: null };
    const request = { kind: 'reset', requestId: 'once', by: 'cli', expiresAt: now() + 1, ...wish } as const;
    return resetBlocked({ state, now, log, agentsOf: () => stage.repo.config }, request);
  };
  const parkReady = async () => {
    const [, issue] = await openTwo();
    stage.limit({ maxCostUsdPerDay: 0.5 });
    await stage.work(fix);
    await stage.begin(openTurnOf(issue));
    return issue;
  };
  const parkWithReply = async () => {
    const issue = await openIssue('First');
    await stage.poll();
    await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Which database?' });
    await stage.drain();
    stage.limit({ maxTurnsPerRun: 1 });
    await stage.alice.comment(NAME, issue, 'Postgres.');
    return issue;
  };
  it.each([
    ['a ready run', parkReady, 'ready', 'max_cost_usd_per_day'],
    ['a run with a new reply', parkWithReply, 'awaiting_issue_followup', 'max_turns_per_run'],
  ])(
    'starts exactly one turn of %s after an operator lifts its limit once',
    async (_name, park, status, key) => {
      const issue = await park();
      const turnsOf = () => stage.state.listTurnsOfRun(run(issue)?.id ?? 0).length;
      await settle();
      expect(run(issue)).toMatchObject({ status, blockedKind: key });
      expect(openTurns()).toEqual([]);
      const before = turnsOf();
      for (let i = 0; i < 2; i += 1)
        expect(liftOnce(issue)).toMatchObject({ pulls: [{ issueNumber: issue, blockedKind: key }] });
      for (let i = 0; i < 3; i += 1) await settle();
      expect(openTurns().map(({ issueNumber }) => issueNumber)).toEqual([issue]);
      await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Which table?' });
      await stage.alice.comment(NAME, issue, 'Users.');
      for (let i = 0; i < 3; i += 1) await settle();
      expect(run(issue)).toMatchObject({ status: 'awaiting_issue_followup', blockedKind: key });
      expect(turnsOf()).toBe(before + 1);
    },
  );

  it('allows the last turn within max_turns_per_run', async () => {
    stage.limit({ maxTurnsPerRun: 1 });
    const issue = await openIssue('First');
    await stage.poll();
    expect(await stage.begin(openTurnOf(issue))).toMatchObject({ kind: 'begun' });
  });

  it('delays the turn, without a request, while GitHub’s rate limit asks MergeXO to wait', async () => {
    const issue = await openIssue('First');
    await stage.poll();
    stage.pause(45_000);
    const requests = () => stage.twin.history.list('request').length;
    const before = requests();
    const answer = { kind: 'retry-later', delayMs: 45_000, reason: 'GitHub asked MergeXO to wait' };
    expect(await stage.begin(openTurnOf(issue))).toEqual(answer);
    expect(requests()).toBe(before);
  });
});
