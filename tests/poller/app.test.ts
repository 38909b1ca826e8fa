import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type BegunTurn, computeSender, type LedgerAnswer, openToken } from '@mergexo/core/ledger';
import type { PlanResult } from '@mergexo/core/turns';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { talk } from '../stage/answer-all.js';
import { createStage, DEBOUNCE_MS, keys, NAME, type Stage, type StageOptions } from '../stage/stage.js';
import { APP_BOT } from '../stage/stage-app.js';

const OTHER = 'alice/other';
const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };

const run = promisify(execFile);
const GIT_ENV = {
  PATH: process.env['PATH'],
  HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'x',
  GIT_AUTHOR_EMAIL: 'x@example.com',
  GIT_COMMITTER_NAME: 'x',
  GIT_COMMITTER_EMAIL: 'x@example.com',
};

let stage: Stage;
let pr: number;
async function setUp(options: StageOptions) {
  stage = await createStage({ app: true, ...options });
  await stage.alice.openIssue(NAME, { title: 'Broken', body: 'x', labels: ['agent:bugfix'] });
  await stage.poll();
  const { runId } = await stage.work(fix);
  await stage.drain();
  pr = stage.state.readRun(runId)?.prNumber ?? 0;
  await poll();
}
afterEach(() => stage.close());

async function poll(): Promise<void> {
  stage.advance(DEBOUNCE_MS);
  await stage.poll();
}
async function ask(text: string): Promise<void> {
  await stage.alice.comment(NAME, pr, text);
  await poll();
  await poll();
}
async function settle(): Promise<void> {
  for (let i = 0; i < 3; i += 1) await stage.drain();
}

describe('the tokens of workers', () => {
  beforeEach(() => setUp({ poster: APP_BOT, otherRepos: [{ name: OTHER }] }));

  let asked = 0;
  const askForToken = async ({ turnKey, attempt }: Pick<BegunTurn, 'turnKey' | 'attempt'>) => {
    asked += 1;
    return stage.tell({ kind: 'credential', turnKey, attempt, number: asked });
  };
  /** Decrypts the token as the worker does. The worker knows the attempt's secret from the answer to `begin`. */
  const open = (sealed: string, begun: BegunTurn & { secret?: string }, worker = 'w') => {
    const { turnKey, attempt, secret = '' } = begun;
    return openToken(sealed, {
      turnKey,
      attempt,
      secret,
      workerKey: computeSender(keys.current, worker).key,
    });
  };
  /** Number of tokens that GitHub created. */
  const minted = (): number =>
    stage.twin.history.list('request').filter(({ path }) => path.endsWith('/access_tokens')).length;
  const statusOf = async (token: string, path = `/repos/${NAME}`) =>
    (await fetch(`${stage.twin.apiUrl}${path}`, { headers: { authorization: `token ${token}` } })).status;
  /** Pushes a commit to a new branch, and returns what git says. */
  const push = async (token: string, repo: string): Promise<string> => {
    const directory = createTemporaryDirectory();
    const git = async (...args: string[]): Promise<string> => {
      const options = { env: GIT_ENV, cwd: directory.path };
      const { stderr } = await run('git', args, options).catch((error: unknown) => Object(error));
      return String(stderr);
    };
    try {
      await git('init', '-q');
      await git('commit', '-q', '--allow-empty', '-m', 'x');
      const auth = Buffer.from(`x-access-token:${token}`).toString('base64');
      const [owner = '', name = ''] = repo.split('/');
      const header = `http.extraHeader=Authorization: Basic ${auth}`;
      return await git('-c', header, 'push', stage.twin.gitUrl(owner, name), 'HEAD:refs/heads/tried');
    } finally {
      directory.remove();
    }
  };
  /** Runs a turn and returns the token that its worker got. */
  const getToken = async (during?: (begun: BegunTurn, token: string) => Promise<void>): Promise<string> => {
    await ask('Why?');
    let token = '';
    await stage.answer(async (context, begun) => {
      expect(begun.asksForToken).toBe(true);
      const answer = await askForToken(begun);
      if (answer.kind !== 'credential') throw new Error(`no token: ${JSON.stringify(answer)}`);
      token = open(answer.sealed, begun) ?? '';
      expect(await statusOf(token)).toBe(200);
      await during?.(begun, token);
      return talk(context, begun);
    });
    return token;
  };

  it('are invalid after the turn', async () => {
    const token = await getToken(async () => stage.revokeTokens());
    expect(await statusOf(token)).toBe(200);
    await stage.revokeTokens();
    expect(await statusOf(token)).toBe(401);
    expect(stage.state.listWorkerTokens()).toEqual([]);
  });

  it('are invalid after the turn even if the poller crashed, and are encrypted in the database', async () => {
    const token = await getToken(async (begun, first) => {
      expect(JSON.stringify(stage.state.listWorkerTokens())).not.toContain(first);
      stage.restart();
      const again = await askForToken(begun);
      expect(again.kind).toBe('credential');
    });
    expect(stage.state.listWorkerTokens()).toHaveLength(2);
    stage.restart();
    await stage.revokeTokens();
    expect(await statusOf(token)).toBe(401);
    expect(stage.state.listWorkerTokens()).toEqual([]);
  });

  it('are the same for repeated requests, until they are about to expire', async () => {
    await getToken(async (begun, first) => {
      const before = minted();
      const again = await askForToken(begun);
      expect(again.kind === 'credential' && open(again.sealed, begun)).toBe(first);
      expect(minted()).toBe(before);
      stage.advance(51 * 60_000);
      const next = await askForToken(begun);
      expect(next.kind === 'credential' && open(next.sealed, begun)).not.toBe(first);
    });
  });

  it('can be opened only by the worker of the attempt', async () => {
    await getToken(async (begun) => {
      const answer = await askForToken(begun);
      if (answer.kind !== 'credential') throw new Error('no token');
      expect(open(answer.sealed, begun, 'other')).toBeUndefined();
      expect(open(answer.sealed, { ...begun, attempt: begun.attempt + 1 })).toBeUndefined();
      expect(JSON.stringify(answer)).not.toContain('ghs_');
    });
  });

  it('are for one repository, and only for its contents', async () => {
    await getToken(async (_begun, token) => {
      const write = async (route: string, body: object): Promise<number> => {
        const headers = { authorization: `token ${token}` };
        const url = `${stage.twin.apiUrl}${route}`;
        return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
      };
      expect(await write(`/repos/${NAME}/issues/${pr}/comments`, { body: 'x' })).toBe(403);
      expect(await write(`/repos/${NAME}/issues`, { title: 'x' })).toBe(403);
      expect(await write(`/repos/${NAME}/pulls`, { title: 'x', head: 'a', base: 'main' })).toBe(403);
      expect(await write(`/repos/${NAME}/check-runs`, { name: 'x', head_sha: 'a'.repeat(40) })).toBe(403);
      expect(await write(`/repos/${OTHER}/issues`, { title: 'x' })).toBe(404);
      expect(await push(token, NAME)).toMatch(/new branch/);
      expect(await push(token, OTHER)).toMatch(/403|denied|not found/i);
      expect(await push('ghs_unknown', NAME)).toMatch(/could not read Username/);
      const granted = stage.twin.world.store.tokens.find(({ secret }) => secret === token)?.installation;
      expect(granted).toMatchObject({
        repoIds: [stage.repo.id],
        permissions: { contents: 'write', metadata: 'read' },
      });
    });
  });

  it('are refused after the turn, and for another attempt', async () => {
    let last: BegunTurn | undefined;
    await getToken(async (begun) => {
      last = begun;
      expect(await askForToken({ ...begun, attempt: begun.attempt + 1 })).toMatchObject({ kind: 'refused' });
    });
    if (last === undefined) throw new Error('no turn');
    await stage.revokeTokens();
    const before = minted();
    expect(await askForToken(last)).toMatchObject({ kind: 'refused' });
    expect(minted()).toBe(before);
  });

  it('are not sent, but revoked, if the turn ends while GitHub creates them', async () => {
    const route = 'POST /app/installations/{installation_id}/access_tokens';
    await ask('Why?');
    let late: Promise<LedgerAnswer> | undefined;
    const hold = stage.twin.control.fault({ kind: 'hold', route, times: 1 });
    await stage.answer(async (context, begun) => {
      late = askForToken(begun);
      return talk(context, begun);
    });
    hold.release();
    expect(await late).toMatchObject({ kind: 'refused', reason: 'the attempt is over' });
    expect(stage.state.listWorkerTokens()).toHaveLength(1);
    await stage.revokeTokens();
    expect(stage.state.listWorkerTokens()).toEqual([]);
  });

  it('stay recorded while GitHub cannot revoke them, and are revoked later', async () => {
    const token = await getToken();
    stage.twin.control.fault({ kind: 'error', status: 500, route: 'DELETE /installation/token', times: 1 });
    await stage.revokeTokens();
    expect(stage.state.listWorkerTokens()).toHaveLength(1);
    stage.advance(31_000);
    await stage.revokeTokens();
    expect(await statusOf(token)).toBe(401);
  });
});

