import type { PlanResult } from '@mergexo/core/turns';
import { createStage, NAME, type Stage } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix the login', summary: 'It works again.', design: null };

describe('an operator who gives a reason in a comment', () => {
  let stage: Stage;
  let issue: number;
  beforeEach(async () => {
    stage = await createStage();
    issue = await stage.alice.openIssue(NAME, { title: 'Login', body: 'Fails.', labels: ['agent:bugfix'] });
    await stage.poll();
  });
  afterEach(() => stage.close());

  const say = async (thread: number, text: string) => {
    await stage.alice.comment(NAME, thread, text);
    stage.advance(2_000);
    await stage.poll();
  };
  const payloadsOf = (type: string) =>
    stage.state
      .listEventsOfIssue(stage.repo.id, issue)
      .filter((event) => event.type === type)
      .map(({ payload }) => payload);
  const run = () => stage.state.listRunsOfIssue(stage.repo.id, issue)[0];

  it('sees it in the list of pauses, the status comment and the timeline', async () => {
    await say(issue, '/mergexo cancel reason=wrong *approach* @bob');
    const reason = 'wrong *approach* @bob';
    expect(stage.state.listPauses()).toMatchObject([{ issueNumber: issue, by: 'alice', reason }]);
    expect(payloadsOf('turn_cancelled')).toMatchObject([
      { reason: `an operator canceled the turn (alice): ${reason}` },
    ]);
    expect(payloadsOf('command_obeyed')).toEqual([{ command: 'cancel', by: 'alice', reason, obeyed: true }]);
    await stage.sign();
    const { comments } = await stage.github.fetchThread(NAME, issue);
    const status = comments.find(({ body }) => body.includes('kind=issue_status'))?.body;
    expect(status).toContain('paused by alice: wrong');
    expect(status).not.toMatch(/(?:^|[^\w\u2060])@bob/);
    await say(issue, '/mergexo resume reason=agreed on another one');
    expect(payloadsOf('work_resumed')).toEqual([{ by: 'alice', reason: 'agreed on another one' }]);
  });

  it('sees it after an unblock of a pull request', async () => {
    await stage.work(fix);
    await stage.drain();
    await stage.drain();
    const prNumber = run()?.prNumber ?? 0;
    const pull = stage.state.readPull(stage.repo.id, prNumber);
    if (pull === undefined) throw new Error('no pull request');
    stage.state.savePull({ ...pull, status: 'blocked', blockedKind: 'turn_failed', error: 'x' }, 1);
    await say(prNumber, '/mergexo unblock reason=the model is back');
    const reason = 'the model is back';
    expect(payloadsOf('pull_unblocked')).toEqual([{ by: 'alice', reason, head_sha: null }]);
  });

  it('runs no command whose reason is only a sentence', async () => {
    await say(issue, '/mergexo cancel would lose work');
    expect([stage.state.listPauses(), run()?.status]).toEqual([[], 'running']);
  });
});
