import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import type { GitHub } from './create-github.js';
import { aGitHubClient, aSeed, NO_RATE_LIMITS, REPO } from './testing/a-github-client.js';

describe('the client for reactions and status comments', () => {
  let twin: Twin;
  let github: GitHub;
  let heard: string[];
  beforeEach(async () => {
    heard = [];
    const seed = aSeed({ writers: ['bob'], strangers: [] });
    twin = await startTwin({ seed, clock: createManualClock(), limits: NO_RATE_LIMITS });
    github = aGitHubClient(twin, {
      login: 'robot',
      onNews: () => heard.push('news'),
      onWritten: () => heard.push('written'),
    });
    await twin.as('bob').openIssue(REPO, { title: 'T' });
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  it('adds a reaction once, says whether it is new, and removes it', async () => {
    const comment = await twin.as('bob').comment(REPO, 1, 'Hi');
    for (const subject of [{ kind: 'issue', id: 1 } as const, { kind: 'comment', id: comment } as const]) {
      const first = await github.addReaction(REPO, subject, 'eyes');
      expect(first.isNew).toBe(true);
      expect(await github.addReaction(REPO, subject, 'eyes')).toEqual({ id: first.id, isNew: false });
      await github.removeReaction(REPO, subject, first.id);
      await expect(github.removeReaction(REPO, subject, first.id)).rejects.toMatchObject({
        kind: 'not-found',
      });
    }
  });

  it('posts and edits a status comment, which the next read of the thread contains', async () => {
    const { id } = await github.postStatusComment(REPO, 1, 'One');
    await github.updateIssueComment(REPO, id, 'Two');
    expect((await github.refreshThread(REPO, 1)).comments.map(({ body }) => body)).toEqual(['Two']);
  });

  it.each([
    ['a status comment', () => github.postStatusComment(REPO, 1, 'One')],
    ['a reply', () => github.postIssueComment(REPO, 1, 'One')],
  ])('lists no comments again after posting %s', async (_what, post) => {
    await github.refreshThread(REPO, 1);
    await post();
    const before = twin.history.list('request').length;
    const { comments } = await github.refreshThread(REPO, 1, 60_000);
    expect(comments.map(({ body }) => body)).toEqual(['One']);
    expect(twin.history.list('request').slice(before)).toEqual([]);
  });

  it('wakes nothing, unlike other writes', async () => {
    const { id } = await github.postStatusComment(REPO, 1, 'One');
    await github.updateIssueComment(REPO, id, 'Two');
    await github.addReaction(REPO, { kind: 'issue', id: 1 }, 'rocket');
    expect(heard).toEqual([]);
    await github.postIssueComment(REPO, 1, 'Hello');
    expect(heard).toEqual(['news', 'written']);
  });

  it('refuses a repository that MergeXO may not write to', async () => {
    await expect(github.addReaction('acme/other', { kind: 'issue', id: 1 }, 'eyes')).rejects.toThrow();
  });

  it.each([
    ['a lost response', { kind: 'drop', when: 'after' }, 'unknown-outcome'],
    ['a missing permission', { kind: 'error', status: 403 }, 'unauthorized'],
    ['a deleted issue', { kind: 'error', status: 410 }, 'not-found'],
  ] as const)('reports %s', async (_what, fault, kind) => {
    twin.control.fault({ ...fault, route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/reactions' });
    const added = github.addReaction(REPO, { kind: 'issue', id: 1 }, 'eyes');
    await expect(added).rejects.toMatchObject({ kind });
  });
});
