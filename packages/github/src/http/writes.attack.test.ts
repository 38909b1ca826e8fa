import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createGitHub, type GitHub } from '../create-github.js';
import { aConnection, REPO } from '../testing/a-github-client.js';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));
const SHA = 'a'.repeat(40);
const LABEL = { name: 'x', color: 'ffffff', description: '' };
const STATUS = { state: 'success', context: 'x', description: '', targetUrl: null } as const;
const TEXTS = { name: 'x', title: 'x', summary: 'x', externalId: 'x' };
const CHECK = { ...TEXTS, conclusion: 'success', detailsUrl: null, annotations: [] } as const;
const REVIEW = { commitSha: SHA, event: 'COMMENT', body: 'x', comments: [] } as const;
const THREADS = {
  nodes: [{ id: 'T', isResolved: false, comments: { nodes: [{ fullDatabaseId: '5' }] } }],
  pageInfo: { hasNextPage: false },
};

const FOUND = { id: 1, full_name: 'x/y', default_branch: 'main', archived: false };

type Write = (github: GitHub, repo: string) => Promise<unknown>;

/** Every write that MergeXO can send. The section "Tokens" of docs/security.md describes them. */
const WRITES: readonly [string, Write][] = [
  ['POST issues/1/comments', (github, repo) => github.postIssueComment(repo, 1, 'x')],
  ['POST issues/2/comments', (github, repo) => github.postStatusComment(repo, 2, 'x')],
  ['PATCH issues/comments/5', (github, repo) => github.updateIssueComment(repo, 5, 'x')],
  ['POST issues/1/reactions', (github, repo) => github.addReaction(repo, { kind: 'issue', id: 1 }, 'eyes')],
  [
    'DELETE pulls/comments/5/reactions/6',
    (github, repo) => github.removeReaction(repo, { kind: 'review', id: 5 }, 6),
  ],
  [
    'POST pulls/1/comments/5/replies',
    (github, repo) => github.postReviewReply(repo, { pull: 1, inReplyToId: 5, body: 'x' }),
  ],
  ['POST pulls/1/reviews', (github, repo) => github.postReview(repo, 1, REVIEW)],
  ['POST pulls/1/requested_reviewers', (github, repo) => github.requestReviewers(repo, 1, ['ada'])],
  ['POST pulls', (github, repo) => github.postPull(repo, { title: 'x', body: 'x', head: 'h', base: 'b' })],
  ['PATCH pulls/1', (github, repo) => github.updatePullBody(repo, 1, 'x')],
  ['POST issues/1/labels', (github, repo) => github.addLabels(repo, 1, ['x'])],
  ['DELETE issues/1/labels/x', (github, repo) => github.removeLabel(repo, 1, 'x')],
  ['POST labels', (github, repo) => github.ensureLabel(repo, LABEL)],
  [`POST statuses/${SHA}`, (github, repo) => github.postCommitStatus(repo, SHA, STATUS)],
  ['POST check-runs', (github, repo) => github.postCheckRun(repo, SHA, CHECK)],
  ['POST actions/runs/5/rerun-failed-jobs', (github, repo) => github.rerunFailedJobs(repo, 5)],
  ['POST graphql mutation', (github, repo) => github.resolveReviewThread(repo, 1, 5)],
];

describe('a write to GitHub', () => {
  let server: Server;
  let github: GitHub;
  let writes: string[] = [];
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const { method = '', url = '' } = request;
      const body = await text(request);
      const isQuery = url === '/graphql' && !body.includes('mutation');
      if (method !== 'GET' && !isQuery)
        writes.push(
          `${method} ${url.replace(`/repos/${REPO}/`, '').replace('/graphql', 'graphql mutation')}`,
        );
      const answer = isQuery ? { data: { repository: { pullRequest: { reviewThreads: THREADS } } } } : FOUND;
      const status =
        method === 'GET' && url.includes('/labels/') ? 404 : isQuery || method === 'GET' ? 200 : 422;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    github = createGitHub(aConnection({ apiUrl: `http://127.0.0.1:${port}`, writable: [REPO] }));
  });
  beforeEach(() => {
    writes = [];
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it.each(WRITES)('is exactly %s', async (route, write) => {
    await write(github, REPO).catch(() => {});
    expect(writes).toEqual([route]);
  });

  it.each(WRITES)('is not sent to a repository outside the configuration: %s', async (_route, write) => {
    await expect(write(github, 'acme/foreign')).rejects.toThrow('not configured in mergexo.toml');
    await expect(write(github, `${REPO}/../foreign`)).rejects.toThrow('not configured in mergexo.toml');
    expect(writes).toEqual([]);
  });

  it('is a tested request, or creates or revokes a token of the App, because the source contains no other writes', () => {
    const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
      .map((name) => readFileSync(join(SOURCES, name), 'utf8'))
      .join('\n');
    const calls = sources.match(/\.write(?:Quietly)?\(|kind: 'mutation',/g) ?? [];
    expect(calls).toHaveLength(WRITES.length);
    const others = sources.match(/method: '(?:POST|PUT|PATCH|DELETE)', path\S*/g) ?? [];
    expect(others).toEqual(["method: 'DELETE', path:", "method: 'POST', path,"]);
  });
});
