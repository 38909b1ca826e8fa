import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '@mergexo/state';
import { z } from 'zod';
import { collectCommandless } from './commandless-story.js';
import { normalisePrompt } from './normalise-prompt.js';
import { CODE, PROMPT_WORLDS, type PromptWorld } from './prompt-worlds.js';
import { readJsonLines } from './read-json-lines.js';
import { type AgentCall, createWalk, REPO, type Walk } from './walk.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const PATIENCE_MS = 120_000;

export type PromptStory = keyof typeof PROMPT_WORLDS | 'commandless';

/** Plays a story with real programs, and returns the prompts that its agents got, by name. */
export async function collectPrompts(name: PromptStory): Promise<Record<string, string>> {
  if (name === 'commandless') {
    const { prompt, ...walk } = await collectCommandless();
    return { bugfix_start: normalisePrompt(prompt, placesOf(walk)) };
  }
  const world = PROMPT_WORLDS[name];
  const { files, repoKeys, agentKeys, script } = world;
  const walk = await createWalk({
    files,
    repoKeys,
    agentKeys,
    script,
    review: 'enabled = true',
    debounceSeconds: 1,
  });
  try {
    walk.startPoller();
    walk.startWorker();
    const issue = await openIssues(walk, world);
    await playDesign(walk, world, issue);
    await playImplementation(walk, world, issue);
    const fix = await walk.alice.openIssue(REPO, { title: 'Uploads fail', labels: ['agent:bugfix'] });
    const question = await walk.alice.openIssue(REPO, {
      title: 'Uploads fail on Sundays',
      labels: ['agent:bugfix'],
    });
    const job = await walk.alice.openIssue(REPO, { title: 'Rename upload', labels: ['agent:small-job'] });
    await untilAsked(walk, question, 1);
    await walk.alice.comment(REPO, question, world.reply);
    const starts = [fix, question, job];
    const readStarts = () =>
      starts.flatMap((number) => readCalls(walk, number)).filter(({ kind }) => kind.endsWith('_start'));
    await walk.until(() => {
      if (starts.some((number) => typeof runsOf(walk, number)[0]?.prNumber !== 'number'))
        throw new Error('not all issues have a pull request');
    }, PATIENCE_MS);
    const places = placesOf({ base: walk.base, url: walk.twin.url });
    return namePrompts(places, [...readCalls(walk, issue), ...readStarts()]);
  } finally {
    await walk.closeAndCheck();
  }
}

/** Opens the linked issues, then the story's issue with its comments. MergeXO starts when the label is added. */
async function openIssues({ alice, twin }: Walk, world: PromptWorld): Promise<number> {
  const mentions: string[] = [];
  for (const body of world.linked)
    mentions.push(`#${await alice.openIssue(REPO, { title: 'A related problem', body })}`);
  const images = Array.from(
    { length: world.uploads },
    () => `![screenshot](${twin.control.upload({ bytes: PNG })})`,
  );
  const foreign = world.uploads > 0 ? ['![graph](https://images.example/graph.png)'] : [];
  const related = mentions.length > 0 ? [`See ${mentions.join(', ')}.`] : [];
  const body = [...related, ...images, ...foreign, world.issue].join('\n\n');
  const issue = await alice.openIssue(REPO, { title: 'Retry uploads', body });
  for (const comment of world.issueComments) await alice.comment(REPO, issue, comment);
  await alice.label(REPO, issue, 'agent:design');
  return issue;
}

async function playDesign(walk: Walk, { designComments }: PromptWorld, issue: number): Promise<void> {
  await untilAsked(walk, issue, 1);
  const design = pullOf(walk, issue);
  for (const [index, comment] of designComments.entries()) {
    await walk.alice.comment(REPO, design, comment);
    await untilAsked(walk, issue, 2 + index);
  }
  await walk.alice.merge(REPO, design);
}

async function playImplementation(walk: Walk, world: PromptWorld, issue: number): Promise<void> {
  const { alice, twin } = walk;
  const { lineComment, pullComments, log, annotations } = world;
  // The design and its comments, then the start, review, verification, fix and second review of the implementation.
  let asked = 1 + world.designComments.length + 5;
  await untilAsked(walk, issue, asked);
  const pr = pullOf(walk, issue);
  const comments = lineComment && [
    { path: CODE, start_line: lineComment.line - 1, line: lineComment.line, body: lineComment.body },
  ];
  if (world.dismissed !== null) await resolveThread(walk, pr, await findComment(walk, pr, world.dismissed));
  for (const comment of pullComments) await alice.comment(REPO, pr, comment);
  if (comments !== null) await alice.submitReview(REPO, pr, { body: 'One remark.', comments });
  // The agent changes a line for the line comment, and the reviewer reads that commit.
  asked += lineComment === null ? 1 : 2;
  await untilAsked(walk, issue, asked);
  if (lineComment !== null) {
    const first = await findComment(walk, pr, lineComment.body);
    if (lineComment.isResolved) await resolveThread(walk, pr, first);
    await alice.reply(REPO, first, lineComment.reply);
    asked += 1;
    await untilAsked(walk, issue, asked);
  }
  if (log !== null) {
    const branch = runsOf(walk, issue).find(({ prNumber }) => prNumber === pr)?.branch ?? '';
    const run = twin.actions.start(REPO, { branch, by: 'robot' });
    twin.actions.finish(run, 'failure', { log, annotations: annotations.map(toAnnotation) });
    asked += 1;
    await untilAsked(walk, issue, asked);
  }
  await alice.pushFiles(REPO, 'main', { [CODE]: '// Somebody else wrote this file too.\n' });
  await alice.comment(REPO, pr, '/mergexo update');
  // The agent resolves the conflict, and the reviewer reads the merge.
  asked += 2;
  await untilAsked(walk, issue, asked);
  if (world.checks.length === 0) return;
  await pushChecked(walk, { issue, pr, checks: world.checks });
  await untilAsked(walk, issue, asked + 1);
}

