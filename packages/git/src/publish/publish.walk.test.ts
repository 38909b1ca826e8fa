import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { eventually } from '@mergexo/testkit';
import type { Collected } from '../commit/deliver.js';
import { createGit } from '../create-git.js';
import { git, SEARCH_PATH, write } from '../testing/shell.js';
import { BRANCH, makeWorld, NEW_BRANCH, TRAILER, type World } from '../testing/world.js';

const SEED = {
  users: [{ login: 'acme' }, { login: 'alice' }, { login: 'robot[bot]' }],
  repos: Array.from({ length: 40 }, (_, index) => ({
    name: `acme/app-${index}`,
    permissions: { alice: 'admin' as const, 'robot[bot]': 'write' as const },
    files: { 'src/a.txt': 'one\n' },
  })),
};

describe('publishing', () => {
  let twin: Twin;
  let world: World;
  let token: string | undefined;
  let serial = 0;
  /** Each test has its own repository. */
  let repo: string;
  beforeAll(async () => {
    twin = await startTwin({ seed: SEED });
  });
  beforeEach(() => {
    const name = `app-${serial}`;
    serial += 1;
    repo = `acme/${name}`;
    token = twin.tokens['robot[bot]'];
    world = makeWorld({ name, remoteUrl: twin.gitUrl('acme', name), credential: async () => token });
  });
  afterEach(() => world.remove());
  afterAll(() => twin.stop());

  type Work = Extract<Collected, { kind: 'collected' }>;

  async function makePlan(text = 'fixed\n', startSha: string | null = null) {
    const slot = await world.lease();
    const restored = await slot.restore({ ...NEW_BRANCH, startSha });
    if (restored.kind !== 'ready') throw new Error(restored.kind);
    write(slot.path, { 'src/a.txt': text });
    const collected = await slot.collect({ startSha: restored.head, message: 'Fix', trailer: TRAILER });
    if (collected.kind !== 'collected') throw new Error(collected.kind);
    await slot.release();
    const { sha, bundle }: Work = collected;
    return { branch: BRANCH, startSha: restored.head, sha, bundle };
  }
  const remoteHead = (branch = BRANCH) =>
    git(twin.repoDir(repo), 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`);
  const movesOf = () =>
    twin.history
      .list('ref')
      .filter((entry) => entry['repo'] === repo && entry['ref'] === `refs/heads/${BRANCH}`);

  it('creates a new branch, and pushing it again changes nothing', async () => {
    const plan = await makePlan();
    expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'pushed' });
    expect(remoteHead()).toBe(plan.sha);
    const moves = movesOf().length;
    expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'pushed' });
    expect(movesOf()).toHaveLength(moves);
  });

  it('continues the branch from the head that the plan is based on', async () => {
    const first = await makePlan();
    await world.git.publish(world.repo, first);
    const second = await makePlan('better\n', first.sha);
    expect(second.startSha).toBe(first.sha);
    expect(await world.git.publish(world.repo, second)).toEqual({ kind: 'pushed' });
    expect(remoteHead()).toBe(second.sha);
  });

  describe('a merge of the base', () => {
    const LINES = 'one\ntwo\nthree\n';

    /** Makes a merge in which both sides changed one file and the agent resolved the conflict in the slot. */
    async function makeMerge(baseBranch = 'main') {
      const alice = twin.as('alice');
      await alice.pushFiles(repo, baseBranch, { 'src/a.txt': LINES });
      const files = { 'src/a.txt': `${LINES}ours\n` };
      const startSha = await alice.push(repo, { branch: BRANCH, files, from: baseBranch });
      const baseSha = await alice.pushFiles(repo, baseBranch, { 'src/a.txt': `${LINES}theirs\n` });
      const slot = await world.lease();
      await slot.restore({ branch: BRANCH, startSha, baseBranch });
      expect(await slot.mergeBase({ head: startSha, baseSha })).toMatchObject({ kind: 'conflicts' });
      write(slot.path, { 'src/a.txt': `${LINES}ours\ntheirs\n` });
      const request = { startSha, message: 'Merge', trailer: TRAILER, mergeParent: baseSha };
      const collected = await slot.collect(request);
      if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
      await slot.release();
      const { sha, bundle } = collected;
      return { plan: { branch: BRANCH, startSha, sha, bundle, continues: true }, baseSha };
    }
    const onOtherHost = () =>
      createGit({
        baseDir: join(world.dir, 'other-host'),
        searchPath: SEARCH_PATH,
        log: { debug() {}, info() {}, warn() {}, error() {} },
        credential: async () => token,
      });

    it('is a fast-forward with two parents, and makes the pull request mergeable', async () => {
      const { plan, baseSha } = await makeMerge();
      const alice = twin.as('alice');
      const number = await alice.openPull(repo, { title: 'T', head: BRANCH });
      const mergeable = async () => alice.request('GET', `/repos/${repo}/pulls/${number}`);
      expect(await mergeable()).toMatchObject({ mergeable: false });
      expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'pushed' });
      expect(movesOf().at(-1)).toMatchObject({ before: plan.startSha, after: plan.sha, forced: false });
      expect(git(twin.repoDir(repo), 'log', '-1', '--format=%P', BRANCH)).toBe(`${plan.startSha} ${baseSha}`);
      expect(await mergeable()).toMatchObject({ mergeable: true, head: { sha: plan.sha } });
      expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'pushed' });
    });

    it('needs only the plan on another host', async () => {
      const { plan } = await makeMerge();
      expect(await onOtherHost().publish(world.repo, plan)).toEqual({ kind: 'pushed' });
      expect(remoteHead()).toBe(plan.sha);
    });

    it('is pushed even if the base has moved', async () => {
      const { plan } = await makeMerge();
      await twin.as('alice').pushFiles(repo, 'main', { 'src/c.txt': 'later\n' });
      expect(await onOtherHost().publish(world.repo, plan)).toEqual({ kind: 'pushed' });
    });

    it('is superseded if the remote no longer has the merged base', async () => {
      const { plan } = await makeMerge('feature');
      await twin.as('alice').forcePush(repo, 'feature', { 'src/z.txt': 'other\n' });
      expect(await onOtherHost().publish(world.repo, plan)).toEqual({
        kind: 'superseded',
        remoteHead: plan.startSha,
      });
      expect(remoteHead()).toBe(plan.startSha);
    });
  });

  it('works on a host that has only the plan', async () => {
    const plan = await makePlan();
    rmSync(world.baseDir, { recursive: true });
    const baseDir = join(world.dir, 'other-host');
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const other = createGit({
      baseDir,
      searchPath: SEARCH_PATH,
      log,
      credential: async () => token,
    });
    expect(await other.publish(world.repo, plan)).toEqual({ kind: 'pushed' });
    expect(remoteHead()).toBe(plan.sha);
  });

  it("reports `pushed` when a person has pushed on top of the plan's commits", async () => {
    const plan = await makePlan();
    await world.git.publish(world.repo, plan);
    await twin.as('alice').pushFiles(repo, BRANCH, { 'src/b.txt': 'on top\n' });
    expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'pushed' });
  });

  it('reports `superseded` when a person has pushed other commits', async () => {
    const first = await makePlan();
    await world.git.publish(world.repo, first);
    const plan = await makePlan('better\n', first.sha);
    const other = await twin.as('alice').pushFiles(repo, BRANCH, { 'src/b.txt': 'other\n' });
    expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'superseded', remoteHead: other });
    expect(remoteHead()).toBe(other);
  });

  it('reports `superseded` if a new branch already exists, or the branch was deleted or reset', async () => {
    const plan = await makePlan();
    const taken = await twin.as('alice').pushFiles(repo, BRANCH, { 'src/b.txt': 'mine\n' });
    expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'superseded', remoteHead: taken });
    const next = await makePlan('x\n', taken);
    await twin.as('alice').deleteBranch(repo, BRANCH);
    expect(await world.git.publish(world.repo, next)).toEqual({ kind: 'superseded', remoteHead: null });
    git(twin.repoDir(repo), 'update-ref', `refs/heads/${BRANCH}`, plan.startSha);
    expect(await world.git.publish(world.repo, next)).toEqual({
      kind: 'superseded',
      remoteHead: plan.startSha,
    });
    expect(remoteHead()).toBe(plan.startSha);
  });

  it('does not recreate a branch that was merged and deleted', async () => {
    const first = await makePlan();
    await world.git.publish(world.repo, first);
    const plan = { ...(await makePlan('better\n', first.sha)), continues: true };
    git(twin.repoDir(repo), 'update-ref', 'refs/heads/main', first.sha);
    await twin.as('alice').deleteBranch(repo, BRANCH);
    expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'superseded', remoteHead: null });
    expect(await world.git.publish(world.repo, first)).toEqual({ kind: 'pushed' });
    expect(remoteHead()).toBe('');
  });

  it('never moves a branch that changed between the fetch and the push', async () => {
    const first = await makePlan();
    await world.git.publish(world.repo, first);
    const plan = await makePlan('better\n', first.sha);
    const held = twin.control.fault({ route: 'GIT push-refs', kind: 'hold' });
    const publishing = world.git.publish(world.repo, plan);
    await eventually(() => expect(held.waiting()).toBe(1));
    git(twin.repoDir(repo), 'update-ref', `refs/heads/${BRANCH}`, first.startSha);
    held.release();
    expect(await publishing).toEqual({ kind: 'superseded', remoteHead: first.startSha });
    expect(remoteHead()).toBe(first.startSha);
  });

  it('finds its commits on the remote after a lost response', async () => {
    const plan = await makePlan();
    const hang = twin.control.fault({ route: 'GIT push', kind: 'hang', when: 'after' });
    const stop = new AbortController();
    const publishing = world.git.publish(world.repo, { ...plan, signal: stop.signal });
    await eventually(() => expect(hang.waiting()).toBe(1));
    stop.abort();
    expect(await publishing).toMatchObject({ kind: 'failed', reason: expect.stringContaining('stopped') });
    hang.clear();
    expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'pushed' });
    expect(movesOf()).toHaveLength(1);
  });

  it.each([
    ['drop', 'before'],
    ['drop', 'after'],
    ['error', 'before'],
    ['error', 'after'],
  ] as const)('keeps the plan when the connection fails (%s %s the push)', async (kind, when) => {
    const plan = await makePlan();
    twin.control.fault({ route: 'GIT push', kind, when });
    expect(await world.git.publish(world.repo, plan)).toMatchObject({ kind: 'failed' });
    expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'pushed' });
    expect(movesOf()).toHaveLength(1);
  });

  it('reports a push that a rule on the remote forbids', async () => {
    const plan = await makePlan();
    twin.control.fault({ route: 'GIT push', kind: 'refuse-push', message: 'GH013: rule violations found' });
    const published = await world.git.publish(world.repo, plan);
    expect(published).toMatchObject({ kind: 'refused', reason: expect.stringContaining('GH013') });
    expect(remoteHead()).toBe('');
  });

  it('reports a branch name that collides with the name of another branch', async () => {
    const plan = await makePlan();
    await twin.as('alice').pushFiles(repo, 'agent', { 'x.txt': 'x\n' });
    expect(await world.git.publish(world.repo, plan)).toMatchObject({ kind: 'refused' });
  });

  it('keeps the plan when the token is rejected, and never prints the token', async () => {
    const plan = await makePlan();
    token = 'ghp_wrongwrongwrongwrongwrongwrongwrong1';
    const published = await world.git.publish(world.repo, plan);
    expect(published).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('check the GitHub token'),
    });
    expect(JSON.stringify(published)).not.toContain('wrongwrong');
    token = undefined;
    expect(await world.git.publish(world.repo, plan)).toMatchObject({ kind: 'failed' });
  });

  it.each([
    'main',
    'agent',
    'agent/',
    'agent/../main',
    'agent/x:refs/heads/main',
    '+agent/x',
    'refs/heads/main',
    'agent/-x',
  ])('refuses to push to %s', async (branch) => {
    const sha = '0'.repeat(40);
    const publishing = world.git.publish(world.repo, {
      branch,
      startSha: sha,
      sha,
      bundle: Buffer.alloc(0),
    });
    await expect(publishing).rejects.toThrow('MergeXO pushes only to branches under agent/');
    const paths = twin.history.list('request').map((entry) => String(entry['path']));
    expect(paths.filter((path) => path.includes(`/${repo}.git/`))).toEqual([]);
  });

  it("rejects a bundle without the plan's commit", async () => {
    const plan = await makePlan();
    const sha = '1'.repeat(40);
    await expect(world.git.publish(world.repo, { ...plan, sha })).rejects.toMatchObject({
      kind: 'invalid-data',
    });
    const bundle = Buffer.concat([plan.bundle.subarray(0, -30), Buffer.alloc(30)]);
    await expect(world.git.publish(world.repo, { ...plan, bundle })).rejects.toMatchObject({
      kind: 'invalid-data',
    });
    expect(remoteHead()).toBe('');
  });

  it('reports whether one commit is an ancestor of another, and expands short shas', async () => {
    const plan = await makePlan();
    await world.git.publish(world.repo, plan);
    const { isAncestor, expandSha } = world.git;
    expect(await isAncestor(world.repo, { older: plan.startSha, newer: plan.sha })).toBe(true);
    expect(await isAncestor(world.repo, { older: plan.sha, newer: plan.sha })).toBe(true);
    expect(await expandSha(world.repo, plan.sha.slice(0, 8))).toBe(plan.sha);
    expect(await expandSha(world.repo, '1111111')).toBeUndefined();
    expect(await expandSha(world.repo, 'HEAD')).toBeUndefined();
    expect(await isAncestor(world.repo, { older: plan.sha, newer: plan.startSha })).toBe(false);
    await expect(isAncestor(world.repo, { older: '1'.repeat(40), newer: plan.sha })).rejects.toMatchObject({
      kind: 'not-found',
    });
  });
});
