import { setTimeout as sleep } from 'node:timers/promises';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { countOf } from '@mergexo/core/text';
import { type Tally, tally } from './checker.js';
import type { Narrator } from './narrator.js';
import { BUG_ISSUE, DESIGN_ISSUE, OWN_DESIGN, QUESTION_ISSUE } from './project.js';
import { createScene, type Row, type Scene } from './scene.js';
import { REPO, type Stage } from './stage.js';

type Play = { stage: Stage; narrator: Narrator; scene: Scene };

/** Plays the whole story, including crashes. Returns counts that were read from GitHub. */
export async function tellStory(stage: Stage, narrator: Narrator): Promise<Tally> {
  const { twin, you } = stage;
  const { say, chapter, link } = narrator;
  const scene = createScene(stage, narrator);
  const { list, pullOf, answered } = scene;

  chapter('MergeXO writes a design for a labeled issue');
  const issue = await you.openIssue(REPO, { ...DESIGN_ISSUE, labels: ['agent:design'] });
  link(`You open issue #${issue} and label it agent:design.`, `${twin.url}/${REPO}/issues/${issue}`);
  const question = await you.openIssue(REPO, { ...QUESTION_ISSUE, labels: ['agent:small-job'] });
  await scene.untilCommented(issue, '**Status: ');
  say('MergeXO reacts with 👀 and posts one status comment, which it edits as the work proceeds.');
  const design = await pullOf(issue);
  link(`The agent wrote a design document. MergeXO opened pull request #${design.number}.`, design.html_url);

  chapter('MergeXO replies to every review comment exactly once');
  const [file] = await list(`pulls/${design.number}/files`);
  const path = String(Object(file).filename);
  const lineOf = (text: string): number => findAddedLine(String(Object(file).patch), text);
  await you.submitReview(REPO, design.number, {
    event: 'COMMENT',
    body: 'Please mention the flag in the README too.',
    comments: [
      { path, line: lineOf('`toData()` returns'), body: 'Why does this need a separate method?' },
      { path, line: lineOf('`list --json` prints all'), body: 'Please specify what an empty list prints.' },
    ],
  });
  say('You submit a review: a change request, a question on one line, and a change request on another line.');
  await answered(design.number, 3);
  const commits = await list(`pulls/${design.number}/commits`);
  say(
    `MergeXO replied to each comment in its thread and pushed the changes (${countOf(commits.length, 'commit')} now).`,
  );

  const play = { stage, narrator, scene };
  const table = await askAndResume(play, question);

  await crashAndRecover(play, design);

  chapter('MergeXO fixes a bug and adds a test');
  const bug = await you.openIssue(REPO, { ...BUG_ISSUE, labels: ['agent:bugfix'] });
  link(`You label issue #${bug} agent:bugfix.`, `${twin.url}/${REPO}/issues/${bug}`);
  const fix = await pullOf(bug);
  link(
    `The agent fixed the bug, and the repository's tests passed on that commit. MergeXO opened #${fix.number}.`,
    fix.html_url,
  );
  await reviewFix(play, fix);
  for (const { number } of [table, fix]) await you.merge(REPO, number);

  const implementations = await implementDesign(play, { issue, design });
  await sleep(1_500);
  return tally(
    twin,
    [design, table, fix, ...implementations].map(({ number }) => number),
  );
}

/** Lets the agent ask a question and the visitor reply. MergeXO then redirects a later comment to the pull request. */
async function askAndResume({ stage, narrator, scene }: Play, issue: number): Promise<Row> {
  const { twin, you } = stage;
  const { say, chapter, link } = narrator;
  chapter('The agent asks a question');
  await scene.untilCommented(issue, 'needs an answer before it can continue');
  link(
    `Issue #${issue} does not specify a detail, so the agent asks about it on the issue.`,
    `${twin.url}/${REPO}/issues/${issue}`,
  );
  await you.comment(REPO, issue, 'Tabs, please.');
  say('You reply on the issue: "Tabs, please."');
  const pull = await scene.pullOf(issue);
  link(`The agent continued with your reply. MergeXO opened #${pull.number}.`, pull.html_url);
  await scene.untilCommented(issue, 'proposes a change');
  await you.comment(REPO, issue, 'Can the header be bold?');
  await scene.untilCommented(issue, 'no longer acts on comments here, including');
  say('You comment on the issue again. MergeXO replies and points you to the pull request.');
  await scene.reviewed(pull.number, 'approved');
  return pull;
}

/** Kills the workers and the poller while an agent works on a comment. */
async function crashAndRecover({ stage, narrator, scene }: Play, design: Row): Promise<void> {
  const { twin, you } = stage;
  const { say, chapter } = narrator;
  chapter('Crash recovery: kill -9');
  const before = twin.history.list('request').at(-1)?.seq ?? 0;
  await you.comment(REPO, design.number, 'Please also mention the exit code.');
  say(
    'You comment again. While the agent is working on a reply, the demo kills both workers and the poller.',
  );
  // A git request shows that the agent is about to start, because a worker fetches right before it starts the agent.
  await scene.until('the agent to start', async () =>
    twin.history.list('request').some(({ via, seq }) => via === 'git' && seq > before) ? true : undefined,
  );
  await sleep(stage.thinkMs / 2);
  await Promise.all([stage.crash('worker-1'), stage.crash('worker-2'), stage.crash('poller')]);
  say('The demo restarted all three. MergeXO resumes the interrupted work.');
  await scene.answered(design.number, 4);
  say('MergeXO replied exactly once. No comment was lost or answered twice.');
}

