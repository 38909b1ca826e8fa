import { fetchResults } from '../fleet/fetch-results.js';
import { readGolden } from '../fleet/read-golden.js';
import { renderTranscript } from '../fleet/render-transcript.js';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';

const expectStatus = (walk: Walk, issue: number, status: string) =>
  walk.until(() => expect(walk.runOf(issue)?.status).toBe(status));
const postComment = (walk: Walk, issue: number, body: string, who = 'alice') =>
  walk.twin.as(who).comment(REPO, issue, body);
const fetchOwnComments = async (walk: Walk, issue: number): Promise<string[]> =>
  (await fetchResults(walk, issue)).comments.map(({ body }) => String(body));
const eventsOf = (walk: Walk, type: string) =>
  walk.withState((state) => state.listEventsAfter(0, 10_000).filter((event) => event.type === type));

/**
 * The run is blocked, resumed, blocked again, and resumed again, with two more comments while the agent works. Then
 * MergeXO opens a pull request, and two more comments follow.
 */
describe('a conversation of five rounds', () => {
  let walk: Walk;
  let issue: number;
  const blockNotices: string[] = [];
  const statuses: (string | undefined)[] = [];
  const turns = () => eventsOf(walk, 'turn_opened').length;

  beforeAll(async () => {
    walk = await createWalk();
    issue = await walk.openIssue('agent:bugfix', {
      blocked: 'Which database should I use?',
      files: { 'db.txt': 'not yet\n' },
    });
    walk.startPoller();
    walk.startWorker();
    await expectStatus(walk, issue, 'awaiting_issue_followup');
    statuses.push(walk.runOf(issue)?.status);
    blockNotices.push(...(await fetchOwnComments(walk, issue)));

    await postComment(walk, issue, 'Buy cheap pills', 'mallory');
    await postComment(walk, issue, 'Lint: 3 pills', 'lint[bot]');
    await postComment(
      walk,
      issue,
      'Postgres. {"blocked":"Which version of Postgres?","write":{"db.txt":"postgres\\n"}}',
    );
    await walk.until(async () => expect(await fetchOwnComments(walk, issue)).toHaveLength(2));
    await expectStatus(walk, issue, 'awaiting_issue_followup');
    statuses.push(walk.runOf(issue)?.status);

    await postComment(walk, issue, 'Sixteen. {"sleepMs":3000,"write":{"db.txt":"postgres 16\\n"}}');
    await walk.until(() => expect(walk.agentCalls(issue)).toBe(3));
    await postComment(walk, issue, 'Logout needs the same fix. {"write":{"logout.txt":"too\\n"}}');
    await postComment(walk, issue, 'Thank you!');
    await expectStatus(walk, issue, 'awaiting_feedback');

    await postComment(walk, issue, 'Is it done?');
    await walk.until(async () => expect(await fetchOwnComments(walk, issue)).toHaveLength(4));
    await postComment(walk, issue, 'Buy more pills', 'mallory');
    await postComment(walk, issue, 'Lint: 4 pills', 'lint[bot]');
    await postComment(walk, issue, 'Could you also rename it?');
    await walk.until(async () => expect(await fetchOwnComments(walk, issue)).toHaveLength(5));
  });
  afterAll(() => walk.closeAndCheck());

  it('1. A run that is blocked before its pull request waits for a comment instead of failing', () => {
    expect(statuses).toEqual(['awaiting_issue_followup', 'awaiting_issue_followup']);
    expect(blockNotices).toEqual([expect.stringContaining('Which database should I use?')]);
  });

  it('2. A comment on a waiting issue opens exactly one further turn', () => {
    // One turn for the start, one for each of the two answers, and one for the two comments made during the third turn.
    expect(turns()).toBe(4);
    expect(eventsOf(walk, 'pre_pr_followup_enqueued')).toHaveLength(3);
  });

  it('3. Several comments reach the agent together and in order', () => {
    expect(walk.agentRequests(issue).at(-1)?.comments).toEqual([
      'Logout needs the same fix. {"write":{"logout.txt":"too\\n"}}',
      'Thank you!',
    ]);
  });

  it('4. Comments made during a turn are kept for the next turn', () => {
    expect(walk.agentRequests(issue).map(({ comments }) => comments.length)).toEqual([0, 1, 1, 2]);
    expect(walk.agentRequests(issue).map(({ thread }) => thread)).toEqual([
      null,
      ...Array(3).fill(`thread-${issue}`),
    ]);
  });

  it('5. MergeXO opens the pull request only after the agent has read all earlier comments', () => {
    expect(eventsOf(walk, 'turn_deferred')).toHaveLength(1);
    const types = walk.withState((state) => state.listEventsAfter(0, 10_000).map(({ type }) => type));
    expect(types.indexOf('pull_opened')).toBeGreaterThan(types.lastIndexOf('pre_pr_followup_resumed'));
  });

  it('6. With the pull request open, each new comment gets one redirect with a link to the pull request', async () => {
    const { pulls } = await fetchResults(walk, issue);
    expect(pulls).toHaveLength(1);
    const redirects = (await fetchOwnComments(walk, issue)).slice(3);
    expect(redirects).toHaveLength(2);
    for (const text of redirects) {
      expect(text).toContain(`Pull request #${pulls[0]?.number} is open`);
      expect(text).toContain(`/pull/${pulls[0]?.number}`);
    }
    const { output } = await walk.runCli('explain', String(issue));
    expect(output.match(/redirected: to the pull request$/gm)).toHaveLength(2);
  });

  it('7. Comments on the issue after the pull request opens are not sent to the agent', async () => {
    expect(walk.agentRequests(issue)).toHaveLength(4);
    expect(JSON.stringify(walk.agentRequests(issue))).not.toContain('rename');
  });

  it('9. Comments by bots and by unauthorized users trigger neither a turn nor a redirect', () => {
    const skipped = walk.withState((state) =>
      state
        .listEventsOfThread(walk.runOf(issue)?.repoId ?? 0, issue)
        .filter(({ payload }) => payload.body.includes('pills'))
        .map(({ skipReason }) => skipReason),
    );
    expect(skipped).toEqual([
      { code: 'not_allowed', login: 'mallory' },
      { code: 'bot', login: 'lint[bot]' },
      { code: 'not_allowed', login: 'mallory' },
      { code: 'bot', login: 'lint[bot]' },
    ]);
    expect(JSON.stringify(walk.agentRequests(issue))).not.toContain('pills');
    expect(eventsOf(walk, 'source_issue_comment_redirected')).toHaveLength(2);
  });

  it('10. MergeXO answers comments on the pull request as usual', async () => {
    const pr = walk.runOf(issue)?.prNumber ?? 0;
    await walk.alice.comment(REPO, pr, 'Why this way?');
    await walk.until(async () =>
      expect(await fetchOwnComments(walk, pr)).toEqual([expect.stringContaining('Answer to')]),
    );
  });

  it('produces a conversation that a person can follow', async () => {
    const transcript = await renderTranscript(walk, issue);
    expect(transcript).toBe(readGolden('five-rounds', transcript));
  });
});

