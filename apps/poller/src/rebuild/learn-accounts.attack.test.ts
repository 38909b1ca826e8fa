import { parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { signBody } from '@mergexo/core/outbox';
import { createGitHub, type PullRequest } from '@mergexo/github';
import { openState, type State } from '@mergexo/state';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { learnAccounts } from './learn-accounts.js';

const APP = { id: 1, login: 'mergexo[bot]', type: 'Bot' };
const EARLIER = { id: 2, login: 'robot', type: 'User' };
const MALLORY = { id: 666, login: 'mallory', type: 'User' };
const BRANCH = 'agent/7-fix';
const keys = { current: 'k'.repeat(64), older: [] };
const place = { repoId: 1, thread: `branch:${BRANCH}` };
const SIGNED = signBody('Fixes it.', { meta: { run: 'bugfix:7:1' }, place, keys });

describe('the accounts that MergeXO learns after a database loss', () => {
  const pathTo = useTemporaryDirectory();
  let state: State;
  beforeEach(() => {
    state = openState(pathTo('state.db'));
    state.saveRepository({ id: 1, owner: 'ada', name: 'engine', defaultBranch: 'main' });
  });
  afterEach(() => state.close());

  const aPull = (number: number, change: Partial<PullRequest>): PullRequest => ({
    ...{ number, title: 't', body: SIGNED, state: 'closed', status: 'closed' as const, draft: false },
    ...{ author: MALLORY, association: 'COLLABORATOR', headSha: 'a'.repeat(40), headRef: BRANCH },
    ...{ headRepoId: 1, baseRef: 'main', mergeCommitSha: null, mergedAt: null, labels: [], url: '' },
    ...{ createdAt: '', updatedAt: '' },
    ...change,
  });
  /** `ofBranch`: all pull requests of the branch, if the list lacks some of them. */
  const learn = async (listed: PullRequest[], ofBranch = listed): Promise<number[]> => {
    const [config] = parseConfig('[repo.engine]\nowner = "ada"\nname = "engine"\n', { homeDir: '/' }).repos;
    if (config === undefined) throw new Error('the config has no repository');
    const github = createGitHub({
      ...{ apiUrl: 'http://127.0.0.1:9', token: async () => 't', writable: [], userAgent: 'test' },
      ...{ throttled: false, now: () => 1, log: silentLog },
    });
    const sorted = [...ofBranch].sort((one, other) => one.number - other.number);
    const answering = { ...github, fetchPullsOfBranch: async () => sorted };
    const tools = { state, github: answering, keys, log: silentLog, now: () => 1 };
    await learnAccounts({ ...tools, viewer: { ...APP, ids: new Set([APP.id]) } }, { id: 1, config }, listed);
    return state.listAccounts(1);
  };

  it('contain the author of an earlier pull request with a signed body', async () => {
    expect(await learn([aPull(5, { author: EARLIER })])).toEqual([EARLIER.id]);
  });

  it('do not contain somebody who copied the body into a new pull request', async () => {
    expect(await learn([aPull(6, {}), aPull(5, { author: EARLIER })])).toEqual([EARLIER.id]);
  });

  it('do not contain somebody who copied the body into an older pull request of the same branch', async () => {
    expect(await learn([aPull(4, {}), aPull(5, { author: APP })])).toEqual([]);
  });

  it('do not contain somebody who copied the body of a pull request that is too old for the list', async () => {
    expect(await learn([aPull(6, {})], [aPull(6, {}), aPull(5, { author: EARLIER })])).toEqual([]);
  });

  it('do not contain somebody who also removed the signature from the original', async () => {
    expect(await learn([aPull(6, {}), aPull(5, { author: EARLIER, body: 'x' })])).toEqual([]);
    expect(await learn([aPull(4, {}), aPull(5, { author: APP, body: 'x' })])).toEqual([]);
  });

  it.each<[string, Partial<PullRequest>]>([
    ['another branch', { headRef: 'agent/8-other' }],
    ['a fork', { headRepoId: 9 }],
    ['a branch that is not an agent’s', { headRef: 'fix' }],
    ['a changed signature', { body: SIGNED.replace('bugfix:7', 'bugfix:8') }],
  ])('do not contain somebody who copied the body to %s', async (_name, change) => {
    expect(await learn([aPull(5, change)])).toEqual([]);
  });
});
