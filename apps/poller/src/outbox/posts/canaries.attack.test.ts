import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseConfig } from '@mergexo/config';
import { type Action, ActionContent } from '@mergexo/core/actions';
import { silentLog } from '@mergexo/core/basics';
import { buildBranchName } from '@mergexo/core/flows';
import { buildSlug, createRedact } from '@mergexo/core/text';
import type { PlanParcel, PlanResult } from '@mergexo/core/turns';
import { createGitHub } from '@mergexo/github';
import { openState, type Run, type State } from '@mergexo/state';
import {
  aPlan,
  aPlanWithoutCommit,
  CANARIES,
  CANARY_ROWS,
  createTemporaryDirectory,
  findLeak,
} from '@mergexo/testkit';
import { createPost } from './create-post.js';
import type { PostContext, PostTools } from './post.js';

const redact = createRedact(Object.values(CANARIES));

describe('posts of the outbox', () => {
  const directory = createTemporaryDirectory();
  let server: Server;
  let state: State;
  let run: Run | undefined;
  let tools: PostTools;
  const received: string[] = [];
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      received.push(await text(request));
      response.writeHead(422, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const github = createGitHub({
      apiUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
      token: async () => 'token',
      writable: ['ada/engine'],
      userAgent: 'test',
      throttled: false,
      now: () => Date.now(),
      log: silentLog,
    });
    const viewer = { id: 1, login: 'robot', type: 'User', ids: new Set([1]) };
    tools = {
      github,
      keys: { current: 'k'.repeat(64), older: [] },
      viewer,
      reviewer: () => undefined,
      redact,
    };
    state = openState(`${directory.path}/state.db`, redact);
    state.saveRepository({ id: 1, owner: 'ada', name: 'engine', defaultBranch: 'main' });
    const branch = 'agent/bugfix/7-x';
    const about = { repoId: 1, issueNumber: 7, flow: 'bugfix', issueTitle: 'x', ordinal: 1 } as const;
    run = state.recordRun({ ...about, branch, designDocPath: null }, 0);
  });
  afterAll(async () => {
    state.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    directory.remove();
  });

  /** Sends the post, and returns the request body that GitHub receives. */
  const send = async (action: Action, parcel: PlanParcel, result: PlanResult): Promise<string> => {
    received.length = 0;
    const context = aContext({ run, plan: { ...parcel.plan, result } });
    // The server rejects each post, because only the request matters.
    await expect(createPost(tools, action, context).send()).rejects.toThrow();
    return received.join('\n');
  };

  it.each(CANARY_ROWS)('contain no trace of $name $encoding', async ({ secret, text: hidden }) => {
    const words = `I found ${hidden} there.`;
    const parcel = aPlanWithoutCommit('x');
    const replies = [{ commentId: 3, rootId: 3, body: words }];
    const answer = { kind: 'answer', replies, general: words } as const;
    const pull: PlanResult = {
      kind: 'pull',
      title: words,
      summary: words,
      design: null,
      acceptance: [{ text: words, shownBy: [hidden] }],
    };
    const title = state.redact(words);
    const outlets = {
      'a comment': await send(anAction('command_reply', { text: words }), parcel, answer),
      'a general comment': await send(anAction('general_comment', null), parcel, answer),
      'a reply on a line': await send(anAction('review_reply', null, 'review:3'), parcel, answer),
      'a wait comment': await send(anAction('wait_comment', null), parcel, {
        kind: 'wait',
        waitKind: 'agent_blocked',
        reason: words,
      }),
      'the title and body of a pull request': await send(anAction('open_pull', null), aPlan('x'), pull),
      'the name of a branch': buildBranchName({
        flow: 'bugfix',
        issueNumber: 7,
        slug: buildSlug(title),
        ordinal: 1,
      }),
    };
    const leaks = Object.entries(outlets).map(([name, sent]) => [
      name,
      findLeak(sent, { secret, text: hidden }),
    ]);
    expect(leaks.filter(([, leak]) => leak !== undefined)).toEqual([]);
    expect(Object.values(outlets).every((sent) => sent.includes('redacted'))).toBe(true);
  });
});

function anAction(kind: Action['kind'], payload: { text: string } | null, target = 'run:1'): Action {
  const place = { id: 'i', repoId: 1, turnKey: null, thread: 7, position: 0, target } as const;
  const progress = { state: 'planned', remoteId: null, sends: 0, error: null } as const;
  return { ...place, ...progress, ...ActionContent.parse({ kind, payload }) };
}

function aContext(parts: Pick<PostContext, 'run' | 'plan'>): PostContext {
  const [config] = parseConfig('[repo.engine]\nowner = "ada"\nname = "engine"\n', { homeDir: '/' }).repos;
  if (config === undefined) throw new Error('the config has a repository');
  return {
    ...parts,
    repo: { id: 1, config },
    turn: undefined,
    pull: undefined,
    feedback: undefined,
    generalUrl: null,
    start: undefined,
    followup: undefined,
    review: undefined,
    receipt: undefined,
  };
}
