import { join } from 'node:path';
import { type AgentStep, buildStep, buildUsageStep } from '@mergexo/core/agent';
import { createRedact } from '@mergexo/core/text';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { openState, type State } from '../../create-state.js';

const turnKey = 'a'.repeat(64);
const steps = (...texts: string[]): AgentStep[] => texts.map((text) => ({ kind: 'run', text }));

describe('agent steps', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'), createRedact(['canary-of-the-state']));
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const record = (first: number, texts: string[], { at = 1_000, attempt = 1, key = turnKey } = {}): void =>
    state.recordAgentSteps({ turnKey: key, attempt, first, steps: steps(...texts) }, at);
  const texts = (...filter: Parameters<State['listAgentSteps']>): string[] =>
    state.listAgentSteps(...filter).map(({ text }) => text);

  it('records each step once, also if a message is repeated or overlaps', () => {
    record(0, ['a', 'b']);
    record(0, ['a', 'b']);
    record(1, ['b', 'c']);
    record(0, ['x'], { attempt: 2 });
    expect(texts({ turnKey }, 10)).toEqual(['a', 'b', 'c', 'x']);
    expect(state.readLatestAgentStep(turnKey)).toMatchObject({ attempt: 2, position: 0, text: 'x' });
    expect(state.readLatestAgentStep('b'.repeat(64))).toBeUndefined();
  });

  it('keeps a redacted usage, which does not hide what the agent does', () => {
    record(0, ['npm test']);
    const usage = { inputTokens: 5, outputTokens: 1, costUsd: 0, model: 'canary-of-the-state' };
    state.recordAgentSteps({ turnKey, attempt: 1, first: 1, steps: [buildUsageStep(usage)] }, 1_000);
    expect(state.listAgentSteps({ turnKey, afterId: 1 }, 1)).toMatchObject([
      { kind: 'usage', text: '5 tokens in, 1 out', usage: { inputTokens: 5, model: '[redacted]' } },
    ]);
    expect(state.readLatestAgentStep(turnKey)).toMatchObject({ text: 'npm test', usage: null });
  });

  it('cleans and redacts the text of a step', () => {
    record(0, ['\u001b[31mcanary-of-the-state\nx', '\u200b']);
    expect(texts({}, 10)).toEqual(['[redacted] x']);
  });

  it('lists the steps of a turn or an issue, after an id, since a time, oldest or newest first', () => {
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
    const turn = aTurn({ issueNumber: 7 });
    state.recordTurn(turn, {});
    record(0, ['a', 'b']);
    record(0, ['c', 'd'], { key: turn.turnKey, at: 2_000 });
    const issue = { repoId: turn.repoId, issueNumber: 7 };
    expect(texts({ issue }, 10)).toEqual(['c', 'd']);
    expect(texts({ issue: { ...issue, issueNumber: 8 } }, 10)).toEqual([]);
    expect(texts({ since: 2_000 }, 10)).toEqual(['c', 'd']);
    expect(texts({ afterId: 1 }, 2)).toEqual(['b', 'c']);
    expect(state.listLatestAgentSteps({}, 3).map(({ text }) => text)).toEqual(['b', 'c', 'd']);
    expect(state.readLastStepId()).toBe(4);
  });

  it('deletes steps that are too old, a few at a time, and never uses an id again', () => {
    record(0, ['a', 'b', 'c']);
    record(3, ['d'], { at: 2_000 });
    const limits = { before: 1_500, maxBytes: 1e9 };
    expect([1, 2, 3].map(() => state.pruneAgentSteps(limits, 2))).toEqual([2, 1, 0]);
    expect(texts({}, 10)).toEqual(['d']);
    expect(state.pruneAgentSteps({ ...limits, before: 9_000 }, 2)).toBe(1);
    record(4, ['e'], { at: 9_000 });
    expect(state.listAgentSteps({}, 10).map(({ id, text }) => [id, text])).toEqual([[5, 'e']]);
  });

  it('deletes the oldest steps of a table that is too large', () => {
    for (let index = 0; index < 100; index += 1) record(index, ['x'.repeat(400)]);
    const limits = { before: 0, maxBytes: 10_000 };
    while (state.pruneAgentSteps(limits, 7) > 0);
    const kept = state.listAgentSteps({}, 100);
    expect(kept.at(-1)?.position).toBe(99);
    expect(kept.length * 400).toBeLessThan(10_000);
    expect(kept.length * 800).toBeGreaterThan(10_000);
  });

  it('stores a step as core builds it', () => {
    const [built] = steps('npm test');
    record(0, ['npm test']);
    expect(state.readLatestAgentStep(turnKey)).toMatchObject({ ...built });
    expect(buildStep('run', 'npm test', (text) => text)).toEqual(built);
  });
});
