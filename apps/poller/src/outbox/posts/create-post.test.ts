import { createServer, type Server } from 'node:http';
import { parseConfig } from '@mergexo/config';
import { ACTION_KINDS, type Action, ActionContent, type ActionKind } from '@mergexo/core/actions';
import { silentLog } from '@mergexo/core/basics';
import type { EventKind } from '@mergexo/core/feedback';
import { createGitHub } from '@mergexo/github';
import { aPlanWithoutCommit } from '@mergexo/testkit';
import { kindsOf } from '../../threads/find-ownership.js';
import { createPost } from './create-post.js';
import type { PostContext, PostTools } from './post.js';

/** Requests that create a comment or review on GitHub, with the event kind under which polling records each one. */
const REQUESTS: readonly [RegExp, EventKind][] = [
  [/^POST \/repos\/ada\/engine\/issues\/7\/comments$/, 'issue'],
  [/^POST \/repos\/ada\/engine\/pulls\/7\/comments\/3\/replies$/, 'review'],
  [/^POST \/repos\/ada\/engine\/pulls\/7\/reviews$/, 'review_summary'],
];

const TARGETS: Partial<Record<ActionKind, string>> = {
  review_reply: 'review:3',
  finding_reply: 'finding:1:3',
  resolve_thread: 'finding:1:3',
  thread_link: 'link:3',
  rerun_checks: 'checks:1:1',
};

const text = 'Words.';
const PAYLOADS = [
  { text },
  { text, acceptedHeadSha: null },
  { headSha: 'a'.repeat(40) },
  { label: 'l' },
  { login: 'ada' },
  { drift: [] },
  null,
];

/** Returns a valid payload for the kind. */
function aContent(kind: ActionKind): ActionContent {
  for (const payload of PAYLOADS) {
    const { data } = ActionContent.safeParse({ kind, payload });
    if (data !== undefined) return data;
  }
  throw new Error(`no payload fits ${kind}`);
}

const anAction = (kind: ActionKind): Action => ({
  id: 'i',
  repoId: 1,
  turnKey: null,
  thread: 7,
  position: 0,
  target: TARGETS[kind] ?? 'run:1',
  state: 'planned',
  remoteId: null,
  sends: 0,
  error: null,
  ...aContent(kind),
});

describe('createPost', () => {
  let server: Server;
  let tools: PostTools;
  let requests: string[];
  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":5,"html_url":"x"}');
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
    const keys = { current: 'secret', older: [] };
    tools = { github, keys, viewer, reviewer: () => undefined, redact: (text) => text };
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const listPosted = async (kind: ActionKind): Promise<EventKind[]> => {
    try {
      await createPost(tools, anAction(kind), aContext()).send();
    } catch {
      // The test server supports only some responses, so other kinds may fail. Only the requests matter.
    }
    return REQUESTS.filter(([request]) => requests.some((sent) => request.test(sent))).map(
      ([, event]) => event,
    );
  };

  // A review needs a frozen plan and has its own test below.
  it.each(ACTION_KINDS.filter((kind) => kind !== 'post_review'))(
    'recognizes the comment that %s posts as our own',
    async (kind) => {
      const recognised = REQUESTS.map(([, event]) => event).filter((event) => kindsOf(event).includes(kind));
      expect(await listPosted(kind)).toEqual(recognised);
    },
  );

  it('recognizes our own reviews', () => {
    expect(kindsOf('review_summary')).toEqual(['post_review']);
  });
});

function aContext(): PostContext {
  const [config] = parseConfig('[repo.engine]\nowner = "ada"\nname = "engine"\n', { homeDir: '/' }).repos;
  if (config === undefined) throw new Error('the test config has no repository');
  const replies = [{ commentId: 3, rootId: 3, body: 'Yes.' }];
  return {
    repo: { id: 1, config },
    turn: undefined,
    run: undefined,
    plan: { ...aPlanWithoutCommit('answer').plan, result: { kind: 'answer', replies, general: 'All.' } },
    pull: undefined,
    feedback: undefined,
    generalUrl: 'https://github.test/ada/engine/pull/7#issuecomment-1',
    start: undefined,
    followup: undefined,
    review: undefined,
    receipt: undefined,
  };
}
