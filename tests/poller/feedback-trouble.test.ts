import type { PlanResult } from '@mergexo/core';
import { eventually } from '@mergexo/testkit';
import { answerAll, talk } from '../support/answer-all.js';
import { createStage, DEBOUNCE_MS, NAME, type Stage, WINDOW_MS } from '../support/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Mend it', summary: 'Mended.', design: null };
const block: PlanResult = {
  kind: 'block',
  blockKind: 'agent_blocked',
  reason: 'Which colour?',
  observedSha: null,
};
const FETCH_PULL = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';

describe('feedback on a pull request, at the wrong moment', () => {
  let stage: Stage;
  let branch: string;
  const pr = 2;
  beforeEach(async () => {
    stage = await createStage();
    await stage.alice.openIssue(NAME, { title: 'Broken', labels: ['agent:bugfix'] });
    await stage.poll();
    ({ branch } = await stage.work(fix));
    await stage.drain();
    await poll(1);
  });
  afterEach(() => stage.close());

  const poll = async (times: number) => {
    for (let i = 0; i < times; i += 1) {
      stage.advance(DEBOUNCE_MS);
      await stage.poll();
    }
  };
  const settle = async () => {
    for (let i = 0; i < 3; i += 1) await stage.drain();
  };
  const pull = () => stage.state.readPull(stage.repo.id, pr);
  const say = (body: string) => stage.alice.comment(NAME, pr, body);
  const said = async (words: string) =>
    (await stage.github.fetchThread(NAME, pr)).comments.filter(
      ({ author, body }) => author.login === 'robot' && body.includes(words),
    );
  const askColour = async (remark: string) => {
    await say(remark);
    await poll(2);
    await stage.answer(async () => ({ result: block, sha: null }));
    await settle();
  };
  const command = async (words: string) => {
    stage.advance(2_000);
    await say(words);
    await poll(1);
    await settle();
  };
  const lose = async () => {
    stage.advance(2_000);
    stage.loseState();
    await stage.poll();
    stage.advance(WINDOW_MS);
    await poll(1);
  };
  const answer = async (remark: string) => {
    await say(remark);
    await poll(2);
    await stage.answer(talk);
    await settle();
  };

  it('a block after the loss of the records is told, though one like it was told before', async () => {
    await askColour('Hm.');
    await command('/mergexo unblock');
    await lose();
    await askColour('And now?');
    expect(pull()?.status).toBe('blocked');
    expect(await said('Which colour?')).toHaveLength(2);
  });

  it('a head that an operator accepted stays accepted after the loss of the records', async () => {
    await say('First.');
    await poll(2);
    await stage.answer(async (context) => {
      const sha = await stage.twin.as('robot').pushFiles(NAME, branch, { 'fix.txt': 'new\n' });
      return { result: answerAll(context), sha };
    });
    await settle();
    const head = await stage.alice.forcePush(NAME, branch, { 'other.txt': 'y' });
    await say('Hello?');
    await poll(3);
    await settle();
    await command(`/mergexo unblock head_sha=${head}`);
    await poll(1);
    await stage.answer(talk);
    await settle();
    await lose();
    await answer('And this?');
    expect(pull()).toMatchObject({ status: 'awaiting_feedback', lastSeenHeadSha: head });
    expect(await said('Answer to')).toHaveLength(3);
  });

  it('a block outlives a closing, also where the records are lost', async () => {
    await askColour('Hm.');
    await stage.alice.close(NAME, pr);
    await poll(1);
    await settle();
    stage.advance(2_000);
    await stage.alice.reopen(NAME, pr);
    await poll(1);
    expect(pull()?.status).toBe('blocked');
    await lose();
    expect(pull()?.status).toBe('blocked');
  });

  it('a notice that is dropped while the outbox looks for it is not sent', async () => {
    await stage.alice.forcePush(NAME, branch, { 'other.txt': 'y' });
    await say('Hello?');
    await poll(3);
    expect(pull()?.status).toBe('blocked');
    const held = stage.twin.control.fault({
      kind: 'hold',
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
    });
    const drained = stage.drain();
    await eventually(() => expect(held.waiting()).toBe(1));
    await stage.alice.merge(NAME, pr);
    await poll(1);
    expect(pull()?.status).toBe('merged');
    held.release();
    await drained;
    await settle();
    expect(await said('needs a person')).toEqual([]);
  });

  it('a stale answer makes no old head the present one', async () => {
    stage.advance(60_000);
    const head = await stage.alice.pushFiles(NAME, branch, { 'more.txt': 'x\n' });
    await say('What about more?');
    await poll(1);
    const stale = stage.twin.control.fault({ kind: 'stale', seconds: 30, route: FETCH_PULL, times: null });
    await poll(2);
    expect(pull()?.headSha).toBe(head);
    stale.clear();
    await poll(2);
    await stage.answer(talk);
    stage.twin.control.fault({ kind: 'stale', seconds: 60, route: FETCH_PULL, times: 3 });
    for (let i = 0; i < 4; i += 1) {
      await settle();
      stage.advance(5_000);
    }
    stage.twin.control.clearFaults();
    stage.advance(WINDOW_MS);
    await settle();
    expect(pull()).toMatchObject({ status: 'awaiting_feedback', lastSeenHeadSha: head });
    expect(await said('Answer to')).toHaveLength(1);
  });
});