/** Lets a second agent review the fix. The first agent corrects the fix before a person reviews the pull request. */
async function reviewFix({ stage: { you }, narrator, scene }: Play, fix: Row): Promise<void> {
  const { say, chapter, link } = narrator;
  chapter('An AI reviewer checks the fix');
  const review = await scene.reviewed(fix.number, 'changes_requested');
  link('A second agent, with a fresh context, requested a change:', review.html_url);
  const [finding] = await scene.list(`pulls/${fix.number}/comments`);
  say(`"${finding?.body.split('\n').find((line) => line.includes('300')) ?? ''}"`);
  await scene.reviewed(fix.number, 'approved');
  const commits = await scene.list(`pulls/${fix.number}/commits`);
  say(
    `The agent that wrote the fix corrected it (${countOf(commits.length, 'commit')} now) and replied in the thread. The reviewer approved the new commit.`,
  );
  await scene.until('the status mergexo/review', async () => {
    const status = await you.request('GET', `/repos/${REPO}/commits/${fix.head.ref}/status`);
    return Object(status).state === 'success' ? true : undefined;
  });
  say(
    'The commit status mergexo/review is green. If two fix rounds had failed, MergeXO would have asked a person to decide.',
  );
}

/**
 * Merges a design, which starts its implementation. A conflicting design waits, and a failed check becomes feedback.
 */
async function implementDesign(
  { stage, narrator, scene }: Play,
  { issue, design }: { issue: number; design: Row },
): Promise<Row[]> {
  const { twin, you } = stage;
  const { say, chapter, link } = narrator;
  chapter('MergeXO implements the merged design');
  await you.merge(REPO, design.number);
  say(`You merge the design, #${design.number}. MergeXO itself never merges a pull request.`);
  const implementation = await scene.pullOn('agent/impl/');
  link(
    `MergeXO opened #${implementation.number} to implement it. The description lists the acceptance criteria.`,
    implementation.html_url,
  );
  const own = await you.openIssue(REPO, OWN_DESIGN.issue);
  await you.pushFiles(REPO, 'colors', { [OWN_DESIGN.path]: OWN_DESIGN.render(own) });
  const brought = await you.openPull(REPO, {
    title: 'Add a design for colored items',
    head: 'colors',
    base: 'main',
  });
  await you.merge(REPO, brought);
  say(`You merge your own design for issue #${own}. It changes the same file as #${implementation.number}.`);
  const held = await scene.until(`the scheduler to report why issue #${own} is waiting`, () =>
    stage.explain(own, 'overlaps with'),
  );
  say(`${MERGEXO_CLI} explain ${own}: ${held}`);

  const run = twin.actions.start(REPO, { branch: implementation.head.ref, by: 'mergexo-bot', name: 'docs' });
  twin.actions.finish(run, 'failure', { log: 'README.md does not mention the --json flag\n' });
  say('A CI check fails: "README.md does not mention the --json flag".');
  await scene.answered(implementation.number, 1);
  const green = twin.actions.start(REPO, {
    branch: implementation.head.ref,
    by: 'mergexo-bot',
    name: 'docs',
  });
  twin.actions.finish(green, 'success');
  say("MergeXO passed the log to the agent, pushed the agent's fix and replied. The check is green now.");
  await you.merge(REPO, implementation.number);
  await scene.until(`issue #${issue} to be closed`, async () => {
    const row = await you.request('GET', `/repos/${REPO}/issues/${issue}`);
    return Object(row).state === 'closed' ? true : undefined;
  });
  say(`You merge #${implementation.number}, which closes issue #${issue}.`);
  await scene.untilCommented(issue, '**Status: done');
  link(
    `The status comment of issue #${issue} says that the work is done, and lists its pull requests.`,
    `${twin.url}/${REPO}/issues/${issue}`,
  );
  const next = await scene.pullOn(`agent/impl/${own}-`);
  link(
    `Issue #${own} no longer conflicts with open work. MergeXO opened #${next.number} to implement it.`,
    next.html_url,
  );
  await scene.reviewed(next.number, 'approved');
  await you.merge(REPO, next.number);
  say('The AI reviewer approves it, and you merge it.');
  return [implementation, next];
}

/** Returns the 1-based number of the first added line that contains this text, or 1 if there is none. */
function findAddedLine(patch: string, text: string): number {
  const added = patch.split('\n').filter((line) => line.startsWith('+'));
  const at = added.findIndex((line) => line.includes(text));
  return Math.max(0, at) + 1;
}

export function renderTally(counts: Tally, seconds: number): [string, string][] {
  return [
    ['comments by you', String(counts.commentsIn)],
    ['replies by MergeXO', String(counts.answersOut)],
    ['AI reviews', String(counts.reviews)],
    ['answered twice', String(counts.duplicates)],
    ['not answered', String(counts.lost)],
    ['branch histories rewritten', String(counts.rewritten)],
    ['API requests', `${counts.requests}, of which ${counts.notModified} were free (304 Not Modified)`],
    ['seconds', seconds.toFixed(1)],
  ];
}
