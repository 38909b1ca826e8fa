import { readPermissions, renderPermissions } from '../fleet/permission-table.js';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';

const MINUTE_MS = 60_000;
const BOT = 'mergexo[bot]';
const DESIGN = 'docs/design/1-greet-politely.md';
const CODE = 'src/greet.js';
const REMARK = 'Please greet strangers too.';
const REQUEST = 'Please rename the parameter to person.';
const FLAKY = 'connect ETIMEDOUT 10.0.0.7:443';

/** The instructions that the agent finds in the body of the issue. */
const SCRIPT = {
  design: {
    title: 'Greet politely',
    summary: 'Adds a greeting.',
    touch_paths: ['src/*'],
    design_doc_markdown: '## Proposal\n\nA function.\n\n## Acceptance criteria\n\n- It greets.\n',
  },
  implement: { [CODE]: 'export const greet = (name) => "Hello " + name;\n' },
  acceptance: [{ criterion: 1, shown_by: [CODE] }],
  review: [
    [{ path: CODE, line: 1, severity: 'high', category: 'edge_cases', body: 'A name may be empty.' }],
    [],
  ],
  fix: [{ write: { [CODE]: 'export const greet = (name) => "Hello " + (name || "you");\n' } }],
  answers: {
    [REMARK]: {
      commit: 'docs: greet strangers',
      replace: { [DESIGN]: ['- It greets.', '- It greets all.'] },
    },
    [REQUEST]: { commit: 'refactor: rename', replace: { [CODE]: ['(name)', '(person)'] }, say: 'Renamed.' },
    [FLAKY]: { flaky: FLAKY },
  },
};

describe('MergeXO as a GitHub App, with tokens that live 60 s and a clock that is 10 minutes ahead', () => {
  let walk: Walk;
  let issue = 0;

  const runs = () =>
    walk.withState((state) => {
      const [repo] = state.listRepositories();
      return repo === undefined ? [] : state.listRunsOfIssue(repo.id, issue);
    });
  /** Throws until the run of this flow waits for people and has no work left. */
  const waitFor = (flow: string, minTurns: number) =>
    walk.until(() => {
      const run = runs().find((one) => one.flow === flow);
      const turns = run ? walk.withState((state) => state.listTurnsOfRun(run.id)) : [];
      const done = turns.filter(({ state }) => state === 'done').length;
      expect([run?.status, done >= minTurns]).toEqual(['awaiting_feedback', true]);
      expect(walk.withState((state) => state.readLiveTurnOfRun(run?.id ?? 0))).toBeUndefined();
    }, 90_000);
  const pullOf = (flow: string) => runs().find((run) => run.flow === flow)?.prNumber ?? 0;
  const expireTokens = () => walk.twin.control.advance(MINUTE_MS);
  const own = async (path: string): Promise<string[]> => {
    const rows = await walk.alice.request('GET', `/repos/${REPO}/${path}?per_page=100`);
    return Array.isArray(rows) ? rows.filter(({ user }) => user.login === BOT).map(({ body }) => body) : [];
  };
  const app = () => walk.twin.app('mergexo');
  const requests = () => walk.twin.history.list('request').filter(({ user }) => user === BOT);

  beforeAll(async () => {
    walk = await createWalk({ appTokenSeconds: 60, review: 'enabled = true' });
    walk.shiftClock(10 * MINUTE_MS);
    walk.startPoller();
    walk.startWorker();
  });
  afterAll(() => walk.closeAndCheck());

  it('opens a design', async () => {
    issue = await walk.alice.openIssue(REPO, {
      title: 'Greet politely',
      body: JSON.stringify(SCRIPT),
      labels: ['agent:design'],
    });
    await waitFor('design_doc', 1);
    const pull = await walk.alice.request('GET', `/repos/${REPO}/pulls/${pullOf('design_doc')}`);
    expect(pull).toMatchObject({ user: { login: BOT, type: 'Bot', id: app().botId } });
  });

  it('says that its installation is suspended, and answers after the suspension', async () => {
    expireTokens();
    app().suspend('alice');
    await walk.alice.comment(REPO, pullOf('design_doc'), REMARK);
    await walk.until(async () => {
      expect((await walk.runCli('status')).output).toContain('is suspended');
    });
    app().unsuspend('alice');
    await waitFor('design_doc', 2);
  });

  it('implements the merged design with its second key, after the first was deleted', async () => {
    expireTokens();
    const [first] = app().keys();
    app().removeKey(first?.id ?? 0);
    await walk.alice.merge(REPO, pullOf('design_doc'));
    await waitFor('implementation', 1);
    const isApproved = () => {
      const [run] = runs();
      const rounds = walk.withState((state) => state.listReviewRounds(run?.repoId ?? 0, run?.prNumber ?? 0));
      expect(rounds.map(({ verdict }) => verdict)).toEqual(['changes_requested', 'approved']);
    };
    await walk.until(isApproved, 90_000);
  });

  it('reruns a failed check', async () => {
    expireTokens();
    const branch = 'agent/impl/1-greet-politely';
    const jobs = [{ name: 'test', log: '' }];
    const id = walk.twin.actions.start(REPO, { branch, by: 'alice', jobs });
    walk.twin.actions.finish(id, 'failure', { log: `${FLAKY}\n` });
    await walk.until(() => expect(walk.twin.world.store.workflowRuns.get(id)?.attempt).toBe(2));
    walk.twin.actions.finish(id, 'success');
  });

  it('answers a review after it was installed again', async () => {
    app().uninstall('alice');
    app().install('alice');
    const before = walk.agentCalls(issue);
    await walk.alice.submitReview(REPO, pullOf('implementation'), {
      event: 'REQUEST_CHANGES',
      body: REQUEST,
      comments: [{ path: CODE, line: 1, body: REQUEST }],
    });
    await walk.until(async () => {
      expect(walk.agentCalls(issue)).toBeGreaterThan(before);
      expect(await own(`pulls/${pullOf('implementation')}/comments`)).toContainEqual(
        expect.stringContaining('Renamed.'),
      );
    }, 90_000);
  });

  it('ends both runs after the merge', async () => {
    await waitFor('implementation', 3);
    expireTokens();
    await walk.alice.merge(REPO, pullOf('implementation'));
    await walk.until(() => expect(runs().map(({ status }) => status)).toEqual(['merged', 'merged']), 90_000);
  });

  it('used many tokens, and needed no other login', () => {
    const minted = requests().filter(({ path, status }) => path.endsWith('/access_tokens') && status === 201);
    expect(minted.length).toBeGreaterThan(5);
    const others = walk.twin.history.list('request').filter(({ user }) => user !== BOT && user !== null);
    expect(others).toEqual([]);
  });

  it('used a documented permission for each request to the repository', () => {
    const refused = requests().filter(
      ({ status, path }) => status === 403 && !path.endsWith('/access_tokens'),
    );
    expect(refused).toEqual([]);
    const unchecked = requests().filter(
      ({ route, permissions, status, token }) =>
        token !== null && status < 400 && route?.includes('/repos/') && permissions.length === 0,
    );
    expect(unchecked).toEqual([]);
  });

  it('needs the permissions that the docs list', () => {
    expect(readPermissions()).toBe(renderPermissions(walk.twin.permissionsUsed()));
  });
});
