import { eventually, type Program } from '@mergexo/testkit';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';

type Blocked = { pr: number; branch: string; accepted: string; rewritten: string; poller: Program };

/** Follows the README's recovery steps, with real processes and the twin. */
describe('recovery from rewritten history', () => {
  let walk: Walk;
  beforeEach(async () => {
    walk = await createWalk();
  });
  afterEach(() => walk.closeAndCheck());

  const pullOf = (prNumber: number) =>
    walk.withState((state) => {
      const [repo] = state.listRepositories();
      return repo && state.readPull(repo.id, prNumber);
    });
  const ourWords = async (pr: number): Promise<string[]> => {
    const comments = await walk.alice.request('GET', `/repos/${REPO}/issues/${pr}/comments`);
    if (!Array.isArray(comments)) return [];
    return comments.map(({ body }) => String(body)).filter((body) => body.includes('mergexo-action'));
  };
  const mergexo = async (...args: string[]) => {
    const { code, output } = await walk.runCli(...args, '--json');
    expect([code, output]).toEqual([0, expect.anything()]);
    return JSON.parse(output);
  };
  const expectNotices = (pr: number, count: number) =>
    eventually(async () => {
      const notices = (await ourWords(pr)).filter((body) => body.includes('stopped working on this'));
      expect([pullOf(pr)?.status, notices.length]).toEqual(['blocked', count]);
    }, 60_000);
  const expectAnswer = (pr: number) =>
    eventually(async () => {
      const answers = (await ourWords(pr)).filter((body) => body.startsWith('Answer to'));
      expect([answers.length, pullOf(pr)?.status]).toEqual([1, 'awaiting_feedback']);
    }, 60_000);

  const rewrite = async (): Promise<Blocked> => {
    const poller = walk.startPoller();
    walk.startWorker();
    const { pr, branch, headSha: accepted } = await walk.openPull('agent:bugfix');
    const rewritten = await walk.alice.forcePush(REPO, branch, { 'fix.txt': 'squashed\n' });
    await walk.alice.comment(REPO, pr, 'Please explain.');
    await expectNotices(pr, 1);
    return { pr, branch, accepted, rewritten, poller };
  };

  it('A: people restore the history and unblock the pull request while the poller runs; MergeXO answers the comment', async () => {
    const { pr, branch, accepted, rewritten } = await rewrite();
    expect((await mergexo('feedback', 'blocked', 'list')).blocked).toMatchObject([
      { repo: REPO, pr, accepted_head_sha: accepted, head_sha: rewritten, unanswered_comments: 1 },
    ]);
    await walk.alice.push(REPO, { branch, files: { 'more.txt': 'more\n' }, from: accepted, force: true });
    const done = await mergexo('feedback', 'blocked', 'reset', '--pr', String(pr));
    expect(done).toMatchObject({ through: 'poller', pulls: [{ pr, accepted_head_sha: accepted }] });
    await expectAnswer(pr);
    expect((await mergexo('feedback', 'blocked', 'list')).blocked).toEqual([]);
  });

  it('B: blocks the pull request again without --head-sha; with --head-sha, accepts the new head and answers the comment in `run --once`', async () => {
    const { pr, rewritten, poller } = await rewrite();
    await mergexo('feedback', 'blocked', 'reset', '--pr', String(pr));
    await expectNotices(pr, 2);
    poller.kill('SIGTERM');
    await poller.exited;
    const done = await mergexo('feedback', 'blocked', 'reset', '--pr', String(pr), '--head-sha', rewritten);
    expect(done).toMatchObject({ through: 'state', pulls: [{ pr, accepted_head_sha: rewritten }] });
    expect((await walk.runCli('run', '--once', '--verbose')).code).toBe(0);
    await expectAnswer(pr);
    const { stories } = await mergexo('explain', String(pr));
    expect(stories[0].comments).toContainEqual(
      expect.objectContaining({ body: 'Please explain.', state: 'answered' }),
    );
  });
});