const toAnnotation = (message: string, index: number) => ({
  path: CODE,
  start_line: index + 1,
  end_line: index + 1,
  annotation_level: 'failure' as const,
  message,
});

/** Pushes a commit to the pull request, and resumes the work only when its checks have passed. */
async function pushChecked(
  walk: Walk,
  { issue, pr, checks }: { issue: number; pr: number; checks: readonly string[] },
): Promise<void> {
  const { alice } = walk;
  await walk.runCli('pause', '--repo', REPO);
  const run = runsOf(walk, issue).find(({ prNumber }) => prNumber === pr);
  const sha = await alice.pushFiles(REPO, run?.branch ?? '', { 'docs/notes.md': 'Notes.\n' });
  for (const context of checks)
    await alice.request('POST', `/repos/${REPO}/statuses/${sha}`, { state: 'success', context });
  await walk.until(() => {
    const known = walk.withState((state) => state.readPull(run?.repoId ?? 0, pr)?.checks ?? []);
    if (known.length !== checks.length) throw new Error(`${known.length} checks are known`);
  }, PATIENCE_MS);
  await walk.runCli('resume', '--repo', REPO);
}

/** Returns the id of the first line comment that contains the text. */
async function findComment({ alice }: Walk, pr: number, text: string): Promise<number> {
  const rows = await alice.request('GET', `/repos/${REPO}/pulls/${pr}/comments?per_page=100`);
  const found = Array.isArray(rows) ? rows.find(({ body }) => String(body).includes(text)) : undefined;
  if (found === undefined) throw new Error(`no line comment contains ${text}`);
  return Number(found.id);
}

const THREADS = `query($number: Int!) { repository(owner: "alice", name: "app") { pullRequest(number: $number) {
  reviewThreads(first: 100) { nodes { id comments(first: 1) { nodes { databaseId } } } } } } }`;
const Thread = z.object({
  id: z.string(),
  comments: z.object({ nodes: z.array(z.object({ databaseId: z.int() })) }),
});
const ReviewThreads = z.object({ nodes: z.array(Thread) });
const PullRequest = z.object({ reviewThreads: ReviewThreads });
const Threads = z.object({ data: z.object({ repository: z.object({ pullRequest: PullRequest }) }) });
const RESOLVE =
  'mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }';

/** Resolves a person's thread, which only GitHub's GraphQL API can do. */
async function resolveThread({ twin }: Walk, pr: number, commentId: number): Promise<void> {
  const ask = async (query: string, variables: object) => {
    const response = await fetch(`${twin.apiUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${twin.tokens['alice']}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return response.json();
  };
  const { data } = Threads.parse(await ask(THREADS, { number: pr }));
  const { nodes } = data.repository.pullRequest.reviewThreads;
  const thread = nodes.find(({ comments }) => comments.nodes[0]?.databaseId === commentId);
  await ask(RESOLVE, { id: thread?.id });
}

function runsOf(walk: Walk, issue: number): Run[] {
  return walk.withState((state) =>
    state.listRepositories().flatMap((repo) => state.listRunsOfIssue(repo.id, issue)),
  );
}

/** Returns the newest pull request for the issue. */
function pullOf(walk: Walk, issue: number): number {
  const numbers = runsOf(walk, issue).flatMap(({ prNumber }) => prNumber ?? []);
  if (numbers.length === 0) throw new Error(`issue ${issue} has no pull request`);
  return Math.max(...numbers);
}

/** Waits until the issue's agents have been called this many times and nothing is left to do. */
async function untilAsked(walk: Walk, issue: number, count: number): Promise<void> {
  await walk.until(() => {
    const calls = readCalls(walk, issue);
    if (calls.length !== count) throw new Error(`${count} calls expected: ${calls.map(({ kind }) => kind)}`);
    const isBusy = walk.withState((state) =>
      runsOf(walk, issue).some(
        ({ id, repoId, prNumber }) =>
          state.readLiveTurnOfRun(id) !== undefined ||
          [issue, prNumber ?? issue].some((thread) => state.hasUnsettledActions(repoId, thread)),
      ),
    );
    if (isBusy) throw new Error('MergeXO is still working');
  }, PATIENCE_MS);
}

/** Reads the calls of the issue's coding agent, reviewer and verifier, in order. */
function readCalls(walk: Walk, issue: number): AgentCall[] {
  const root = join(walk.base, 'agents', 'alice', 'app');
  const homes = readdirSync(root).filter((name) => new RegExp(`^${issue}(?:-|$)`).test(name));
  return homes
    .flatMap((home) => readJsonLines<AgentCall>(join(root, home, 'calls.jsonl')))
    .sort((a, b) => a.startedAtMs - b.startedAtMs);
}

function placesOf({ base, url }: { base: string; url: string }): Record<string, string> {
  return { [base]: '/data', [url]: 'https://github.example' };
}

/** Names each prompt by its kind. The second prompt of a kind is called `-2`. */
function namePrompts(places: Record<string, string>, calls: readonly AgentCall[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (const { kind, prompt } of calls) {
    const earlier = Object.keys(named).filter((name) => name.replace(/-\d+$/, '') === kind).length;
    named[earlier === 0 ? kind : `${kind}-${earlier + 1}`] = normalisePrompt(prompt, places);
  }
  return named;
}
