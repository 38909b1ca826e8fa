import type { FailMessage } from '@mergexo/core/ledger';
import { StartContext, type Turn } from '@mergexo/core/turns';
import { createStage, NAME, type Stage } from '../stage/stage.js';

const MINUTE = 60_000;

describe('when a provider’s usage limit is reached, the poller', () => {
  let stage: Stage;
  afterEach(() => stage.close());

  const open = async (repoKeys: string, count: number): Promise<Turn[]> => {
    stage = await createStage({ repoKeys, room: count });
    for (let i = 1; i <= count; i += 1)
      await stage.alice.openIssue(NAME, { title: `Issue ${i}`, body: 'It fails.', labels: ['agent:bugfix'] });
    await stage.poll();
    return stage.state.listTurnsInState('open');
  };
  const beginAgain = (turn: Turn) => stage.begin(stage.state.readTurn(turn.turnKey) ?? turn);
  const reachLimit = (
    { turnKey }: Turn,
    attempt: number,
    limit: { adapter: string; ms: number },
    more: Partial<FailMessage> = {},
  ) =>
    stage.tell({
      kind: 'fail',
      turnKey,
      attempt,
      cause: 'infrastructure',
      reason: `usage-limit: ${limit.adapter} is used up`,
      retryAfterMs: limit.ms,
      usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
      limitedAdapter: limit.adapter,
      ...more,
    });

  it('moves the turn to the fallback at once, and starts other turns with the fallback', async () => {
    const [first, second] = await open('agent_fallback = ["claude"]', 2);
    if (first === undefined || second === undefined) throw new Error('two turns are needed');
    expect(await stage.begin(first)).not.toHaveProperty('adapter');
    await reachLimit(first, 1, { adapter: 'codex', ms: 180 * MINUTE });
    expect(stage.state.readTurn(first.turnKey)).toMatchObject({ state: 'queued', notBefore: null });
    expect(await beginAgain(first)).toMatchObject({ kind: 'begun', attempt: 2, adapter: 'claude' });
    expect(await stage.begin(second)).toMatchObject({ kind: 'begun', attempt: 1, adapter: 'claude' });
    const begun = stage.state
      .listEventsOfTurn(first.turnKey)
      .filter(({ type }) => type === 'turn_begun')
      .map(({ payload }) => Object(payload)['fallback_agent']);
    expect(begun).toEqual([undefined, 'claude']);
  });

  it('names both agents in the cost of the pull request', async () => {
    const [turn] = await open('agent_fallback = ["claude"]\nshow_cost = true', 1);
    if (turn === undefined) throw new Error('no turn');
    await stage.begin(turn);
    const usage = { inputTokens: 5, outputTokens: 0, costUsd: 0, adapter: 'codex' };
    await reachLimit(turn, 1, { adapter: 'codex', ms: 180 * MINUTE }, { usage });
    await stage.perform(['bugfix_start'], async ({ context, ...begun }) => {
      const { branch } = StartContext.parse(context);
      const sha = await stage.twin.as('robot').pushFiles(NAME, branch, { 'fix.txt': 'fixed\n' });
      const { adapter } = begun;
      if (adapter === undefined) throw new Error('no fallback');
      const result = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null } as const;
      return { result, commit: { branch, startSha: 'e'.repeat(40), sha }, usage: { adapter, model: 'opus' } };
    });
    await stage.drain();
    const [pull] = await stage.github.fetchPullsOfBranch(NAME, 'agent/bugfix/1-issue-1');
    expect(pull?.body).toContain(
      '_Cost until this pull request: `codex`, `claude opus`, 2 attempts, 6 tokens in',
    );
  });

  it('returns to the first agent when its limit resets', async () => {
    const [turn] = await open('agent_fallback = ["claude"]', 1);
    if (turn === undefined) throw new Error('no turn');
    await stage.begin(turn);
    await reachLimit(turn, 1, { adapter: 'codex', ms: 30 * MINUTE });
    stage.advance(30 * MINUTE + 1);
    expect(await beginAgain(turn)).not.toHaveProperty('adapter');
  });

  it('waits for the first reset when every agent is limited', async () => {
    const [turn, other] = await open('agent_fallback = ["claude"]', 2);
    if (turn === undefined || other === undefined) throw new Error('two turns are needed');
    await stage.begin(turn);
    await reachLimit(turn, 1, { adapter: 'codex', ms: 30 * MINUTE });
    await beginAgain(turn);
    await reachLimit(turn, 2, { adapter: 'claude', ms: 180 * MINUTE });
    const { notBefore } = stage.state.readTurn(turn.turnKey) ?? {};
    expect(notBefore).toBe(stage.common().now() + 30 * MINUTE);
    expect(await stage.begin(other)).toMatchObject({
      kind: 'retry-later',
      reason: expect.stringContaining('codex is used up'),
    });
    stage.advance(30 * MINUTE + 1);
    expect(await beginAgain(turn)).toMatchObject({ kind: 'begun', attempt: 3 });
  });

  it('ignores a review that a worker reports for another kind of turn', async () => {
    const [turn] = await open('', 1);
    if (turn === undefined) throw new Error('no turn');
    await stage.begin(turn);
    const context = stage.state.readTurnContext(turn.turnKey);
    const reported = { summary: 'Read all of it.', earlier: [], findings: [] };
    expect(await reachLimit(turn, 1, { adapter: 'codex', ms: MINUTE }, { reported })).toEqual({ kind: 'ok' });
    expect(stage.state.readTurnContext(turn.turnKey)).toEqual(context);
  });

  it.each([
    ['the repository has no fallback', '', 'codex'],
    ['the worker ran an agent that is not configured here', 'agent_fallback = ["claude"]', 'command'],
  ])('keeps the wait if %s', async (_why, repoKeys, adapter) => {
    const [turn] = await open(repoKeys, 1);
    if (turn === undefined) throw new Error('no turn');
    await stage.begin(turn);
    await reachLimit(turn, 1, { adapter, ms: 30 * MINUTE });
    const { notBefore } = stage.state.readTurn(turn.turnKey) ?? {};
    expect(notBefore).toBe(stage.common().now() + 30 * MINUTE);
  });
});
