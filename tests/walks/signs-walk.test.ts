import { patiently } from '@mergexo/testkit';
import { fetchResults } from '../fleet/fetch-results.js';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';

const POLL_SECONDS = 0.5;
/** How long a reaction may take: one poll and a second. */
const LIMIT_MS = patiently(POLL_SECONDS * 1_000 + 1_000);
const COMMENTS_FEED = 'GET /repos/{owner}/{repo}/issues/comments';

describe('signs of the real poller:', () => {
  let walk: Walk;
  afterEach(() => walk.closeAndCheck());

  const requests = () => walk.twin.history.list('request').filter(({ user }) => user === 'robot');
  /** The robot's requests after the comment, up to its first reaction to that comment, and the time of the reaction. */
  const untilReaction = (from: number, comment: number) => {
    const after = requests().slice(from);
    const end = after.findIndex(
      ({ method, path }) => method === 'POST' && path.endsWith(`/issues/comments/${comment}/reactions`),
    );
    const reaction = after[end];
    return reaction && { before: after.slice(0, end), at: Date.parse(reaction.arrivedAt) };
  };
  const statusOf = async (issue: number) =>
    (await fetchResults(walk, issue)).statuses.map(
      ({ body }) => /\*\*Status: (.*)\.\*\*/.exec(String(body))?.[1],
    );

  it('a comment gets 👀 within one poll and a second, then its reply, then also 🚀', async () => {
    walk = await createWalk({ pollSeconds: POLL_SECONDS });
    walk.startPoller();
    walk.startWorker();
    const { issue, pr } = await walk.openPull('agent:bugfix');
    await walk.until(async () => expect(await statusOf(issue)).toEqual(['ready for review']), 60_000);
    const from = requests().length;
    const askedAt = Date.now();
    const comment = await walk.alice.comment(REPO, pr, 'Why?');
    await walk.until(() => expect(untilReaction(from, comment)).toBeDefined(), 60_000);
    const { before, at } = untilReaction(from, comment) ?? { before: [], at: Number.NaN };
    expect(at - askedAt).toBeLessThanOrEqual(LIMIT_MS);
    // The poll that was running when the comment was posted may not show it, and the next one does.
    const news = before.filter(({ route, status }) => route === COMMENTS_FEED && status === 200);
    expect(news).toHaveLength(1);
    expect(before.filter(({ method }) => method === 'POST' || method === 'DELETE')).toEqual([]);
    await walk.until(() => {
      const contents = walk.twin.world.store.reactions
        .filter(({ subject, subjectId }) => subject === 'comment' && subjectId === comment)
        .map(({ content }) => content);
      expect(contents).toEqual(['eyes', 'rocket']);
    }, 60_000);
    const writes = requests()
      .slice(from)
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path.replace(/.*\/app\//, '').replace(/\d+/g, 'n')}`);
    const reply = writes.indexOf('POST issues/n/comments');
    expect(writes.indexOf('POST issues/comments/n/reactions')).toBeLessThan(reply);
    expect(writes.lastIndexOf('POST issues/comments/n/reactions')).toBeGreaterThan(reply);
    expect(writes.filter((write) => write.includes('reactions'))).toEqual([
      'POST issues/comments/n/reactions',
      'POST issues/comments/n/reactions',
    ]);
    await walk.alice.merge(REPO, pr);
    await walk.until(
      async () => expect(await statusOf(issue)).toEqual(['done: the pull request was merged']),
      60_000,
    );
    // An idle poll stays free: no sign causes another.
    const settled = requests().length;
    await walk.until(() => {
      const later = requests().slice(settled);
      expect(later.length).toBeGreaterThan(30);
      expect(later.slice(-12).map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 304));
    }, 60_000);
  });
});
