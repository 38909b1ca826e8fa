import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { createHealth, linkGitHub } from '@mergexo/poller';
import { openState, type State } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { aFinding, loseReviewAnswer, playFix, playReview } from '../stage/review-play.js';
import { createReviewScene, type ReviewScene } from '../stage/review-scene.js';
import { keys, NAME } from '../stage/stage.js';

const POST_REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

describe('a second login for reviews', () => {
  let scene: ReviewScene;
  beforeEach(async () => {
    scene = await createReviewScene({ reviewer: 'critic' });
  });
  afterEach(async () => {
    await scene.stage.close();
  });

  const told = async () => (await scene.reviews()).map(({ author, state }) => `${author.login}: ${state}`);
  const goOn = async () => {
    await scene.settle();
    await scene.poll();
  };

  it('requests changes, and approves the pull request after they are made', async () => {
    await playReview(scene.stage, () => [aFinding()]);
    await goOn();
    expect(await told()).toEqual(['critic: changes_requested']);
    expect(scene.open()).toEqual(['review_fix']);

    await playFix(scene.stage, { files: { 'fix.txt': 'checked\n' } });
    await goOn();
    await playReview(scene.stage, () => []);
    await goOn();
    expect(await told()).toEqual(['critic: changes_requested', 'critic: approved']);
    expect((await scene.status(scene.pull().headSha ?? ''))?.state).toBe('success');
    for (let i = 0; i < 3; i += 1) await goOn();
    // MergeXO posted these comments itself, so no turn answers them.
    expect(scene.open()).toEqual([]);
  });

  it('dismisses no finding when GitHub dismisses its approval after a push', async () => {
    await playReview(scene.stage, () => [aFinding({ severity: 'medium' })]);
    await goOn();
    const [approval] = await scene.reviews();
    expect(await told()).toEqual(['critic: approved']);
    await scene.stage.alice.request(
      'PUT',
      `/repos/${NAME}/pulls/${scene.pr}/reviews/${approval?.id}/dismissals`,
      {
        message: 'The merge-base changed after approval.',
      },
    );
    await scene.stage.alice.pushFiles(NAME, scene.branch, { 'more.txt': 'x\n' });
    await goOn();
    await playReview(scene.stage, () => [aFinding({ severity: 'high' })]);
    await goOn();
    expect(scene.open()).toEqual(['review_fix']);
  });

  it('finds its posted review if GitHub’s response was lost', async () => {
    loseReviewAnswer(scene.stage);
    await playReview(scene.stage, () => [aFinding()]);
    await goOn();
    scene.stage.restart();
    await goOn();
    expect(await told()).toEqual(['critic: changes_requested']);
  });

  it.each<[string, (twin: Twin) => void]>([
    ['its token expires', (twin) => twin.control.expireToken('critic')],
    ['it loses write access', (twin) => twin.control.setPermission(NAME, 'critic', null)],
    [
      'GitHub rejects its review',
      (twin) =>
        twin.control.fault({ kind: 'error', status: 422, route: POST_REVIEW, user: 'critic', times: null }),
    ],
  ])('is replaced by the first login when %s', async (_name, refuse) => {
    refuse(scene.stage.twin);
    await playReview(scene.stage, () => [aFinding()]);
    await goOn();
    expect(await told()).toEqual(['robot: commented']);
    expect((await scene.status(scene.pull().headSha ?? ''))?.state).toBe('failure');
    expect(scene.open()).toEqual(['review_fix']);
  });
});

