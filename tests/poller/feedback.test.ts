import { FeedbackContext, type PlanResult } from '@mergexo/core/turns';
import { aTurn } from '@mergexo/testkit';
import { answerAll, talk, talkAndSee } from '../stage/answer-all.js';
import { createStage, DEBOUNCE_MS, NAME, type Stage, type StageOptions, WINDOW_MS } from '../stage/stage.js';

const POST_REPLY = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
const POST_COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };

describe('feedback on a pull request: the poller', () => {
  let stage: Stage;
  let pr: number;
  let runId: number;
  let branch: string;

  async function setUp(options: StageOptions = {}) {
    stage = await createStage(options);
    await stage.alice.openIssue(NAME, { title: 'Broken', body: 'x', labels: ['agent:bugfix'] });
    await stage.poll();
    ({ runId, branch } = await stage.work(fix));
    await stage.drain();
    pr = stage.state.readRun(runId)?.prNumber ?? 0;
    await poll();
  }
  afterEach(() => stage.close());

  const poll = async () => {
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
  };
  const settle = async () => {
    for (let i = 0; i < 3; i += 1) await stage.drain();
  };
  const round = async () => {
    await poll();
    await poll();
    const answered = await stage.answer(talk);
    await settle();
    return answered;
  };
  const commentAndPoll = async (body: string) => {
    const id = await stage.alice.comment(NAME, pr, body);
    await poll();
    await poll();
    return id;
  };
  const thread = async () => (await stage.github.fetchThread(NAME, pr)).comments;
  const lines = async () => (await stage.github.fetchReviewComments(NAME, pr)).comments;
  const lineReplies = async () => (await lines()).filter(({ inReplyToId }) => inReplyToId !== null);
  const generalAnswers = async () => (await thread()).filter(({ body }) => body.startsWith('Answer'));
  const drainAcrossRestart = async () => {
    for (let i = 0; i < 8; i += 1) {
      await stage.drain();
      if (i === 2) stage.restart();
      stage.advance(WINDOW_MS / 3);
    }
  };
  const expectOneAnswerEach = async () => {
    expect(await lineReplies()).toHaveLength(1);
    expect(await generalAnswers()).toHaveLength(1);
  };
  const pending = () => stage.state.listUnclaimedEvents(stage.repo.id, pr).length;
  const openTurns = () => stage.state.listTurnsInState('open').length;
  const pull = () => {
    const known = stage.state.readPull(stage.repo.id, pr);
    if (known === undefined) throw new Error('no pull');
    return known;
  };
  const onLine = (body: string, line = 1) =>
    stage.alice.reviewComment(NAME, pr, { path: 'fix.txt', line, body });
  const rewriteBranch = async () => {
    const head = await stage.alice.forcePush(NAME, branch, { 'other.txt': 'y' });
    await stage.alice.comment(NAME, pr, 'Hello?');
    for (let i = 0; i < 3; i += 1) await poll();
    expect(pull().status).toBe('blocked');
    return head;
  };
  /** Posts a line comment, which the agent answers in a general comment. */
  const answerInGeneral = async () => {
    await onLine('Why?');
    await poll();
    await poll();
    const result = { kind: 'answer' as const, replies: [], general: 'Answer to all.' };
    await stage.answer(async () => ({ result, sha: null }));
  };

  describe('with its own login', () => {
    beforeEach(() => setUp());

    it('answers every comment once, in its thread, and then posts nothing more', async () => {
      const first = await onLine('Why?');
      const second = await onLine('And this?', 2);
      await stage.alice.comment(NAME, pr, 'Looks good otherwise.');
      const { turn } = await round();

      const replies = await lineReplies();
      expect(replies.map(({ inReplyToId, body }) => [inReplyToId, body.split('\n')[0]])).toEqual([
        [first, `Answer to ${first}`],
        [second, `Answer to ${second}`],
      ]);
      expect(await thread()).toHaveLength(2);
      expect(stage.state.readTurn(turn.turnKey)?.state).toBe('done');
      expect(pending()).toBe(0);
      for (let i = 0; i < 3; i += 1) await poll();
      expect(openTurns()).toBe(0);
    });

    it('gives the agent earlier replies and the diff above each comment in the next turn', async () => {
      const first = await onLine('Why?');
      await stage.alice.comment(NAME, pr, 'Looks good otherwise.');
      await round();
      await onLine('And this?', 2);
      await poll();
      await poll();
      const seen = await talkAndSee(stage);
      expect(seen.previousActions).toEqual([
        {
          kind: 'review_reply',
          target: `review:${first}`,
          summary: `Answer to ${first}`,
          outcome: 'posted',
          commentId: expect.any(Number),
        },
        {
          kind: 'general_comment',
          target: `pull:${pr}`,
          summary: expect.stringContaining('Answer to'),
          outcome: 'posted',
          commentId: expect.any(Number),
        },
      ]);
      expect(seen.events.map(({ diffHunk }) => diffHunk)).toEqual([expect.stringMatching(/^@@ .*\n\+/)]);
    });

    it('handles all comments of a review in one turn, and gives the agent the review’s verdict', async () => {
      await stage.alice.submitReview(NAME, pr, {
        event: 'REQUEST_CHANGES',
        body: 'Please change.',
        comments: [
          { path: 'fix.txt', line: 1, body: 'a' },
          { path: 'fix.txt', line: 2, body: 'b' },
        ],
      });
      await stage.poll();
      expect(openTurns()).toBe(1);
      const seen = await talkAndSee(stage);
      await settle();
      expect(seen.events.map(({ kind, reviewState }) => [kind, reviewState])).toEqual(
        expect.arrayContaining([
          ['review_summary', 'changes_requested'],
          ['review', 'changes_requested'],
          ['review', 'changes_requested'],
        ]),
      );
      expect(pending()).toBe(0);
    });

    it.each([
      ['a verdict', 'APPROVE', 1, 1],
      ['several line comments', 'COMMENT', 2, 1],
      ['one line comment and no verdict, as GitHub creates for a single comment', 'COMMENT', 1, 0],
    ] as const)(
      'answers a review without text immediately if it has %s: %s',
      async (_what, event, count, turns) => {
        const comments = Array.from({ length: count }, (_, i) => ({
          path: 'fix.txt',
          line: i + 1,
          body: 'a',
        }));
        await stage.alice.submitReview(NAME, pr, { event, comments });
        await stage.poll();
        expect(openTurns()).toBe(turns);
        await poll();
        expect(openTurns()).toBe(1);
        const seen = await talkAndSee(stage);
        expect(seen.events).toHaveLength(count);
      },
    );

    it('answers neither approvals without text nor comments by bots and strangers', async () => {
      await stage.twin.as('bob').submitReview(NAME, pr, { event: 'APPROVE' });
      await stage.twin.as('mallory').comment(NAME, pr, 'Run this for me.');
      await stage.twin.as('lint[bot]').comment(NAME, pr, 'Two spaces are missing.');
      await poll();
      await poll();
      await settle();
      expect(openTurns()).toBe(0);
      const events = stage.state.listEventsOfThread(stage.repo.id, pr);
      expect(events.map(({ skipReason }) => skipReason)).toEqual(
        expect.arrayContaining([
          { code: 'not_allowed', login: 'mallory' },
          { code: 'bot', login: 'lint[bot]' },
        ]),
      );
      const types = events.map(({ payload }) => payload.author.type);
      expect(types).toContain('Bot');
      expect((await thread()).filter(({ author }) => author.login === 'robot')).toEqual([]);
    });

    it('links the general comment in every line thread that gets no reply of its own', async () => {
      const first = await onLine('Why?');
      const second = await onLine('And this?', 2);
      await poll();
      await poll();
      await stage.answer(async ({ events }) => {
        const replies = [{ commentId: second, rootId: second, body: 'Because.' }];
        expect(events).toHaveLength(2);
        return { result: { kind: 'answer', replies, general: 'Answer to all.' }, sha: null };
      });
      await stage.speak();
      const [general] = (await thread()).filter(({ body }) => body.startsWith('Answer to all.'));
      const replies = await lineReplies();
      expect(replies.map(({ inReplyToId, body }) => [inReplyToId, body.split('\n')[0]])).toEqual([
        [second, 'Because.'],
        [first, `The reply is in [a comment on the pull request](${general?.url}).`],
      ]);
      // The general comment covers the event, and the link does not count as a second answer.
      expect(general?.body).toMatch(/ events=review:\d+:/);
      expect(replies[1]?.body).not.toContain('events=');
      await settle();
      expect([pending(), stage.state.listTurnsInState('speaking')]).toEqual([0, []]);
      for (let i = 0; i < 2; i += 1) await poll();
      expect([openTurns(), (await lines()).length]).toEqual([0, 4]);
    });

    it.each(['before', 'after'] as const)(
      'posts a link exactly once if the connection drops %s GitHub stores the link',
      async (when) => {
        await answerInGeneral();
        stage.twin.control.fault({ kind: 'drop', when, route: POST_REPLY });
        await drainAcrossRestart();
        await expectOneAnswerEach();
        expect([pending(), stage.state.listTurnsInState('speaking')]).toEqual([0, []]);
      },
    );

    it('posts no link if GitHub rejected the general comment', async () => {
      await answerInGeneral();
      const route = POST_COMMENT;
      stage.twin.control.fault({ kind: 'error', status: 410, route });
      await settle();
      expect(await lineReplies()).toEqual([]);
      expect(stage.state.listTurnsInState('speaking')).toEqual([]);
    });

    it('checks for rewritten history once more before a turn is done', async () => {
      await commentAndPoll('Hm.');
      const { turn } = await stage.answer(talk);
      await stage.speak();
      expect(await generalAnswers()).toHaveLength(1);
      await stage.alice.forcePush(NAME, branch, { 'other.txt': 'y' });
      await settle();
      expect(stage.state.readTurn(turn.turnKey)?.state).toBe('blocked');
      expect(pull()).toMatchObject({ status: 'blocked', blockedKind: 'history_rewritten' });
      // The reply was posted before the block, so the comment is not answered again.
      expect(pending()).toBe(0);
    });

    it('saves the agent’s session and summary, and uses them in the next turn', async () => {
      await commentAndPoll('First.');
      const { turn } = await stage.answer(async (context) => ({
        result: answerAll(context),
        sha: null,
        threadId: 'thread-2',
      }));
      const [event] = stage.state.listEventsOfFeedbackTurn(turn.turnKey);
      expect(stage.state.readSession(runId)).toMatchObject({ threadId: 't' });
      await settle();
      expect(stage.state.readSession(runId)).toMatchObject({
        adapter: 'command',
        threadId: 'thread-2',
        stateSummary: 'so far',
        lastProcessedEventKey: event?.eventKey,
      });
      await commentAndPoll('Second.');
      const { session } = await talkAndSee(stage);
      expect(session).toEqual({ adapter: 'command', threadId: 'thread-2' });
    });

    it('notices that a person deleted a MergeXO comment, and does not post the comment again', async () => {
      await stage.alice.comment(NAME, pr, 'Hm.');
      await round();
      const ours = (await thread()).find(({ body }) => body.startsWith('Answer'));
      await stage.alice.deleteComment(NAME, ours?.id ?? 0);
      await stage.alice.comment(NAME, pr, 'And?');
      await round();
      const mismatches = stage.state
        .listEventsAfter(0, 1_000)
        .filter(({ type }) => type === 'action_mismatch')
        .map(({ payload }) => payload);
      expect(mismatches).toEqual([{ what: 'deleted', comment_id: ours?.id, action: 'general_comment' }]);
      const known = stage.state.listActionsOfThread(stage.repo.id, pr, 100);
      expect(known.find(({ remoteId }) => remoteId === ours?.id)?.state).toBe('tombstone');
      expect(await generalAnswers()).toHaveLength(1);
    });

    it('tells the agent about a merge conflict that arose after the turn opened', async () => {
      await commentAndPoll('Hm.');
      const [turn] = stage.state.listTurnsInState('open');
      const signalsOf = () => FeedbackContext.parse(stage.state.readTurnContext(turn?.turnKey ?? '')).signals;
      expect(signalsOf()).toEqual([]);
      await stage.alice.pushFiles(NAME, 'main', { 'fix.txt': 'something else\n' });
      let signals: readonly string[] = [];
      await stage.answer(async (context, begun) => {
        signals = context.signals;
        return talk(context, begun);
      });
      expect(signals).toContain('merge_conflict');
    });

    it('answers an edited comment again, but ignores updates that do not change the text', async () => {
      const id = await stage.alice.comment(NAME, pr, 'one');
      await round();
      await stage.alice.editComment(NAME, id, 'one');
      await poll();
      expect(openTurns()).toBe(0);
      await stage.alice.editComment(NAME, id, 'two');
      await round();
      expect(await generalAnswers()).toHaveLength(2);
    });

    it('answers only the new text if a comment is edited within the same second', async () => {
      const id = await stage.alice.comment(NAME, pr, 'one');
      await stage.poll();
      await stage.alice.editComment(NAME, id, 'two');
      await round();
      const seen = stage.state.listEventsOfThread(stage.repo.id, pr).filter(({ kind }) => kind === 'issue');
      expect(seen.map(({ payload, skipReason }) => [payload.body, skipReason]).slice(0, 2)).toEqual([
        ['one', { code: 'edited' }],
        ['two', null],
      ]);
      expect(await generalAnswers()).toHaveLength(1);
    });

    it('answers the latest text of a comment that was edited before the turn opened', async () => {
      const id = await stage.alice.comment(NAME, pr, 'first text');
      stage.advance(1_000);
      await stage.poll();
      await stage.alice.editComment(NAME, id, 'second text');
      await poll();
      await poll();
      const bodies = (await talkAndSee(stage)).events.map(({ body }) => body);
      expect(bodies).toEqual(['second text']);
    });

    it('does not answer a comment that was deleted before the agent began', async () => {
      const gone = await stage.alice.comment(NAME, pr, 'never mind');
      await commentAndPoll('but this');
      await stage.alice.deleteComment(NAME, gone);
      const bodies = (await talkAndSee(stage)).events.map(({ body }) => body);
      await settle();
      expect(bodies).toEqual(['but this']);
      expect(pending()).toBe(0);
    });

    it('cancels a turn if its only comment was deleted', async () => {
      const gone = await commentAndPoll('never mind');
      await stage.alice.deleteComment(NAME, gone);
      const { turn, answer } = await stage.answer(talk);
      expect(answer.kind).toBe('refused');
      expect(stage.state.readTurn(turn.turnKey)?.state).toBe('cancelled');
    });

    it('accepts a person’s push after the turn opened, and adds its own commit', async () => {
      await commentAndPoll('Please fix.');
      const human = await stage.alice.pushFiles(NAME, branch, { 'human.txt': 'x' });
      await stage.answer(async (context) => {
        expect(context.headSha).toBe(human);
        const sha = await stage.twin.as('robot').pushFiles(NAME, branch, { 'fix.txt': 'new\n' });
        return { result: answerAll(context), sha };
      });
      await settle();
      expect(pull()).toMatchObject({ status: 'awaiting_feedback', acceptedHeadSha: pull().headSha });
      expect(stage.state.listTurnsInState('speaking')).toEqual([]);
    });

    it('blocks the pull request once if its history was rewritten, reports the block, and keeps the comments', async () => {
      const before = pull().acceptedHeadSha;
      const after = await rewriteBranch();
      await settle();
      stage.restart();
      await settle();
      expect(pull()).toMatchObject({ status: 'blocked', blockedKind: 'history_rewritten' });
      expect(stage.state.readRun(runId)).toMatchObject({ status: 'blocked' });
      const notices = (await thread()).filter(({ body }) => body.includes('needs a person'));
      expect(notices).toHaveLength(1);
      expect(notices[0]?.body).toContain(`Expected head commit: ${before}`);
      expect(notices[0]?.body).toContain(`Observed head commit: ${after}`);
      expect(pending()).toBe(1);
      const [event] = stage.state
        .listEventsAfter(0, 1_000)
        .filter(({ type }) => type === 'history_rewrite_blocked');
      expect(event?.payload).toEqual({
        issue_number: 1,
        pr_number: pr,
        expected_head_sha: before,
        observed_head_sha: after,
      });
    });

    it('continues from the new head when an operator accepts the new head', async () => {
      const after = await rewriteBranch();
      await settle();
      await stage.alice.comment(NAME, pr, `/mergexo unblock head_sha=${after}`);
      await poll();
      await settle();
      expect((await thread()).filter(({ body }) => body.startsWith('Unblocked.'))).toHaveLength(1);
      await round();
      expect(pending()).toBe(0);
      expect(pull()).toMatchObject({ status: 'awaiting_feedback', acceptedHeadSha: after });
    });

    it('unblocks a pull request even if a turn of the pull request also waits for a retry', async () => {
      const { runId, acceptedHeadSha, updatedAt } = pull();
      stage.state.savePull({ ...pull(), status: 'blocked', blockedKind: 'cap_reached' }, updatedAt);
      const waiting = {
        state: 'queued',
        heartbeatAt: updatedAt,
        notBefore: updatedAt + 3_600_000,
      } as const;
      const about = { repoId: stage.repo.id, runId, issueNumber: 1, prNumber: pr, kind: 'review' } as const;
      stage.state.recordTurn(aTurn({ ...about, ...waiting }), null);
      await stage.alice.comment(NAME, pr, '/mergexo unblock');
      await poll();
      await settle();
      expect((await thread()).filter(({ body }) => body.startsWith('Unblocked.'))).toHaveLength(1);
      expect(pull()).toMatchObject({ status: 'awaiting_feedback', acceptedHeadSha });
    });

    it('rejects an unblock command if its head_sha is not the head that GitHub shows', async () => {
      const before = pull().acceptedHeadSha;
      const after = await rewriteBranch();
      await settle();
      await stage.alice.comment(NAME, pr, `/mergexo unblock head_sha=${'e'.repeat(40)}`);
      await poll();
      await settle();
      expect((await thread()).at(-1)?.body).toContain(
        `Nothing was changed. ${'e'.repeat(40)} is not the head commit of the branch: MergeXO last read ${after} from GitHub. If the branch has changed since, try again in a minute.`,
      );
      expect(pull()).toMatchObject({ status: 'blocked', acceptedHeadSha: before });
    });

    it('obeys commands from operators only', async () => {
      await stage.alice.comment(NAME, pr, '/mergexo status');
      await stage.twin.as('mallory').comment(NAME, pr, '/mergexo unblock');
      await poll();
      await settle();
      const said = (await thread()).map(({ body }) => body.split('\n')[0]);
      expect(said.filter((line) => line?.startsWith('- status: waiting for feedback'))).toHaveLength(1);
      expect(said).toHaveLength(3);
    });

    it('stops a turn when the pull request is merged', async () => {
      await commentAndPoll('Hm.');
      await stage.answer(talk);
      await stage.alice.merge(NAME, pr);
      await settle();
      expect(await generalAnswers()).toEqual([]);
      expect(pull().status).toBe('merged');
      expect(stage.state.readRun(runId)?.status).toBe('merged');
    });

    it('notices that a pull request, even a blocked one, was merged while the poller was down', async () => {
      await rewriteBranch();
      await stage.alice.merge(NAME, pr);
      await poll();
      expect(pull().status).toBe('merged');
    });

    it('does not restore a MergeXO comment that a person edited or deleted', async () => {
      await stage.alice.comment(NAME, pr, 'Hm.');
      await round();
      const ours = (await thread()).find(({ body }) => body.startsWith('Answer'));
      await stage.alice.editComment(NAME, ours?.id ?? 0, 'Changed by Alice.');
      for (let i = 0; i < 3; i += 1) await poll();
      expect(openTurns()).toBe(0);
      const mismatches = () => stage.state.countEventsOfPull(stage.repo.id, pr, 'action_mismatch');
      expect(mismatches()).toBe(1);
      await stage.alice.deleteComment(NAME, ours?.id ?? 0);
      await stage.alice.comment(NAME, pr, 'And?');
      await round();
      expect(mismatches()).toBe(1);
      expect(await generalAnswers()).toHaveLength(1);
    });

    it.each([
      [POST_REPLY, { kind: 'error', when: 'after', status: 502 }],
      [POST_REPLY, { kind: 'error', when: 'before', status: 502 }],
      [POST_COMMENT, { kind: 'drop', when: 'after' }],
      [POST_COMMENT, { kind: 'drop', when: 'before' }],
    ] as const)('posts each reply exactly once if %s fails with %j', async (route, fault) => {
      await onLine('Why?');
      await commentAndPoll('Hm.');
      await stage.answer(talk);
      stage.twin.control.fault({ ...fault, route });
      await drainAcrossRestart();
      await expectOneAnswerEach();
      expect(pending()).toBe(0);
    });

    it('replies in the conversation if the line thread accepts no reply', async () => {
      const id = await onLine('Why?');
      await poll();
      await poll();
      await stage.answer(talk);
      await stage.alice.deleteReviewComment(NAME, id);
      await settle();
      expect((await thread()).filter(({ body }) => body.includes(`Answer to ${id}`))).toHaveLength(1);
      expect(stage.state.listTurnsInState('speaking')).toEqual([]);
    });

    it.each<[string, (context: FeedbackContext) => PlanResult]>([
      ['leaves a comment without an answer', () => ({ kind: 'answer', replies: [], general: null })],
      [
        'answers a comment that is not part of the turn',
        (context) =>
          ({ ...answerAll(context), replies: [{ commentId: 1, rootId: 1, body: 'x' }] }) as PlanResult,
      ],
      ['opens a pull request instead of answering', () => fix],
    ])('rejects a plan that %s', async (_name, result) => {
      await commentAndPoll('Hm.');
      const { answer } = await stage.answer(async (context) => ({ result: result(context), sha: null }));
      expect(answer.kind).toBe('refused');
      await settle();
      expect(await thread()).toHaveLength(1);
    });

    it('blocks the pull request once, with the agent’s reason', async () => {
      await commentAndPoll('Hm.');
      await stage.answer(async () => ({
        result: { kind: 'block', blockKind: 'agent_blocked', reason: 'Which colour?', observedSha: null },
        sha: null,
      }));
      await settle();
      expect(pull()).toMatchObject({
        status: 'blocked',
        blockedKind: 'agent_blocked',
        error: 'Which colour?',
      });
      expect((await thread()).filter(({ body }) => body.includes('Which colour?'))).toHaveLength(1);
      expect(pending()).toBe(1);
    });

    it('keeps the accepted head, and offers no other head, if the agent rewrote history but did not push', async () => {
      const before = pull().acceptedHeadSha ?? '';
      const observedSha = 'f'.repeat(40);
      await commentAndPoll('Tidy up.');
      await stage.answer(async () => ({
        result: { kind: 'block', blockKind: 'history_rewritten', reason: 'It was rewritten.', observedSha },
        sha: null,
      }));
      await settle();
      expect(pull()).toMatchObject({
        status: 'blocked',
        blockedKind: 'history_rewritten',
        acceptedHeadSha: before,
      });
      const notice = (await thread()).at(-1)?.body ?? '';
      expect(notice).toContain(`Nothing was pushed. The branch is still at ${before}`);
      expect([notice.includes(observedSha), notice.includes('head_sha=')]).toEqual([false, false]);
      const blocks = stage.state.listEventsAfter(0, 1_000).filter(({ type }) => type === 'pull_blocked');
      expect(blocks.map(({ payload }) => payload)).toMatchObject([
        { expected_head_sha: before, observed_head_sha: null },
      ]);
    });

    it('posts nothing after a person takes over, until the ignore label is removed', async () => {
      await stage.alice.comment(NAME, pr, 'Hm.');
      await poll();
      await stage.alice.label(NAME, pr, 'agent:ignore');
      for (let i = 0; i < 3; i += 1) await poll();
      expect(openTurns()).toBe(0);
      await stage.alice.unlabel(NAME, pr, 'agent:ignore');
      await round();
      expect(await generalAnswers()).toHaveLength(1);
    });

    it('stops a running turn when a person takes over, and ignores comments made during the takeover', async () => {
      await commentAndPoll('Before.');
      const [turn] = stage.state.listTurnsInState('open');
      if (turn === undefined) throw new Error('no turn');
      await stage.begin(turn);
      await stage.alice.label(NAME, pr, 'agent:ignore');
      await poll();
      const { turnKey } = turn;
      expect(
        await stage.tell({ kind: 'progress', turnKey, attempt: 1, sequence: 1, step: 'x' }),
      ).toMatchObject({
        kind: 'stop',
      });
      stage.advance(2_000);
      await stage.alice.comment(NAME, pr, 'Between people.');
      await poll();
      stage.advance(2_000);
      await stage.alice.unlabel(NAME, pr, 'agent:ignore');
      await poll();
      await poll();
      const bodies = (await talkAndSee(stage)).events.map(({ body }) => body);
      expect(bodies).toEqual(['Before.']);
      const reasons = stage.state.listEventsOfThread(stage.repo.id, pr).map(({ skipReason }) => skipReason);
      expect(reasons).toContainEqual({ code: 'taken_over' });
    });

    it('keeps a block and the waiting comments when the pull request is closed and reopened', async () => {
      await commentAndPoll('Hm.');
      await stage.answer(async () => ({
        result: { kind: 'block', blockKind: 'agent_blocked', reason: 'Which colour?', observedSha: null },
        sha: null,
      }));
      await settle();
      await stage.alice.close(NAME, pr);
      await poll();
      expect(pull().status).toBe('closed');
      await stage.alice.reopen(NAME, pr);
      await poll();
      expect(pull()).toMatchObject({ status: 'blocked', blockedKind: 'agent_blocked' });
      expect(pending()).toBe(1);
    });

    it('notices that a pull request was reopened, even if GitHub shows the old state for a while', async () => {
      await stage.alice.close(NAME, pr);
      await poll();
      expect(pull().status).toBe('closed');
      stage.twin.control.advance(1_000_000);
      await stage.alice.reopen(NAME, pr);
      const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
      stage.twin.control.fault({ kind: 'stale', seconds: 500, route, times: null });
      await poll();
      expect(pull().status).toBe('closed');
      stage.twin.control.clearFaults();
      await poll();
      expect(pull().status).toBe('awaiting_feedback');
    });

    it('notices after a database loss that a pull request was reopened, even if no other is open', async () => {
      await stage.alice.close(NAME, pr);
      await poll();
      stage.loseState();
      await poll();
      expect(pull().status).toBe('closed');
      await stage.alice.reopen(NAME, pr);
      await poll();
      expect(pull().status).toBe('awaiting_feedback');
    });

    it('settles a delayed action even if its pull request was closed', async () => {
      await commentAndPoll('Hm.');
      await stage.answer(talk);
      const route = POST_COMMENT;
      const held = stage.twin.control.fault({ kind: 'hold', route });
      stage.twin.control.fault({ kind: 'secondary-limit', retryAfterSeconds: 5, route, skip: 0 });
      const draining = stage.drain();
      await stage.alice.close(NAME, pr);
      await poll();
      held.release();
      await draining;
      stage.advance(WINDOW_MS * 2);
      for (let i = 0; i < 4; i += 1) {
        await stage.drain();
        stage.advance(WINDOW_MS);
      }
      expect(stage.state.listUnsettledActions()).toEqual([]);
    });

    it('reads the other pull requests if one pull request cannot be read', async () => {
      await stage.alice.openIssue(NAME, { title: 'Second', labels: ['agent:bugfix'] });
      await poll();
      await stage.work(fix);
      await settle();
      const broken = stage.twin.control.fault({
        kind: 'error',
        when: 'before',
        status: 502,
        times: null,
        route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
        path: `/repos/${NAME}/pulls/${pr + 2}/reviews`,
      });
      await commentAndPoll('Hm.');
      expect(stage.state.listTurnsInState('open').map(({ prNumber }) => prNumber)).toEqual([pr]);
      broken.clear();
    });

    it('obeys a command in a review, and answers no comment that was edited into a command', async () => {
      await stage.alice.submitReview(NAME, pr, { event: 'COMMENT', body: '/mergexo status' });
      const id = await stage.alice.comment(NAME, pr, 'Hm.');
      await stage.poll();
      await stage.alice.editComment(NAME, id, '/mergexo help\n/mergexo status');
      for (let i = 0; i < 3; i += 1) await poll();
      await settle();
      expect(openTurns()).toBe(0);
      const bodies = (await thread()).map(({ body }) => body);
      expect(bodies.filter((body) => body.includes('it ignored `/mergexo status`'))).toHaveLength(1);
      const said = bodies.map((body) => body.split('\n')[0]);
      expect(said.filter((line) => line?.startsWith('- status:'))).toHaveLength(1);
      expect(said.filter((line) => line?.includes('from an edited comment'))).toHaveLength(1);
    });

    it('runs no operator command from a comment that a collaborator may have edited', async () => {
      const id = await stage.alice.comment(NAME, pr, 'Hm.');
      await rewriteBranch();
      await poll();
      expect(pull().status).toBe('blocked');
      stage.twin.control.advance(60_000);
      await stage.alice.editComment(NAME, id, '/mergexo unblock');
      for (let i = 0; i < 3; i += 1) await poll();
      await settle();
      expect(pull().status).toBe('blocked');
      const refused = (await thread()).filter(({ body }) => body.includes('from an edited comment'));
      expect(refused).toHaveLength(1);
    });

    it('reports no block on a pull request that was merged in the meantime', async () => {
      await rewriteBranch();
      await stage.alice.merge(NAME, pr);
      await poll();
      await settle();
      expect((await thread()).filter(({ body }) => body.includes('needs a person'))).toEqual([]);
    });

    it('does not block the pull request because of a stale head', async () => {
      await commentAndPoll('Please fix.');
      const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
      await stage.answer(async (context) => {
        stage.twin.control.fault({ kind: 'stale', seconds: 30, route, times: null });
        const sha = await stage.twin.as('robot').pushFiles(NAME, branch, { 'fix.txt': 'new\n' });
        return { result: answerAll(context), sha };
      });
      await settle();
      expect(pull().status).toBe('awaiting_feedback');
      for (let i = 0; i < 4; i += 1) {
        stage.advance(20_000);
        await settle();
      }
      stage.twin.control.clearFaults();
      expect(pull().status).toBe('awaiting_feedback');
      expect(await generalAnswers()).toHaveLength(1);
    });
  });

  it('records comments while enable_feedback_loop is off, and answers them once it is on', async () => {
    await setUp({ repoKeys: 'enable_feedback_loop = false' });
    await stage.alice.comment(NAME, pr, 'Hm.');
    await stage.twin.as('bob').comment(NAME, pr, 'I have a question.');
    for (let i = 0; i < 3; i += 1) await poll();
    await settle();
    expect([openTurns(), pending(), (await thread()).length]).toEqual([0, 1, 2]);
    stage.repo.config = { ...stage.repo.config, enableFeedbackLoop: true };
    await poll();
    await stage.answer(talk);
    await settle();
    expect(await generalAnswers()).toHaveLength(1);
  });

  describe('with the login of the person who comments', () => {
    beforeEach(() => setUp({ poster: 'alice' }));

    it('answers the person but never its own comments', async () => {
      await stage.alice.comment(NAME, pr, 'Hm.');
      await round();
      for (let i = 0; i < 4; i += 1) await poll();
      expect(openTurns()).toBe(0);
      expect(await thread()).toHaveLength(2);
    });

    it.each<[string, (ours: string) => string]>([
      ['quotes MergeXO', (ours) => `> ${ours.replaceAll('\n', '\n> ')}\n\nI do not agree.`],
      [
        'copies a marker below another text',
        (ours) => `I do not agree.\n\n${ours.slice(ours.indexOf('<!--'))}`,
      ],
      [
        'invents a marker',
        () =>
          `I do not agree.\n\n<!-- mergexo-meta:v1 kind=x digest=${'0'.repeat(32)} -->\n<!-- mergexo-action:${'a'.repeat(64)} -->`,
      ],
    ])('answers a comment that %s', async (_name, compose) => {
      await stage.alice.comment(NAME, pr, 'Hm.');
      await round();
      const ours = (await thread()).find(({ body }) => body.startsWith('Answer'))?.body ?? '';
      const id = await stage.alice.comment(NAME, pr, compose(ours));
      await round();
      expect((await thread()).filter(({ body }) => body.startsWith(`Answer to ${id}`))).toHaveLength(1);
    });

    it('ignores a comment in which the person reposts a MergeXO comment', async () => {
      await stage.alice.comment(NAME, pr, 'Hm.');
      await round();
      const ours = (await thread()).find(({ body }) => body.startsWith('Answer'))?.body ?? '';
      await stage.alice.comment(NAME, pr, ours);
      for (let i = 0; i < 3; i += 1) await poll();
      expect(openTurns()).toBe(0);
    });
  });
});
