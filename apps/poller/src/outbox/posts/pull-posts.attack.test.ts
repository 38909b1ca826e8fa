import { join } from 'node:path';
import { parseConfig } from '@mergexo/config';
import type { Action } from '@mergexo/core/actions';
import { silentLog } from '@mergexo/core/basics';
import { createGitHub, type PullRequest } from '@mergexo/github';
import { openState, type Run } from '@mergexo/state';
import { aPlan, aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { createPost } from './create-post.js';
import type { PostContext } from './post.js';

const ROBOT = { id: 1, login: 'robot', type: 'User' };
const STRANGER = { id: 666, login: 'mallory', type: 'User' };
const keys = { current: 'k'.repeat(64), older: [] };
const plan = {
  ...aPlan('p').plan,
  result: { kind: 'pull' as const, title: 't', summary: 's', design: null },
};
const turn = aTurn({});
const branch = plan.commit?.branch ?? '';
const action: Action = {
  id: 'i',
  repoId: 1,
  turnKey: null,
  thread: 7,
  position: 0,
  target: `branch:${branch}`,
  state: 'planned',
  remoteId: null,
  sends: 0,
  error: null,
  kind: 'open_pull',
  payload: null,
};

describe('a pull request from the branch', () => {
  let listed: PullRequest[];
  let posted: string;
  beforeEach(() => {
    listed = [];
    posted = '';
  });

  const aPull = (change: Partial<PullRequest>): PullRequest => ({
    ...{
      number: 6,
      title: 't',
      body: 'x',
      state: 'open',
      status: 'open' as const,
      draft: false,
      author: STRANGER,
      association: 'NONE',
    },
    ...{ headSha: 'a'.repeat(40), headRef: branch, headRepoId: 1, baseRef: 'main', mergeCommitSha: null },
    ...{ mergedAt: null, labels: [], url: 'https://github.test/pull/6', createdAt: '', updatedAt: '' },
    ...change,
  });
  const createPull = () => {
    const github = createGitHub({
      ...{
        apiUrl: 'http://127.0.0.1:9',
        token: async () => 't',
        writable: ['ada/engine'],
        userAgent: 'test',
      },
      ...{ throttled: false, now: () => 1, log: silentLog },
    });
    const tools = {
      github: {
        ...github,
        fetchPullsOfBranch: async () => listed,
        postPull: async (_repo: string, { body }: { body: string }) => {
          posted = body;
          return aPull({ number: 5 });
        },
      },
      ...{ keys, viewer: { ...ROBOT, ids: new Set([1]) }, reviewer: () => undefined },
      redact: (text: string) => text,
    };
    return createPost(tools, action, aContext());
  };
  const signed = async (): Promise<string> => {
    await createPull().send();
    return posted.split('\n').slice(-2).join('\n');
  };

  it.each([
    ['a stranger opened it', {}],
    ['a stranger opened it from a fork', { headRepoId: 999 }],
    ['MergeXO opened it from a fork', { author: ROBOT, headRepoId: 999 }],
  ])(
    'does not belong to MergeXO, although it contains lines that MergeXO signed, if %s',
    async (_name, change) => {
      listed = [aPull({ ...change, body: `Evil summary\n\nCloses #1\n\n${await signed()}` })];
      expect((await createPull().find()).kind).not.toBe('ours');
    },
  );

  it('belongs to MergeXO if MergeXO opened it from the same repository', async () => {
    listed = [aPull({}), aPull({ number: 8, author: ROBOT, body: `Summary\n\n${await signed()}` })];
    expect(await createPull().find()).toMatchObject({ kind: 'ours', remoteId: 8 });
  });

  it.each([
    ['for another base branch', { baseRef: 'gh-pages' }],
    ['from a fork', { headRepoId: 999 }],
    ['from a deleted fork', { headRepoId: null }],
    ['and closed it', { status: 'closed' as const }],
  ])('does not block the work if they opened it %s', async (_name, change) => {
    listed = [aPull(change)];
    expect(await createPull().find()).toEqual({ kind: 'absent' });
  });

  it('blocks the work if GitHub would refuse a second one', async () => {
    listed = [aPull({})];
    expect(await createPull().find()).toMatchObject({ kind: 'foreign' });
  });
});

function aRun(): Run | undefined {
  const directory = createTemporaryDirectory();
  const state = openState(join(directory.path, 'state.db'));
  try {
    state.saveRepository({ id: 1, owner: 'ada', name: 'engine', defaultBranch: 'main' });
    const about = { repoId: 1, issueNumber: 7, flow: 'bugfix' as const, ordinal: 1, issueTitle: 't' };
    return state.recordRun({ ...about, branch, designDocPath: null }, 1);
  } finally {
    state.close();
    directory.remove();
  }
}

function aContext(): PostContext {
  const [config] = parseConfig('[repo.engine]\nowner = "ada"\nname = "engine"\n', { homeDir: '/' }).repos;
  if (config === undefined) throw new Error('the test config has no repository');
  return {
    repo: { id: 1, config },
    plan,
    run: aRun(),
    turn,
    ...{ pull: undefined, feedback: undefined, generalUrl: null },
    ...{ start: undefined, followup: undefined, review: undefined, receipt: undefined },
  };
}
