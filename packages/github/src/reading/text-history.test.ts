import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import type { GitHub } from '../create-github.js';
import { aGitHubClient, aSeed, NO_RATE_LIMITS, REPO } from '../testing/a-github-client.js';

describe('the history of a text', () => {
  let twin: Twin;
  let github: GitHub;
  beforeEach(async () => {
    twin = await startTwin({ seed: aSeed(), clock: createManualClock(), limits: NO_RATE_LIMITS });
    github = aGitHubClient(twin, { apiUrl: twin.apiUrl, throttled: false });
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const alice = () => twin.as('alice');
  const edit = async (number: number, change: object) => {
    twin.control.advance(60_000);
    await alice().request('PATCH', `/repos/${REPO}/issues/${number}`, change);
  };

  it('is empty if nobody edited the text', async () => {
    const issue = await alice().openIssue(REPO, { title: 'Slow', body: 'Uploads.' });
    expect(await github.fetchTextHistory(REPO, issue)).toEqual({
      title: 'Slow',
      body: 'Uploads.',
      bodies: [],
      renames: [],
      hasMoreRenames: false,
    });
  });

  it('has every version of the body, newest first, and every earlier title', async () => {
    const issue = await alice().openIssue(REPO, { title: 'Slow', body: 'Uploads.' });
    await edit(issue, { body: 'Downloads.' });
    await edit(issue, { title: 'Too slow', state: 'closed' });
    await edit(issue, { title: 'Far too slow', body: 'Both.' });
    const { bodies, renames, ...now } = (await github.fetchTextHistory(REPO, issue)) ?? {};
    expect(now).toMatchObject({ title: 'Far too slow', body: 'Both.' });
    expect(bodies?.map(({ text }) => text)).toEqual(['Both.', 'Downloads.', 'Uploads.']);
    expect(bodies?.map(({ at }) => at)).toEqual(
      bodies
        ?.map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    expect(renames?.map(({ from }) => from)).toEqual(['Slow', 'Too slow']);
  });

  it('exists for pull requests', async () => {
    await alice().pushFiles(REPO, 'topic', { 'list.txt': 'a\n' });
    const pull = await alice().openPull(REPO, { title: 'Add', head: 'topic', body: 'First.' });
    await edit(pull, { body: 'Second.' });
    expect((await github.fetchTextHistory(REPO, pull))?.bodies).toHaveLength(2);
  });

  it('is null for an unknown number', async () => {
    expect(await github.fetchTextHistory(REPO, 999)).toBeNull();
  });
});
