import { findFreePort } from '../fleet/find-free-port.js';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';

/** Long enough that only a delivery can explain a poll. */
const POLL_SECONDS = 60;
/** Longer than the pause after activity without a webhook. */
const QUIET_MS = 7_000;

describe('a poller with a webhook', () => {
  let walk: Walk;
  afterEach(() => walk.closeAndCheck());

  const polls = (): number =>
    walk.twin.history
      .list('request')
      .filter(({ user, route }) => user === 'robot' && route === 'GET /repos/{owner}/{repo}/issues').length;
  const rest = (ms: number) => new Promise((done) => setTimeout(done, ms));
  /** Waits until the poller has stopped polling. */
  const untilQuiet = () =>
    walk.until(async () => {
      const before = polls();
      await rest(QUIET_MS);
      expect(polls()).toBe(before);
    }, 120_000);
  /** Counts MergeXO's comments on the pull request. */
  const countReplies = async (pr: number): Promise<number> => {
    const comments = await walk.alice.request('GET', `/repos/${REPO}/issues/${pr}/comments`);
    return Array.isArray(comments)
      ? comments.filter(({ body }) => String(body).includes('mergexo-action')).length
      : 0;
  };

  it('polls only when a delivery announces a change, and answers each comment once', async () => {
    walk = await createWalk({ pollSeconds: POLL_SECONDS, webhookPort: await findFreePort() });
    await walk.ready(walk.startPoller(), 'poller is ready');
    walk.startWorker();
    const { pr } = await walk.openPull('agent:bugfix');
    await untilQuiet();
    const { output } = await walk.runCli('status', '--json');
    expect(JSON.parse(output).webhook).toMatchObject({ delivering: true });

    const before = await countReplies(pr);
    await walk.alice.comment(REPO, pr, 'Why is this needed?');
    await walk.until(async () => expect(await countReplies(pr)).toBe(before + 1), 50_000);

    // Deliveries that arrive again cost at most a poll, and no second answer.
    const answered = await countReplies(pr);
    for (const { id } of walk.twin.webhooks?.list() ?? []) await walk.twin.webhooks?.redeliver(id);
    await untilQuiet();
    expect(await countReplies(pr)).toBe(answered);
    const statuses = walk.twin.webhooks?.list().map(({ status }) => status) ?? [];
    expect(statuses.filter((status) => status === 202).length).toBeGreaterThan(5);
  });

  it('answers a comment whose delivery was lost at its next regular poll, once', async () => {
    walk = await createWalk({ pollSeconds: 5, webhookPort: await findFreePort() });
    await walk.ready(walk.startPoller(), 'poller is ready');
    walk.startWorker();
    const { pr } = await walk.openPull('agent:bugfix');
    const before = await countReplies(pr);
    // From now on, GitHub's deliveries reach nobody.
    await walk.twin.webhooks?.stop();
    const sent = walk.twin.webhooks?.list().length;
    await walk.alice.comment(REPO, pr, 'Why is this needed?');
    await walk.until(async () => expect(await countReplies(pr)).toBe(before + 1), 90_000);
    expect(walk.twin.webhooks?.list().length).toBe(sent);
    await rest(2 * QUIET_MS);
    expect(await countReplies(pr)).toBe(before + 1);
  });
});
