import type { PlanResult } from '@mergexo/core/turns';
import { eventually } from '@mergexo/testkit';
import { answerAll, talk } from '../stage/answer-all.js';
import { createStage, DEBOUNCE_MS, NAME, type Stage, WINDOW_MS } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };
const block: PlanResult = {
  kind: 'block',
  blockKind: 'agent_blocked',
  reason: 'Which colour?',
  observedSha: null,
};
const FETCH_PULL = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';

describe('feedback on a pull request during races and failures: the poller', () => {
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

  describe('when GitHub’s responses lag', () => {
    const ISSUES = 'GET /repos/{owner}/{repo}/issues';
    const IGNORE = 'agent:ignore';

    it('replies to a comment made after a takeover, even if the issue list does not yet show that the takeover ended', async () => {
      await stage.alice.label(NAME, pr, IGNORE);
      await poll(1);
      stage.advance(2_000);
      stage.twin.control.fault({ kind: 'lag', seconds: 60, route: ISSUES });
      await stage.alice.unlabel(NAME, pr, IGNORE);
      stage.advance(2_000);
      await say('Go on.');
      await poll(1);
      stage.twin.control.clearFaults();
      await poll(2);
      await stage.answer(talk);
      await settle();
      expect(await said('Answer to')).toHaveLength(1);
    });

    it('keeps the newer head if an older read ends last', async () => {
      const id = await say('Wrong thread.');
      await poll(1);
      await stage.alice.deleteComment(NAME, id);
      stage.advance(2_000);
      const route = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}';
      const held = stage.twin.control.fault({ kind: 'hold', route });
      await stage.alice.pushFiles(NAME, branch, { 'one.txt': 'x\n' });
      const early = stage.poll();
      await eventually(() => expect(held.waiting()).toBe(1));
      stage.advance(5_000);
      const head = await stage.alice.pushFiles(NAME, branch, { 'two.txt': 'x\n' });
      stage.advance(5_000);
      await stage.poll();
      expect(pull()?.headSha).toBe(head);
      held.release();
      await early;
      expect(pull()?.headSha).toBe(head);
    });

    it('reads a pull request again if the last change and the last read were in the same second', async () => {
      stage.advance(5_000);
      await say('Hm.');
      const { updatedAt } = await stage.github.fetchPull(NAME, pr);
      await stage.poll();
      expect(pull()?.remoteUpdatedAt).not.toBe(updatedAt);
      await poll(1);
      expect(pull()?.remoteUpdatedAt).toBe(updatedAt);
    });

    it.each(['merge', 'close'] as const)(
      'notices a %s once GET /pulls/{number} shows the new state',
      async (end) => {
        stage.advance(60_000);
        stage.twin.control.fault({ kind: 'stale', seconds: 40, route: FETCH_PULL, times: null });
        await stage.alice[end](NAME, pr);
        await poll(2);
        expect(pull()?.status).toBe('awaiting_feedback');
        stage.twin.control.clearFaults();
        await poll(1);
        expect(pull()?.status).toBe(end === 'merge' ? 'merged' : 'closed');
      },
    );
  });

  it('reports a new block after a database loss, even if it reported the same kind of block before', async () => {
    await askColour('Hm.');
    await command('/mergexo unblock');
    await lose();
    await askColour('And now?');
    expect(pull()?.status).toBe('blocked');
    expect(await said('Which colour?')).toHaveLength(2);
  });

  it('remembers, after a database loss, the head that an operator accepted before', async () => {
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
    expect(pull()).toMatchObject({ status: 'awaiting_feedback', acceptedHeadSha: head });
    expect(await said('Answer to')).toHaveLength(3);
  });

  it('reports a block after the reopening if the pull request was closed before the report', async () => {
    await say('Which colour?');
    await poll(2);
    await stage.answer(async () => ({ result: block, sha: null }));
    await stage.alice.close(NAME, pr);
    await poll(1);
    expect(pull()?.status).toBe('closed');
    await stage.alice.reopen(NAME, pr);
    await poll(1);
    await settle();
    expect(pull()?.status).toBe('blocked');
    expect(await said('kind=block_notice')).toHaveLength(1);
  });

  it('replies to commands after the reopening if the pull request was closed before the replies', async () => {
    await askColour('Hm.');
    await say('/mergexo status');
    await say('/mergexo unblock');
    await poll(1);
    await stage.alice.close(NAME, pr);
    await poll(1);
    await settle();
    await stage.alice.reopen(NAME, pr);
    await poll(1);
    await settle();
    expect(pull()?.status).toBe('awaiting_feedback');
    expect([await said('kind=command_reply'), await said('kind=unblock_notice')]).toMatchObject([[{}], [{}]]);
    expect(await said('kind=block_notice')).toHaveLength(1);
  });

  it('keeps a block when the pull request is closed and reopened, even after a database loss', async () => {
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

  it('does not post a notice if the pull request is merged while the outbox checks for duplicates', async () => {
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

  describe('when GitHub cannot compare a head with the accepted head', () => {
    const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
    const COMMIT = 'GET /repos/{owner}/{repo}/commits/{ref}';
    const fail = (route: string, message: string, times: number | null) =>
      stage.twin.control.fault({ kind: 'error', status: 404, message, route, times });
    const grow = async () => {
      stage.advance(WINDOW_MS);
      const head = await stage.alice.pushFiles(NAME, branch, { 'more.txt': 'x\n' });
      await say('What about more?');
      return head;
    };

    it('reports no rewrite while the compare endpoint returns 404', async () => {
      const head = await grow();
      const fault = fail(COMPARE, 'Not Found', null);
      await poll(2);
      stage.advance(700_000);
      await poll(2);
      expect([pull()?.status, fault.hits() > 2]).toEqual(['awaiting_feedback', true]);
      fault.clear();
      await poll(1);
      await stage.answer(talk);
      await settle();
      expect(pull()).toMatchObject({ status: 'awaiting_feedback', acceptedHeadSha: head });
      expect([await said('Answer to'), await said('needs a person')]).toMatchObject([{ length: 1 }, []]);
    });

    it('reports no rewrite if a second response contradicts the first', async () => {
      await grow();
      const fault = fail(COMPARE, 'No common ancestor between the two.', 1);
      await poll(3);
      await stage.answer(talk);
      await settle();
      expect([pull()?.status, fault.hits()]).toEqual(['awaiting_feedback', 1]);
      expect(await said('Answer to')).toHaveLength(1);
    });

    it('reports no rewrite if people restore the branch before the second response', async () => {
      const accepted = await grow();
      await poll(2);
      await stage.answer(talk);
      await settle();
      await stage.alice.forcePush(NAME, branch, { 'other.txt': 'y' });
      await say('Hello?');
      await poll(1);
      const held = stage.twin.control.fault({ kind: 'hold', route: COMPARE });
      const polled = poll(1);
      await eventually(() => expect(held.waiting()).toBe(1));
      const ref = `/repos/${NAME}/git/refs/heads/${branch}`;
      await stage.alice.request('PATCH', ref, { sha: accepted, force: true });
      held.release();
      await polled;
      expect(pull()).toMatchObject({ status: 'awaiting_feedback', acceptedHeadSha: accepted });
    });

    it('reports no rewrite while one of the commits is unreadable, but reports a missing head after ten minutes', async () => {
      await grow();
      const accepted = pull()?.acceptedHeadSha;
      const comparison = fail(COMPARE, 'No common ancestor between the two.', null);
      const path = `/repos/${NAME}/commits/${accepted}`;
      stage.twin.control.fault({ kind: 'error', status: 404, route: COMMIT, path, times: null });
      await poll(2);
      expect([pull()?.status, comparison.hits() > 0]).toEqual(['awaiting_feedback', true]);
      comparison.clear();
      fail(COMPARE, 'Not Found', null);
      await poll(1);
      stage.advance(590_000);
      await poll(1);
      expect(pull()?.status).toBe('awaiting_feedback');
      stage.advance(10_000);
      await poll(1);
      await settle();
      expect(pull()).toMatchObject({ status: 'blocked', blockedKind: 'head_missing' });
      expect(await said('/mergexo unblock head_sha=')).toHaveLength(1);
      expect(stage.state.countEventsOfPull(stage.repo.id, pr, 'history_rewrite_blocked')).toBe(0);
    });
  });

  describe('when GitHub loses the accepted head and shows it again', () => {
    const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
    const COMMIT = 'GET /repos/{owner}/{repo}/commits/{ref}';
    /** Hides the accepted head for one cycle, and returns a function that shows it again. */
    const hide = async () => {
      const path = `/repos/${NAME}/commits/${pull()?.acceptedHeadSha}`;
      const missing = { kind: 'error', status: 404, message: 'Not Found', times: null } as const;
      const faults = [
        stage.twin.control.fault({ ...missing, route: COMPARE }),
        stage.twin.control.fault({ ...missing, route: COMMIT, path }),
      ];
      await poll(2);
      return (compares: 'compares' | 'still compares nothing') => {
        const [compare, commit] = faults;
        commit?.clear();
        if (compares === 'compares') compare?.clear();
      };
    };
    const watch = () => stage.state.readPullWatch(stage.repo.id, pr);
    beforeEach(async () => {
      stage.advance(WINDOW_MS);
      await stage.alice.pushFiles(NAME, branch, { 'more.txt': 'x\n' });
      await say('What about more?');
    });

    it.each(['compares', 'still compares nothing'] as const)(
      'forgets how long the head was missing if GitHub %s',
      async (how) => {
        const show = await hide();
        expect(watch()?.missingHeadSha).toBe(pull()?.acceptedHeadSha);
        show(how);
        stage.advance(590_000);
        // The turn opened before, so the check at its beginning reads the head.
        await poll(2);
        stage.twin.control.clearFaults();
        expect(watch()).toMatchObject({ missingHeadSha: null, missingHeadSince: null });
        stage.advance(20_000);
        await hide();
        expect(pull()?.status).toBe('awaiting_feedback');
      },
    );
  });

  it('does not mistake the old head in a stale response for the current head', async () => {
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
    expect(pull()).toMatchObject({ status: 'awaiting_feedback', acceptedHeadSha: head });
    expect(await said('Answer to')).toHaveLength(1);
  });
});
