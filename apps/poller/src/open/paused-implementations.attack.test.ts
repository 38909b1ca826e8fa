import { join } from 'node:path';
import { parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { ALL } from '@mergexo/core/runs';
import { createGitHub, type Issue } from '@mergexo/github';
import { openState, type State } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { pauseWork, resumeWork } from '../lifecycle/pause.js';
import { type ScheduleTools, scheduleImplementations } from './schedule-implementations.js';

const CONFIG = parseConfig('[repo.a]\nowner = "o"\nname = "a"\n[repo.b]\nowner = "o"\nname = "b"\n', {
  homeDir: '/',
});
const REPOS = CONFIG.repos.map((config, index) => ({ id: index + 1, config }));
const SCOPE = { repoId: 1, issueNumber: ALL, by: 'cli', reason: null };

describe('merged designs of a paused repository', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  let tools: ScheduleTools;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    const github = createGitHub({
      ...{ apiUrl: 'http://127.0.0.1:9', token: async () => 't', writable: [], userAgent: 'test' },
      ...{ throttled: false, now: () => 1, log: silentLog },
    });
    tools = {
      ...{ state, now: () => 1, log: silentLog, recentMs: 0, windowMs: 1, debounceMs: 0 },
      ...{ weights: CONFIG.scheduler, limits: CONFIG.limits, maxConcurrent: 1 },
      isInRebuildWindow: () => false,
      keys: { current: 'k'.repeat(64), older: [] },
      viewer: { id: 9, login: 'bot', type: 'User', ids: new Set([9]) },
      github: {
        ...github,
        refreshThread: async () => ({ issue: anIssue(), comments: [] }),
        fetchBranchHead: async () => null,
      },
    };
    for (const { id: repoId } of REPOS) {
      state.saveRepository({ id: repoId, owner: 'o', name: `n${repoId}`, defaultBranch: 'main' });
      const about = { repoId, issueNumber: 7, flow: 'implementation' as const, ordinal: 1, issueTitle: 't' };
      state.recordRun({ ...about, branch: 'agent/impl/7-t', designDocPath: 'docs/design/7.md' }, repoId);
    }
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const pause = () => state.transaction(() => pauseWork(tools, SCOPE));
  const list = () =>
    REPOS.map(({ id }) => state.listRuns(id, ['ready', 'running']).map(({ status }) => status)[0]);

  it('start no work and use no place of other repositories', async () => {
    pause();
    await scheduleImplementations(tools, REPOS);
    expect(list()).toEqual(['ready', 'running']);
  });

  it('give back their places if their agents have not started', async () => {
    await scheduleImplementations(tools, REPOS);
    expect(list()).toEqual(['running', 'ready']);
    pause();
    await scheduleImplementations(tools, REPOS);
    expect(list()).toEqual(['running', 'running']);
  });

  it('start after the resume', async () => {
    pause();
    await scheduleImplementations(tools, REPOS.slice(0, 1));
    expect(list()[0]).toBe('ready');
    state.transaction(() => resumeWork(tools, SCOPE));
    await scheduleImplementations(tools, REPOS.slice(0, 1));
    expect(list()[0]).toBe('running');
  });
});

function anIssue(): Issue {
  return {
    ...{
      number: 7,
      title: 't',
      body: '',
      author: { id: 1, login: 'o', type: 'User' },
      labels: [],
      association: 'OWNER',
      open: true,
    },
    ...{ url: 'https://github.test/o/n/issues/7', isPullRequest: false, mergedAt: null, commentCount: 0 },
    blockedBy: 0,
    ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-02T00:00:00Z' },
  };
}
