import { ACTION_KINDS, type ActionKind } from '@mergexo/core/actions';
import { silentLog } from '@mergexo/core/basics';
import { buildBranchName } from '@mergexo/core/flows';
import { buildSlug, createRedact } from '@mergexo/core/text';
import { createGitHub, type GitHub } from '@mergexo/github';
import { openState, type Pull, type Run, type State } from '@mergexo/state';
import { aPlan, CANARIES, CANARY_ROWS, createTemporaryDirectory, findLeak } from '@mergexo/testkit';
import { createPost } from './create-post.js';
import type { PostTools } from './post.js';
import {
  aCanaryAction,
  aCanaryContext,
  aPullOnGitHub,
  CANARY_BRANCH,
  OUTLETS,
} from './testing/canary-post.js';

const redact = createRedact(Object.values(CANARIES));
const keys = { current: 'k'.repeat(64), older: [] };

describe('posts of the outbox', () => {
  const directory = createTemporaryDirectory();
  let state: State;
  let run: Run | undefined;
  let pull: Pull | undefined;
  let received: string[] = [];
  const viewer = { id: 1, login: 'robot', type: 'User', ids: new Set([1]) };
  // As a GitHub App, MergeXO also shows the findings of a review in a check run.
  const login = { keys, viewer, reviewer: () => undefined, postsChecks: true };
  const tools: PostTools = { github: recordWrites(), ...login, redact };
  beforeAll(() => {
    state = openState(`${directory.path}/state.db`, redact);
    state.saveRepository({ id: 1, owner: 'ada', name: 'engine', defaultBranch: 'main' });
    const about = { repoId: 1, issueNumber: 7, branch: CANARY_BRANCH } as const;
    run = state.recordRun({ ...about, flow: 'bugfix', issueTitle: 'x', ordinal: 1, designDocPath: null }, 0);
    state.recordPull({ ...about, prNumber: 7, runId: run?.id ?? 0, headSha: 'a'.repeat(40), url: 'u' }, 0);
    pull = state.readPull(1, 7);
  });
  afterAll(() => {
    state.close();
    directory.remove();
  });

  /** A client that records the content of each write instead of sending it. */
  function recordWrites(): GitHub {
    const record = async (...content: unknown[]): Promise<never> => {
      received.push(JSON.stringify(content));
      throw new Error('recorded');
    };
    const connection = {
      apiUrl: 'http://127.0.0.1:9',
      token: async () => 't',
      writable: [],
      userAgent: 'test',
    };
    return {
      ...createGitHub({ ...connection, throttled: false, now: () => 0, log: silentLog }),
      fetchPull: async () => aPullOnGitHub(keys),
      postIssueComment: record,
      postReviewReply: record,
      postReview: record,
      postCheckRun: record,
      postPull: record,
      updatePullBody: record,
    };
  }

  /** Returns the content that MergeXO would send. Undefined for a post without text by an agent. */
  const send = async (kind: ActionKind, words: string): Promise<string | undefined> => {
    const outlet = OUTLETS[kind];
    if (outlet === null) return undefined;
    received = [];
    const context = aCanaryContext(kind, words, { run, pull, plan: aPlan('x').plan });
    await expect(createPost(tools, aCanaryAction(kind, outlet, words), context).send()).rejects.toThrow(
      'recorded',
    );
    return received.join('\n');
  };

  it.each(CANARY_ROWS)('contain no trace of $name $encoding', async ({ secret, text: hidden }) => {
    const words = `I found ${hidden} there.`;
    const branch = {
      flow: 'bugfix',
      issueNumber: 7,
      slug: buildSlug(state.redact(words)),
      ordinal: 1,
    } as const;
    const outlets: [string, string][] = [['the name of a branch', buildBranchName(branch)]];
    for (const kind of ACTION_KINDS) {
      const sent = await send(kind, words);
      if (sent !== undefined) outlets.push([kind, sent]);
    }
    const found = outlets.map(([name, sent]) => [
      name,
      findLeak(sent, { secret, text: hidden }),
      sent.includes('redacted'),
    ]);
    expect(found).toEqual(outlets.map(([name]) => [name, undefined, true]));
  });
});
