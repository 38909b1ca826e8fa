import path from 'node:path';
import { gitEnv } from '../../basics/git-env.js';
import { ask, read } from '../../testing/ask.js';
import { mustGit, run } from '../../testing/git.js';
import { at, each } from '../../testing/json-fields.js';
import {
  AT,
  makeTempDir,
  moveRefBehind,
  PROTECTED_SEED,
  REPO,
  startTestTwin,
} from '../../testing/test-twin.js';

describe('refs', () => {
  it('can be created, fast-forwarded, moved back only with force, and deleted', async () => {
    const twin = await startTestTwin();
    const main = String(await read(twin, `GET ${AT}/git/ref/heads/main`, 'object', 'sha'));
    const next = await twin.as('bob').pushFiles(REPO, 'other', { 'a.txt': 'a\n' });
    const status = async (request: string, body?: object) =>
      (await ask(twin, request, { as: 'bob', ...(body && { body }) })).status;
    expect(await status(`POST ${AT}/git/refs`, { ref: 'refs/heads/a/b', sha: main })).toBe(201);
    expect(await status(`POST ${AT}/git/refs`, { ref: 'refs/heads/a/b', sha: main })).toBe(422);
    expect(await status(`POST ${AT}/git/refs`, { ref: 'refs/heads/x', sha: 'c'.repeat(40) })).toBe(422);
    expect(await status(`POST ${AT}/git/refs`, { ref: 'refs/pull/1/head', sha: main })).toBe(422);
    expect(await status(`PATCH ${AT}/git/refs/heads/a/b`, { sha: next })).toBe(200);
    expect(await status(`PATCH ${AT}/git/refs/heads/a/b`, { sha: main })).toBe(422);
    expect(await status(`PATCH ${AT}/git/refs/heads/a/b`, { sha: main, force: true })).toBe(200);
    expect(await status(`DELETE ${AT}/git/refs/heads/a/b`)).toBe(204);
    expect(await status(`DELETE ${AT}/git/refs/heads/a/b`)).toBe(422);
    expect(
      twin.history
        .list('ref')
        .filter((entry) => entry.ref === 'refs/heads/a/b')
        .map((entry) => entry.forced),
    ).toEqual([false, false, true, false]);
  });

  it('cannot be changed if protected', async () => {
    const twin = await startTestTwin({ seed: PROTECTED_SEED });
    const sha = await twin.as('bob').pushFiles(REPO, 'agent/design/1-x', { 'a.txt': 'a\n' });
    expect((await ask(twin, `PATCH ${AT}/git/refs/heads/main`, { body: { sha, force: true } })).status).toBe(
      422,
    );
    expect(await read(twin, `GET ${AT}/branches/main`, 'protected')).toBe(true);
  });
});

describe('contents and commits', () => {
  it('can be read at any ref', async () => {
    const twin = await startTestTwin();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'docs/ä ö.md': 'text\n' });
    const where = `${AT}/contents/${encodeURIComponent('docs/ä ö.md')}`;
    const file = await ask(twin, `GET ${where}?ref=topic`);
    expect(Buffer.from(String(at(file.body, 'content')), 'base64').toString()).toBe('text\n');
    expect((await ask(twin, `GET ${where}`)).status).toBe(404);
    expect(each(await read(twin, `GET ${AT}/contents/docs?ref=topic`), 'name')).toEqual(['ä ö.md']);
    expect((await ask(twin, `GET ${AT}/contents/README.md?ref=nowhere`)).status).toBe(404);
  });

  it('include the files and authors of each commit', async () => {
    const twin = await startTestTwin();
    const sha = await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    expect(each(await read(twin, `GET ${AT}/commits/${sha}`, 'files'), 'filename')).toEqual(['a.txt']);
    expect(await read(twin, `GET ${AT}/commits/topic`, 'author', 'login')).toBe('bob');
    expect((await ask(twin, `GET ${AT}/commits/${'d'.repeat(40)}`)).status).toBe(422);
  });

  it('show a submodule without file URLs, and a huge change without a patch', async () => {
    const twin = await startTestTwin();
    const huge = 'line\n'.repeat(20_001);
    const sha = await twin.as('bob').pushFiles(REPO, 'topic', { 'huge.txt': huge, 'small.txt': 'a\n' });
    const dir = twin.repoDir(REPO);
    const surroundings = { cwd: dir, env: gitEnv({ GIT_INDEX_FILE: path.join(makeTempDir(), 'index') }) };
    await run('git', ['read-tree', sha], surroundings);
    await run('git', ['update-index', '--add', '--cacheinfo', `160000,${sha},lib`], surroundings);
    const tree = (await run('git', ['write-tree'], surroundings)).stdout.trim();
    const next = await mustGit(dir, 'commit-tree', tree, '-p', sha, '-m', 'Add lib');
    await moveRefBehind(twin, 'refs/heads/topic', next);
    const files = await read(twin, `GET ${AT}/compare/main...topic`, 'files');
    expect(each(files, 'filename')).toEqual(['huge.txt', 'lib', 'small.txt']);
    expect(each(files, 'patch').map((patch) => patch !== undefined)).toEqual([false, true, true]);
    expect([each(files, 'blob_url')[1], each(files, 'raw_url')[1]]).toEqual([null, null]);
  });
});

describe('an empty repository', () => {
  it('has no refs (409) and no contents (404) until the first push', async () => {
    const twin = await startTestTwin({
      seed: { users: [{ login: 'alice' }], repos: [{ name: 'alice/empty' }] },
    });
    const status = async (path: string) => (await ask(twin, `GET /repos/alice/empty${path}`)).status;
    const asked = async () => [
      await status('/git/ref/heads/main'),
      await status('/contents/'),
      await status('/branches'),
    ];
    expect(await asked()).toEqual([409, 404, 200]);
    await twin.as('alice').pushFiles('alice/empty', 'main', { 'a.txt': 'a\n' });
    expect(await asked()).toEqual([200, 200, 200]);
  });
});