describe('comments on issues, after restarts and upgrades', () => {
  let walk: Walk;
  afterEach(() => walk.closeAndCheck());

  it('8. MergeXO posts each redirect once, even across restarts', async () => {
    walk = await createWalk();
    let poller = walk.startPoller();
    walk.startWorker();
    const { issue } = await walk.openPull('agent:small-job');
    for (const body of ['One.', 'Two.', 'Three.']) {
      await postComment(walk, issue, body);
      await new Promise((done) => setTimeout(done, 400));
      poller.kill('SIGKILL');
      await poller.exited;
      poller = walk.startPoller();
    }
    await walk.until(async () => expect(await fetchOwnComments(walk, issue)).toHaveLength(4));
    await new Promise((done) => setTimeout(done, 2_500));
    expect(await fetchOwnComments(walk, issue)).toHaveLength(4);
  });

  it('11. A comment resumes a run that an earlier version of MergeXO marked as failed before it opened a pull request', async () => {
    walk = await createWalk();
    const issue = await walk.alice.openIssue(REPO, { title: 'Old', body: '{}' });
    const unknown = await walk.alice.openIssue(REPO, { title: 'Broken', body: '{}' });
    const repoId = Number(Object(await walk.alice.request('GET', `/repos/${REPO}`)).id);
    walk.withState((state) => {
      state.saveRepository({ id: repoId, owner: 'alice', name: 'app', defaultBranch: 'main' });
      for (const [number, error] of [
        [issue, 'agent blocked: which database is meant?'],
        [unknown, 'Segmentation fault'],
      ] as const) {
        const branch = `agent/small/${number}-old`;
        const facts = {
          repoId,
          issueNumber: number,
          flow: 'small_job',
          ordinal: 1,
          issueTitle: 'Old',
        } as const;
        const run = state.recordRun({ ...facts, branch, designDocPath: null }, 1);
        if (run !== undefined) state.saveRun({ ...run, status: 'failed', error }, 1);
      }
    });
    walk.startPoller();
    walk.startWorker();
    await expectStatus(walk, issue, 'awaiting_issue_followup');
    expect(walk.runOf(unknown)?.status).toBe('failed');
    await postComment(walk, issue, 'Postgres.');
    await expectStatus(walk, issue, 'awaiting_feedback');
    expect(walk.agentRequests(issue).map(({ comments }) => comments)).toEqual([['Postgres.']]);
  });
});