describe('switching from a login to a GitHub App and back', () => {
  const posts = async () =>
    (await stage.github.fetchThread(NAME, pr)).comments
      .filter(({ body }) => body.startsWith('Answer'))
      .map(({ author }) => author.login);
  const open = () => stage.state.listTurnsInState('open').length;

  it('continues the open pull request, and keeps earlier comments its own', async () => {
    await setUp({ poster: 'robot' });
    await ask('First?');
    await stage.answer(talk);
    await settle();
    await stage.switchTo(APP_BOT);
    for (let i = 0; i < 3; i += 1) await poll();
    expect(open()).toBe(0);
    await ask('Second?');
    await stage.answer(talk);
    await settle();
    await stage.switchTo('robot');
    for (let i = 0; i < 3; i += 1) await poll();
    expect(open()).toBe(0);
    await ask('Third?');
    await stage.answer(talk);
    await settle();
    expect(await posts()).toEqual(['robot', APP_BOT, 'robot']);
  });

  it('posts a reply once if the login changes between its post and the response', async () => {
    await setUp({ poster: 'robot' });
    await ask('Why?');
    await stage.answer(talk);
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    stage.twin.control.fault({ kind: 'error', status: 502, when: 'after', route, times: 1 });
    await stage.drain();
    await stage.switchTo(APP_BOT);
    for (let i = 0; i < 4; i += 1) {
      await stage.drain();
      stage.advance(30_000);
    }
    expect(await posts()).toEqual(['robot']);
  });

  it('restores the records from posts of both accounts after a database loss', async () => {
    await setUp({ poster: 'robot' });
    await ask('First?');
    await stage.answer(talk);
    await settle();
    await stage.switchTo(APP_BOT);
    await ask('Second?');
    await stage.answer(talk);
    await settle();
    stage.loseState();
    for (let i = 0; i < 20; i += 1) {
      await poll();
      await settle();
    }
    expect(open()).toBe(0);
    expect(await posts()).toEqual(['robot', APP_BOT]);
  });
});
