import type { AgentFailed, AgentRun, TurnContext } from '@mergexo/agents';
import type { AgentRequest, AgentStep } from '@mergexo/core/agent';
import { A_CHANGE, aRequest } from '@mergexo/testkit';
import { aRepo } from '../testing/a-repo.js';
import { aReport } from '../testing/scene.js';
import { aBegunTurn } from '../testing/stage.js';
import { ask } from './ask.js';
import { createMeter } from './meter.js';

const usage = { inputTokens: 10, outputTokens: 2, costUsd: 0.25 };
const twice = { inputTokens: 20, outputTokens: 4, costUsd: 0.5 };
const answered = (output: unknown, threadId: string | null = 'thread-1'): AgentRun => ({
  kind: 'answered',
  threadId,
  output,
  usage,
});
const failed = (failure: AgentFailed['failure'], message = 'broken'): AgentRun => ({
  kind: 'failed',
  failure,
  message,
  usage,
});

/** Asks an agent that returns these runs in order, with one repair allowed. */
async function play(
  runs: readonly AgentRun[],
  { threadId = null, complaints = [] }: { threadId?: string | null; complaints?: string[] } = {},
) {
  const requests: AgentRequest[] = [];
  const repo = aRepo();
  const begun = aBegunTurn('bugfix_start', {});
  const steps: AgentStep[] = [];
  const meter = createMeter({ adapter: 'command', model: undefined });
  const agent = {
    name: 'command',
    commands: { run: 'unknown', hosts: 'all' } as const,
    runTurn: async (request: AgentRequest, { onEvent }: Pick<TurnContext, 'onEvent'>) => {
      requests.push(request);
      onEvent?.({ kind: 'usage', usage });
      return runs[requests.length - 1] ?? failed('crashed', 'asked too often');
    },
  };
  const asked = await ask(
    { agents: { find: () => ({ kind: 'ready', agent }) }, homeOf: () => '/home', redact: (text) => text },
    {
      agent: repo.agent,
      repo,
      issueNumber: 7,
      begun,
      signal: new AbortController().signal,
      meter,
      report: { ...aReport(), show: (step) => void steps.push(step) },
      slot: { path: '/slot', mirrorPath: '/mirror', prepareAgent: async () => {} },
      handouts: { path: '/handouts', write: async () => {}, remove: async () => {} },
    },
    {
      threadId,
      repairs: { left: 1 },
      check: async () => complaints,
      build: (thread) => ({
        request: { ...aRequest('bugfix_start'), session: thread === null ? null : toSession(thread) },
        files: [],
      }),
    },
  );
  return { asked, requests, steps, usage: meter.total() };
}

const toSession = (threadId: string) => ({ adapter: 'command', thread_id: threadId });

describe('ask', () => {
  it('accepts a valid output at once', async () => {
    const { asked, requests } = await play([answered(A_CHANGE)]);
    expect(asked).toMatchObject({
      kind: 'answered',
      threadId: 'thread-1',
      output: { kind: 'done', ...A_CHANGE },
    });
    expect(requests).toEqual([aRequest('bugfix_start')]);
  });

  it('asks for one repair in the same session, names the errors, and adds up the usage', async () => {
    const bad = { ...A_CHANGE, pr_title: null, extra: 1 };
    const { asked, requests, usage } = await play([answered(bad), answered(A_CHANGE, 'thread-2')]);
    expect(asked).toMatchObject({ kind: 'answered', threadId: 'thread-2' });
    expect(usage).toMatchObject({ ...twice, adapter: 'command' });
    expect(requests[1]).toMatchObject({ kind: 'bugfix_start', session: toSession('thread-1') });
    expect(requests[1]?.prompt).toContain('Unrecognized key: "extra"');
    expect(requests[1]?.prompt).not.toContain('Fix the greeting.');
  });

  it('shows what all runs of the attempt have used so far', async () => {
    const { steps } = await play([answered({}), answered(A_CHANGE)]);
    expect(steps.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'usage: 10 tokens in, 2 out, $0.25',
      'usage: 20 tokens in, 4 out, $0.50',
    ]);
    expect(steps[1]?.usage).toMatchObject({ ...twice, adapter: 'command' });
  });

  it('repeats the whole prompt to an agent that keeps no session', async () => {
    const { asked, requests } = await play([answered({}, null), answered(A_CHANGE, null)]);
    expect(asked).toMatchObject({ kind: 'answered', threadId: null });
    expect(requests[1]).toMatchObject({
      session: null,
      prompt: expect.stringContaining('Fix the greeting.'),
    });
  });

  it('asks the agent to repair a run without an answer', async () => {
    const { asked, requests } = await play([failed('invalid-output', 'no answer'), answered(A_CHANGE)]);
    expect(asked.kind).toBe('answered');
    expect(requests[1]?.prompt).toContain('no answer');
  });

  it('starts a new session once when the old one is lost', async () => {
    const lost = failed('session-lost');
    const again = await play([lost, answered(A_CHANGE)], { threadId: 'thread-0' });
    expect(again.asked.kind).toBe('answered');
    expect(again.requests.map(({ session }) => session)).toEqual([toSession('thread-0'), null]);
    const never = await play([lost, lost, answered(A_CHANGE)], { threadId: 'thread-0' });
    expect(never.asked).toMatchObject({ kind: 'failed' });
    expect(never.requests).toHaveLength(2);
  });

  it.each<[string, AgentRun[], string[], object, number]>([
    [
      'after one repair',
      [answered('nonsense'), answered({ pr_title: 'x' }), answered(A_CHANGE)],
      [],
      {
        cause: 'unusable',
        reason: expect.stringContaining('pr_summary is required'),
        usage: expect.objectContaining(twice),
      },
      2,
    ],
    [
      'after one repair if the check still fails',
      [answered(A_CHANGE), answered(A_CHANGE), answered(A_CHANGE)],
      ['comment 9 is not part of this turn'],
      { cause: 'unusable', reason: expect.stringContaining('comment 9 is not part of this turn') },
      2,
    ],
    ['at once when the agent crashes', [failed('crashed')], [], { cause: 'agent', usage }, 1],
    [
      'at once at a usage limit, which another agent may take over',
      [failed('usage-limit')],
      [],
      { cause: 'infrastructure', limitedAdapter: 'command', retryAfterMs: 5 * 60_000, usage },
      1,
    ],
    [
      'at once when the agent exceeds a resource limit, and names the limit',
      [failed('resource-limit', 'the agent used more than 8192 MiB of memory')],
      [],
      { cause: 'agent', reason: 'resource-limit: the agent used more than 8192 MiB of memory', usage },
      1,
    ],
    [
      'when the repair crashes, and reports the usage of both runs',
      [answered({}), failed('crashed')],
      [],
      { cause: 'agent', usage: expect.objectContaining(twice) },
      2,
    ],
  ])('gives up %s', async (_when, runs, complaints, expected, asked) => {
    const { asked: result, requests } = await play(runs, { complaints });
    expect(result).toMatchObject({ kind: 'failed', failed: expected });
    expect(requests).toHaveLength(asked);
  });
});
