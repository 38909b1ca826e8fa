import type { AgentRequest } from '@mergexo/core';
import type { Agent, AgentRun } from './agent.js';
import { askAgent } from './ask-agent.js';
import { A_CHANGE, aRequest } from './testing/a-request.js';
import { createBench } from './testing/bench.js';

const usage = { inputTokens: 10, outputTokens: 2, costUsd: 0.25 };
const twice = { inputTokens: 20, outputTokens: 4, costUsd: 0.5 };
const answered = (output: unknown, threadId: string | null = 'thread-1'): AgentRun => ({
  kind: 'answered',
  threadId,
  output,
  usage,
});
const failed = (failure: 'invalid-output' | 'crashed' | 'session-lost', message = 'broken'): AgentRun => ({
  kind: 'failed',
  failure,
  message,
  usage,
});

function playing(...runs: AgentRun[]): Agent & { heard: AgentRequest[] } {
  const heard: AgentRequest[] = [];
  return {
    name: 'scripted',
    heard,
    runTurn: async (request) => {
      heard.push(request);
      return runs[heard.length - 1] ?? failed('crashed', 'asked too often');
    },
  };
}

const place = { cwd: '/slot', home: '/home', signal: new AbortController().signal };
const request = aRequest('bugfix_start');

describe('askAgent', () => {
  it('takes a valid output at once', async () => {
    const agent = playing(answered(A_CHANGE));
    expect(await askAgent({ agent, request, place })).toEqual({
      kind: 'answered',
      threadId: 'thread-1',
      output: { kind: 'done', ...A_CHANGE },
      usage,
    });
    expect(agent.heard).toEqual([request]);
  });

  it('asks for one repair in the same session, names what was wrong, and adds up the usage', async () => {
    const agent = playing(
      answered({ ...A_CHANGE, pr_title: null, extra: 1 }),
      answered(A_CHANGE, 'thread-2'),
    );
    expect(await askAgent({ agent, request, place })).toMatchObject({
      kind: 'answered',
      threadId: 'thread-2',
      usage: twice,
    });
    const [, repair] = agent.heard;
    expect(repair).toMatchObject({
      session: { adapter: 'scripted', thread_id: 'thread-1' },
      kind: 'bugfix_start',
    });
    expect(repair?.prompt).toContain('Unrecognized key: "extra"');
    expect(repair?.prompt).not.toContain(request.prompt);
  });

  it('repeats the whole prompt to an agent that keeps no session', async () => {
    const agent = playing(answered({}, null), answered(A_CHANGE, null));
    expect(await askAgent({ agent, request, place })).toMatchObject({ kind: 'answered', threadId: null });
    expect(agent.heard[1]).toMatchObject({ session: null, prompt: expect.stringContaining(request.prompt) });
  });

  it('gives up after one repair', async () => {
    const agent = playing(answered('nonsense'), answered({ pr_title: 'x' }), answered(A_CHANGE));
    expect(await askAgent({ agent, request, place })).toEqual({
      kind: 'failed',
      failure: 'invalid-output',
      message: expect.stringContaining('pr_summary: is required unless blocked_reason is given'),
      usage: twice,
    });
    expect(agent.heard).toHaveLength(2);
  });

  it('lets an agent repair what was no answer at all', async () => {
    const agent = playing(failed('invalid-output', 'the agent printed no answer'), answered(A_CHANGE));
    expect(await askAgent({ agent, request, place })).toMatchObject({ kind: 'answered', usage: twice });
    expect(agent.heard[1]?.prompt).toContain('the agent printed no answer');
  });

  it('does not repair other failures', async () => {
    const agent = playing(failed('crashed'));
    expect(await askAgent({ agent, request, place })).toEqual(failed('crashed'));
    expect(agent.heard).toHaveLength(1);
  });

  it('reports a failure of the repair itself, with the usage of both', async () => {
    const agent = playing(answered({}), failed('crashed'));
    expect(await askAgent({ agent, request, place })).toEqual({ ...failed('crashed'), usage: twice });
  });

  it('says at once that a session is lost, so that the caller can start afresh', async () => {
    const agent = playing(failed('session-lost'));
    expect(await askAgent({ agent, request, place })).toEqual(failed('session-lost'));
    expect(agent.heard).toHaveLength(1);
  });

  it('does not get another chance by losing the session before the repair', async () => {
    const agent = playing(answered({}), failed('session-lost'));
    expect(await askAgent({ agent, request, place })).toMatchObject({
      failure: 'invalid-output',
      usage: twice,
    });
    expect(agent.heard).toHaveLength(2);
  });

  it('does not show an agent the session of another', async () => {
    const agent = playing(answered(A_CHANGE));
    const foreign = { ...request, session: { adapter: 'other', thread_id: 'thread-1' } };
    expect(await askAgent({ agent, request: foreign, place })).toMatchObject({ failure: 'session-lost' });
    expect(agent.heard).toEqual([]);
  });

  it('keeps its words short, whatever was wrong', async () => {
    const check = () => Array<string>(100).fill(`\u001b[31m${'x'.repeat(1_000)}`);
    const asked = await askAgent({
      agent: playing(answered(A_CHANGE), answered(A_CHANGE)),
      request,
      place,
      check,
    });
    if (asked.kind !== 'failed') throw new Error(asked.kind);
    expect(asked.message.length).toBeLessThanOrEqual(2_000);
    expect(asked.message).not.toContain('\u001b');
  });

  it('treats complaints of the caller like a broken schema', async () => {
    const check = () => ['comment 9 is not part of this turn'];
    const agent = playing(answered(A_CHANGE), answered(A_CHANGE));
    expect(await askAgent({ agent, request, place, check })).toMatchObject({
      failure: 'invalid-output',
      message: expect.stringContaining('comment 9 is not part of this turn'),
    });
    expect(agent.heard[1]?.prompt).toContain('- comment 9 is not part of this turn');
  });

  it('works with a real process that needs one repair', async () => {
    const bench = createBench({ kind: 'none' }, process.env);
    const agent = bench.agent(`
      const { session } = read();
      answer(session === null ? { blocked: 'typo' } : { blocked_reason: 'Which greeting?' });`);
    expect(await askAgent({ agent, request, place: bench.place() })).toMatchObject({
      kind: 'answered',
      output: { kind: 'blocked', blocked_reason: 'Which greeting?' },
    });
    bench.remove();
  });
});