describe('the logins of the poller', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let twin: Twin;
  let state: State;
  let warnings: string[];
  beforeEach(async () => {
    directory = createTemporaryDirectory();
    warnings = [];
    twin = await startTwin({
      seed: {
        users: [{ login: 'alice' }, { login: 'robot' }, { login: 'critic' }],
        repos: [{ name: NAME, permissions: { robot: 'write', critic: 'write' }, files: { a: 'a\n' } }],
      },
    });
    writeFileSync(
      join(directory.path, 'mergexo.toml'),
      `[github]\napi_url = "${twin.apiUrl}"\n[repo.app]\nowner = "alice"\nname = "app"\n`,
    );
    state = openState(join(directory.path, 'state.db'));
  });
  afterEach(async () => {
    state.close();
    await twin.stop();
    directory.remove();
  });

  const now = (): number => Date.now();
  const connect = async (env: { GITHUB_TOKEN?: string; MERGEXO_REVIEWER_TOKEN?: string; PATH?: string }) => {
    const configPath = join(directory.path, 'mergexo.toml');
    const settings = readSettings({ configPath, env, homeDir: directory.path });
    const log = { ...silentLog, warn: (_facts: object, message: string) => warnings.push(message) };
    const health = createHealth({ state, log: silentLog, now, monotonicNow: now });
    const link = linkGitHub(settings, { state, log, keys, health });
    const connected = await link.connect();
    return { link, viewer: connected?.viewer, health };
  };
  const tokenOf = (login: string): string => twin.tokens[login] ?? '';
  const idOf = (login: string): number =>
    twin.world.store.users.find((user) => user.login === login)?.id ?? 0;

  it('are all remembered, so that comments under an earlier login stay MergeXO’s own', async () => {
    await connect({ GITHUB_TOKEN: tokenOf('robot') });
    const { viewer } = await connect({ GITHUB_TOKEN: tokenOf('alice') });
    expect(viewer?.login).toBe('alice');
    expect(viewer?.ids).toEqual(new Set([idOf('alice'), idOf('robot')]));
  });

  it('are fetched from `gh` again immediately if GitHub rejects a token, and the rejection is recorded', async () => {
    const login = join(directory.path, 'login');
    const gh = join(directory.path, 'gh');
    writeFileSync(gh, `#!/bin/sh\n/bin/cat '${login}'\n`, { mode: 0o700 });
    writeFileSync(login, tokenOf('robot'));
    const { link, viewer, health } = await connect({ PATH: directory.path });
    expect(viewer?.login).toBe('robot');
    twin.control.expireToken('robot');
    writeFileSync(login, twin.control.addToken('robot').secret);
    await expect(link.github.fetchRepository(NAME)).rejects.toThrow(
      'Check whether it has expired or was revoked.',
    );
    health.beat();
    expect(state.listHealth()).toContainEqual(
      expect.objectContaining({ subject: 'github', code: 'token-rejected' }),
    );
    await link.github.fetchRepository(NAME);
    health.beat();
    expect(state.listHealth()).toContainEqual(expect.objectContaining({ subject: 'github', code: 'ok' }));
  });

  it('include a reviewer if a second login is configured', async () => {
    const { link, viewer } = await connect({
      GITHUB_TOKEN: tokenOf('robot'),
      MERGEXO_REVIEWER_TOKEN: tokenOf('critic'),
    });
    expect(link.reviewer()).toBeDefined();
    expect(viewer?.ids).toEqual(new Set([idOf('robot'), idOf('critic')]));
    expect(link.redact(`x ${tokenOf('critic')}`)).not.toContain(tokenOf('critic'));
  });

  it.each([
    ['is the same as the first login', 'robot', /belongs to the login that opens/],
    ['is rejected', 'nobody', /refuses MERGEXO_REVIEWER_TOKEN/],
  ])(
    'include no reviewer if the second login %s, and the problem is reported once',
    async (_name, login, warning) => {
      const { link } = await connect({
        GITHUB_TOKEN: tokenOf('robot'),
        MERGEXO_REVIEWER_TOKEN: tokenOf(login) || 'ghp_unknown',
      });
      await link.connect();
      expect(link.reviewer()).toBeUndefined();
      expect(warnings).toEqual([expect.stringMatching(warning)]);
    },
  );
});
