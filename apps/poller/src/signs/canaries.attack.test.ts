import { parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { createRedact } from '@mergexo/core/text';
import { createGitHub, type GitHub } from '@mergexo/github';
import { openState, type State } from '@mergexo/state';
import { CANARIES, CANARY_ROWS, createTemporaryDirectory, findLeak } from '@mergexo/testkit';
import { createWriteBudget } from '../tools/write-budget.js';
import { createSigner } from './create-signer.js';

const redact = createRedact(Object.values(CANARIES));
const [config] = parseConfig('[repo.engine]\nowner = "ada"\nname = "engine"\n', { homeDir: '/' }).repos;

describe('the status comment', () => {
  const directory = createTemporaryDirectory();
  let state: State;
  /** The comment of each issue. The number of an issue is the position of its canary. */
  const comments = new Map<number, string>();
  beforeAll(async () => {
    // This database is written without redaction, as if it were older than the secrets.
    state = openState(`${directory.path}/state.db`);
    state.saveRepository({ id: 1, owner: 'ada', name: 'engine', defaultBranch: 'main' });
    state.saveFeed({ repoId: 1, name: 'issues', cursor: null, etag: null }, 0);
    state.transaction(() => {
      for (const [issueNumber, { text }] of CANARY_ROWS.entries()) {
        const about = { repoId: 1, issueNumber, flow: 'bugfix', issueTitle: text, ordinal: 1 } as const;
        const run = state.recordRun({ ...about, branch: `b${issueNumber}`, designDocPath: null }, 0);
        if (run !== undefined)
          state.saveRun({ ...run, blockedKind: 'max_turns_per_run', error: `it failed: ${text}` }, 0);
      }
    });
    await signAll(state, comments);
  });
  afterAll(() => {
    state.close();
    directory.remove();
  });

  it.each([...CANARY_ROWS.entries()].map(([issue, row]) => ({ issue, ...row })))(
    'contains no trace of $name $encoding',
    ({ issue, secret, text }) => {
      const body = comments.get(issue) ?? '';
      expect(findLeak(body, { secret, text })).toBeUndefined();
      expect(body).toContain('[redacted]');
    },
  );
});

/** Posts the status comments of all issues, and keeps each in `comments` instead of sending it. */
async function signAll(state: State, comments: Map<number, string>): Promise<void> {
  if (config === undefined) throw new Error('the config has a repository');
  const repo = { id: 1, config: { ...config, signs: { reactions: false, statusComment: true } } };
  const now = () => 1_000;
  const connection = {
    apiUrl: 'http://127.0.0.1:9',
    token: async () => 't',
    writable: [],
    userAgent: 'test',
  };
  const github: GitHub = {
    ...createGitHub({ ...connection, throttled: false, now, log: silentLog }),
    fetchThread: async () => Object.create({ comments: [] }),
    refreshThread: async () => Object.create({ comments: [] }),
    postStatusComment: async (_repo, number, body) => {
      comments.set(number, body);
      return { id: number + 1 };
    },
  };
  const budget = createWriteBudget({
    state,
    now,
    writesPerHour: () => Number.POSITIVE_INFINITY,
    monotonicNow: now,
  });
  const viewer = { id: 1, login: 'robot', type: 'User', ids: new Set([1]) };
  const keys = { current: 'k'.repeat(64), older: [] };
  const tools = { state, now, monotonicNow: now, log: silentLog, redact, keys, viewer, budget, github };
  const waits = { windowMs: 0, spacingMs: 0, settleMs: 0, sleep: async () => {}, isStopping: () => false };
  await createSigner({ ...tools, ...waits, repos: () => [repo] }).sign();
}
