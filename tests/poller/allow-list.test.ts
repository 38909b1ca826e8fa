import { renderSkipReason } from '@mergexo/core/reasons';
import { FeedbackContext, type PlanResult, StartContext } from '@mergexo/core/turns';
import { talk, talkAndSee } from '../stage/answer-all.js';
import { createStage, DEBOUNCE_MS, NAME, type Stage, WINDOW_MS } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };
const pr = 2;

describe('changes to allowed_users', () => {
  let stage: Stage;
  const poll = async (times = 2) => {
    for (let i = 0; i < times; i += 1) {
      stage.advance(DEBOUNCE_MS);
      await stage.poll();
    }
  };
  const settle = async () => {
    for (let i = 0; i < 3; i += 1) await stage.drain();
  };
  const setUp = async (allowedUsers: readonly string[]) => {
    stage = await createStage({ repoKeys: `allowed_users = ${JSON.stringify(allowedUsers)}` });
    await stage.alice.openIssue(NAME, { title: 'Broken', labels: ['agent:bugfix'] });
    await stage.poll();
  };
  const openPull = async () => {
    await stage.work(fix);
    await settle();
    await poll(1);
  };
  const allow = (...allowedUsers: string[]) => {
    stage.repo.config = { ...stage.repo.config, allowedUsers };
  };
  const say = (login: string, body: string, number = pr) => stage.twin.as(login).comment(NAME, number, body);
  const ours = async (number = pr) =>
    (await stage.github.fetchThread(NAME, number)).comments
      .filter(({ author }) => author.login === 'robot')
      .map(({ body }) => body);
  const notes = async () => (await ours()).filter((body) => body.includes('`allowed_users`'));
  const skipped = (number = pr) =>
    stage.state
      .listEventsOfThread(stage.repo.id, number)
      .flatMap(({ payload, skipReason }) =>
        skipReason === null ? [] : [[payload.body, renderSkipReason(skipReason)]],
      );
  const openContext = <T>(schema: { parse(value: unknown): T }): T => {
    const [turn] = stage.state.listTurnsInState('open');
    return schema.parse(stage.state.readTurnContext(turn?.turnKey ?? ''));
  };
  afterEach(() => stage.close());

  it('decide whether MergeXO looks for a command in a long comment, because that takes long', async () => {
    await setUp(['alice']);
    await stage.alice.openIssue(NAME, { title: 'No label', labels: [] });
    const body = `/mergexo help\n\n${'![_'.repeat(2_000)}`;
    await say('bob', body, 2);
    await say('bob', '/mergexo help', 2);
    await say('alice', body, 2);
    await poll(1);
    const events = stage.state.listEventsOfThread(stage.repo.id, 2);
    expect(events.map(({ payload }) => [payload.author.login, payload.body.length])).toEqual([
      ['bob', '/mergexo help'.length],
      ['alice', body.length],
    ]);
  });

  it('let a refused issue start once its author is allowed, and MergeXO fetches the issue list only then', async () => {
    await setUp(['alice']);
    await stage.twin.as('bob').openIssue(NAME, { title: 'Mine', labels: ['agent:bugfix'] });
    await poll();
    expect(stage.state.listRunsOfIssue(stage.repo.id, 2)).toEqual([]);
    allow('alice', 'bob');
    await poll();
    expect(stage.state.listRunsOfIssue(stage.repo.id, 2)).toHaveLength(1);
    const lists = () =>
      stage.twin.history.list('request').filter(({ path }) => path.includes('labels=')).length;
    const before = lists();
    await poll();
    expect(lists()).toBe(before);
  });

  describe('a person who was removed from allowed_users', () => {
    const GONE = 'bob is not in allowed_users';

    it('gets no turn for an earlier comment', async () => {
      await setUp(['alice', 'bob']);
      await openPull();
      await say('bob', 'Delete it all.');
      await stage.poll();
      allow('alice');
      await poll();
      expect(stage.state.listTurnsInState('open')).toEqual([]);
      expect(skipped()).toContainEqual(['Delete it all.', GONE]);
      const told = stage.state.listEventsAfter(0, 1_000).filter(({ type }) => type === 'feedback_skipped');
      expect(told.map(({ payload }) => payload)).toContainEqual({
        kind: 'issue',
        author: 'bob',
        reason: GONE,
      });
    });

    it('contributes no text to the agent’s request, even if the turn was already open', async () => {
      await setUp(['alice', 'bob']);
      await openPull();
      await say('bob', 'Earlier words.');
      const place = { path: 'fix.txt', line: 1 };
      const body = 'Earlier words on a line.';
      const first = await stage.twin.as('bob').reviewComment(NAME, pr, { ...place, body });
      await poll();
      await stage.answer(talk);
      await settle();
      await say('bob', 'Earlier words on the issue.', 1);
      const other = await stage.twin.as('bob').openIssue(NAME, { title: 'Earlier words of an issue' });
      await say('alice', `Please fix, as #${other} says.`);
      await stage.alice.reply(NAME, first, 'Here, too.');
      await say('bob', 'Delete it all.\n\n/mergexo update');
      await poll();
      const before = openContext(FeedbackContext);
      expect(before.linked).toMatchObject([{ number: other }]);
      expect(before.issueComments).toMatchObject([{ body: 'Earlier words on the issue.' }]);
      allow('alice');
      const seen = await talkAndSee(stage);
      await settle();
      expect(seen.events.map((event) => event.author)).toEqual(['alice', 'alice']);
      expect(seen.update).toBe(false);
      expect(JSON.stringify(seen)).not.toContain('Earlier words');
      expect(skipped().map(([, reason]) => reason)).toContain(GONE);
      expect(stage.state.listUnclaimedEvents(stage.repo.id, pr)).toEqual([]);
    });

    it('contributes no text to the agent’s first request, even if an issue mentions their issue', async () => {
      stage = await createStage({ repoKeys: 'allowed_users = ["alice", "bob"]' });
      const other = await stage.twin.as('bob').openIssue(NAME, { title: 'Earlier words' });
      await stage.alice.openIssue(NAME, {
        title: 'Broken',
        body: `See #${other}.`,
        labels: ['agent:bugfix'],
      });
      await stage.poll();
      expect(openContext(StartContext).linked).toMatchObject([{ number: other, author: 'bob' }]);
      allow('alice');
      const [turn] = stage.state.listTurnsInState('open');
      if (turn === undefined) throw new Error('no turn');
      expect(await stage.begin(turn)).toMatchObject({ kind: 'begun' });
      expect(StartContext.parse(stage.state.readTurnContext(turn.turnKey)).linked).toEqual([]);
    });

    it('contributes no earlier comment on the issue to a later turn', async () => {
      await setUp(['alice', 'bob']);
      await openPull();
      await say('bob', 'Earlier words.', 1);
      await poll();
      allow('alice');
      await say('alice', 'Please fix.');
      await poll();
      expect(openContext(FeedbackContext).issueComments).toEqual([]);
    });

    it('gets no answer: MergeXO cancels an open turn that has no other comment to answer', async () => {
      await setUp(['alice', 'bob']);
      await openPull();
      await say('bob', 'Delete it all.');
      await poll();
      allow('alice');
      const { turn, answer } = await stage.answer(talk);
      expect(answer).toMatchObject({ kind: 'refused', reason: expect.stringContaining('allowed_users') });
      expect(stage.state.readTurn(turn.turnKey)?.state).toBe('cancelled');
    });

    it('gets no agent for their issue until they are allowed again, even if its turn was already open', async () => {
      await setUp(['alice', 'bob']);
      const early = await stage.twin.as('bob').openIssue(NAME, { title: 'Wish', labels: ['agent:bugfix'] });
      await stage.poll();
      const opened = stage.state.listTurnsInState('open').find(({ issueNumber }) => issueNumber === early);
      if (opened === undefined) throw new Error('no turn');
      allow('alice');
      const reason = `the issue's author ${GONE}`;
      expect(await stage.begin(opened)).toMatchObject({ kind: 'refused', reason });
      const closed = stage.state.listEventsAfter(0, 1_000).filter(({ type }) => type === 'run_closed');
      expect(closed.map(({ issueNumber, payload }) => [issueNumber, payload])).toEqual([[early, { reason }]]);
      expect(await ours(early)).toEqual([]);
      allow('alice', 'bob');
      await stage.alice.comment(NAME, early, 'He is back.');
      await poll();
      const [again] = stage.state.listTurnsInState('open').filter(({ issueNumber }) => issueNumber === early);
      expect(again).toMatchObject({ state: 'open' });
    });

    it('gets no turn for an earlier issue', async () => {
      await setUp(['alice', 'bob']);
      const early = await stage.twin.as('bob').openIssue(NAME, { title: 'Wish', labels: ['agent:bugfix'] });
      const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
      const fault = stage.twin.control.fault({ kind: 'error', when: 'before', route, times: null });
      await stage.poll();
      expect(stage.state.listRunsOfIssue(stage.repo.id, early)).toMatchObject([{ status: 'ready' }]);
      allow('alice');
      fault.clear();
      await poll();
      expect(stage.state.listTurnsInState('open').map(({ issueNumber }) => issueNumber)).toEqual([1]);
      expect(stage.state.listRunsOfIssue(stage.repo.id, early)).toMatchObject([{ status: 'closed' }]);
    });

    it('does not stop a run that an allowed person resumes with a reply', async () => {
      await setUp(['alice', 'bob']);
      await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Which colour?' });
      await settle();
      allow('bob');
      await say('bob', 'Red.', 1);
      await poll();
      const [turn] = stage.state.listTurnsInState('open');
      if (turn === undefined) throw new Error('no turn');
      expect(await stage.begin(turn)).toMatchObject({ kind: 'begun' });
    });

    it('cannot resume a run that waits for a reply', async () => {
      await setUp(['alice', 'bob']);
      await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Which colour?' });
      await settle();
      await say('bob', 'Red.', 1);
      await stage.poll();
      allow('alice');
      await poll();
      expect(stage.state.listTurnsInState('open')).toEqual([]);
      expect(skipped(1)).toContainEqual(['Red.', GONE]);
      allow('alice', 'bob');
      await say('bob', 'Blue.', 1);
      await poll();
      const [turn] = stage.state.listTurnsInState('open');
      allow('alice');
      if (turn === undefined) throw new Error('no turn');
      expect(await stage.begin(turn)).toMatchObject({ kind: 'refused' });
      expect(skipped(1)).toContainEqual(['Blue.', GONE]);
      allow('alice', 'bob');
      await say('alice', 'Green.', 1);
      await say('bob', 'Yellow.', 1);
      await poll();
      allow('alice');
      const [next] = stage.state.listTurnsInState('open');
      if (next === undefined) throw new Error('no turn');
      expect(await stage.begin(next)).toMatchObject({ kind: 'begun' });
      const context = StartContext.parse(stage.state.readTurnContext(next.turnKey));
      expect(context.followup?.comments.map(({ body }) => body)).toEqual(['Green.']);
      expect(context.comments.map(({ author }) => author)).toEqual(['alice']);
    });
  });

  describe('a reviewer with write access who is not in allowed_users', () => {
    it('gets one note per pull request that explains how to join allowed_users, and starts no agent', async () => {
      await setUp(['alice']);
      await openPull();
      await stage.twin.as('bob').reviewComment(NAME, pr, { path: 'fix.txt', line: 1, body: 'Why?' });
      await poll();
      await settle();
      await say('bob', 'Anybody there?');
      await say('critic', 'I wonder too.');
      await poll();
      await settle();
      const [note, ...more] = await notes();
      expect(note).toContain('MergeXO does not act on comments by `bob`');
      expect([more, stage.state.listTurnsInState('open')]).toEqual([[], []]);
    });

    it('gets only one note, even if the connection drops and the database is lost', async () => {
      await setUp(['alice']);
      await openPull();
      await say('bob', 'Why?');
      await poll();
      const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
      stage.twin.control.fault({ kind: 'drop', when: 'after', route });
      await settle();
      stage.loseState();
      for (let i = 0; i < 4; i += 1) {
        await poll(1);
        await settle();
        stage.advance(WINDOW_MS);
      }
      expect(await notes()).toHaveLength(1);
      await say('bob', 'Thanks.');
      await poll();
      await settle();
      expect(await notes()).toHaveLength(1);
    });

    it('gets the note when the pull request is reopened, if it was closed before MergeXO posted the note', async () => {
      await setUp(['alice']);
      await openPull();
      await say('bob', 'Why?');
      await poll(1);
      await stage.alice.close(NAME, pr);
      await poll(1);
      await settle();
      expect(await notes()).toEqual([]);
      await stage.alice.reopen(NAME, pr);
      await poll(1);
      await settle();
      expect(await notes()).toHaveLength(1);
    });

    it('gets no note while a person has taken over; strangers and bots never get a note', async () => {
      await setUp(['alice']);
      await openPull();
      await say('mallory', 'Run this.');
      await say('lint[bot]', 'Two spaces are missing.');
      await stage.twin.as('bob').submitReview(NAME, pr, { event: 'APPROVE' });
      await poll();
      await stage.alice.label(NAME, pr, 'agent:ignore');
      await poll(1);
      stage.advance(2_000);
      await say('bob', 'Between us.');
      await poll();
      await settle();
      expect(await notes()).toEqual([]);
    });
  });

  it('do not affect the owner: MergeXO replies to the owner’s command on another person’s issue', async () => {
    await setUp(['alice']);
    const number = await stage.twin.as('mallory').openIssue(NAME, { title: 'Wish' });
    await say('alice', '/mergexo design', number);
    await say('mallory', '/mergexo design', number);
    for (let i = 0; i < 2; i += 1) {
      await poll();
      await settle();
    }
    const [reply, ...more] = await ours(number);
    expect(reply).toContain(
      "Not started: the issue's author mallory is not in allowed_users. An operator can add the login to `allowed_users`",
    );
    expect(more).toEqual([]);
    expect(stage.state.listRunsOfIssue(stage.repo.id, number)).toEqual([]);
  });
});
