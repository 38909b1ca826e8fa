import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentStep, MAX_STEPS } from '@mergexo/core/agent';
import {
  type HeldDraft,
  type LedgerAnswer,
  LedgerMessage,
  MAX_BATCH,
  type MessageOf,
} from '@mergexo/core/ledger';
import { eventually } from '@mergexo/testkit';
import { sendSteps } from './send-steps.js';

const held = { turnKey: 'a'.repeat(64), attempt: 1 };
const step = (text: string): AgentStep => ({ kind: 'run', text });

type Answer = LedgerAnswer | undefined | Error;

/** Records the messages. Answers from the list, and then always with `ok`. */
function createStage({ answers = [], ...limits }: { answers?: readonly Answer[]; maxSteps?: number } = {}) {
  const sent: MessageOf<'steps'>[] = [];
  const left = [...answers];
  const sendOnce = async (draft: HeldDraft): Promise<LedgerAnswer | undefined> => {
    const { success, error } = LedgerMessage.safeParse({ ...draft, proof: 'f'.repeat(64) });
    if (!success) throw error;
    if (draft.kind === 'steps') sent.push(draft);
    await sleep(1);
    const answer = left.length > 0 ? left.shift() : ({ kind: 'ok' } as const);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const sender = sendSteps(held, sendOnce, { spacingMs: 5, ...limits });
  const texts = (): string[] => sent.flatMap(({ steps }) => steps.map(({ text }) => text));
  return { ...sender, sent, texts };
}

describe('sendSteps', () => {
  it('sends steps that were reported together in one message, in order', async () => {
    const stage = createStage();
    for (const text of ['a', 'b', 'c']) stage.show(step(text));
    await eventually(async () => expect(stage.sent).toHaveLength(1));
    stage.show(step('d'));
    stage.end();
    await eventually(async () => expect(stage.texts()).toEqual(['a', 'b', 'c', 'd']));
    expect(stage.sent.map(({ first }) => first)).toEqual([0, 3]);
  });

  it('sends the same steps again under the same position if the poller does not answer', async () => {
    const stage = createStage({ answers: [undefined] });
    stage.show(step('a'));
    await eventually(async () => expect(stage.sent).not.toEqual([]));
    stage.show(step('b'));
    await eventually(async () => expect(stage.texts()).toEqual(['a', 'a', 'b']));
    expect(stage.sent.map(({ first }) => first)).toEqual([0, 0, 1]);
    stage.end();
  });

  it.each<[string, Answer]>([
    ['refuses them', { kind: 'refused', reason: 'attempt 1 is not the current one' }],
    ['cannot be sent a message', new Error('a bug')],
  ])('stops if the poller %s', async (_name, answer) => {
    const stage = createStage({ answers: [answer] });
    stage.show(step('a'));
    await eventually(async () => expect(stage.sent).toHaveLength(1));
    await sleep(5);
    stage.show(step('b'));
    stage.end();
    await sleep(300);
    expect(stage.texts()).toEqual(['a']);
  });

  it('gives up after the end of the attempt if the poller does not answer', async () => {
    const stage = createStage({ answers: [undefined] });
    stage.show(step('a'));
    stage.end();
    stage.show(step('late'));
    await sleep(300);
    expect(stage.texts()).toEqual(['a']);
  });

  it('bounds messages, keeps the newest steps and counts the dropped ones', async () => {
    const stage = createStage();
    for (let index = 0; index < 1_000; index += 1) stage.show(step(`${index} ${'é'.repeat(400)}`));
    stage.end();
    await eventually(async () => expect(stage.texts().at(-1)).toMatch(/^999 /));
    expect(stage.sent[0]?.steps[0]).toEqual({ kind: 'skip', text: '800 steps reported too fast' });
    expect(stage.texts()).toHaveLength(201);
    for (const { steps } of stage.sent) {
      expect(steps.length).toBeLessThanOrEqual(MAX_BATCH);
      expect(Buffer.byteLength(JSON.stringify(steps))).toBeLessThan(17_000);
    }
  });

  it('says so when it keeps no more steps of an attempt', async () => {
    const stage = createStage({ maxSteps: 120 });
    for (let index = 0; index < 150; index += 1) stage.show(step(`${index}`));
    await eventually(async () => expect(stage.texts()).toHaveLength(120));
    expect(stage.sent.at(-1)?.steps.at(-1)).toEqual({
      kind: 'skip',
      text: `later steps: MergeXO keeps ${MAX_STEPS} of an attempt`,
    });
    await sleep(50);
    stage.show(step('late'));
    stage.end();
    await sleep(50);
    expect(stage.texts()).toHaveLength(120);
  });
});
