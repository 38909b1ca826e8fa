import { setTimeout as sleep } from 'node:timers/promises';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { countOf } from '@mergexo/core/text';
import { type Tally, tally } from './checker.js';
import type { Narrator } from './narrator.js';
import { BUG_ISSUE, DESIGN_ISSUE, OWN_DESIGN, QUESTION_ISSUE } from './project.js';
import { createScene, type Row, type Scene } from './scene.js';
import { REPO, type Stage } from './stage.js';

/** The whole loop, with crashes in the middle; answers with what GitHub saw. */
export async function tellStory(stage: Stage, narrator: Narrator): Promise<Tally> {
  const { twin, you } = stage;
  const { say, chapter, link } = narrator;
  const scene = createScene(stage, narrator);
  const { list, until, pullOf, answered } = scene;

  chapter('A labelled issue becomes a design');
  const issue = await you.openIssue(REPO, { ...DESIGN_ISSUE, labels: ['agent:design'] });
  link(`You open issue #${issue} and label it agent:design.`, `${twin.url}/${REPO}/issues/${issue}`);
  const question = await you.openIssue(REPO, { ...QUESTION_ISSUE, labels: ['agent:small-job'] });
  const design = await pullOf(issue);
  link(`A worker's agent wrote the document; pull request #${design.number} is open.`, design.html_url);

  chapter('Every comment is answered, once');
  const [file] = await list(`pulls/${design.number}/files`);
  const path = String(Object(file).filename);
  const lineOf = (words: string): number => findAddedLine(String(Object(file).patch), words);
  await you.submitReview(REPO, design.number, {
    event: 'COMMENT',
    body: 'Name the flag in the README as well.',
    comments: [
      { path, line: lineOf('`toData()` returns'), body: 'Why a method of its own?' },
      { path, line: lineOf('`list --json` prints all'), body: 'Say what an empty list prints.' },
    ],
  });
  say('You send a review: a wish, a question on one line, a wish on another.');
  await answered(design.number, 3);
  const commits = await list(`pulls/${design.number}/commits`);
  say(`Each was answered in its place, and the wishes came with a commit (${commits.length} now).`);

  const table = await askAndResume(stage, narrator, scene, question);

  chapter('kill -9');
  const before = twin.history.list('request').at(-1)?.seq ?? 0;
  await you.comment(REPO, design.number, 'Also mention the exit code.');
  say('You comment once more. While the agent works on it, its worker is killed; so is the poller.');
  // A worker fetches right before it asks the agent.
  await until('an agent to begin', async () =>
    twin.history.list('request').some(({ via, seq }) => via === 'git' && seq > before) ? true : undefined,
  );
  await sleep(stage.thinkMs / 2);
  await Promise.all([stage.crash('worker-1'), stage.crash('worker-2'), stage.crash('poller')]);
  say('All three are dead and replaced. The turn is taken up again.');
  await answered(design.number, 4);
  say('Answered once. Nothing was lost, nothing was said twice.');

  chapter('A bug is fixed with a test');
  const bug = await you.openIssue(REPO, { ...BUG_ISSUE, labels: ['agent:bugfix'] });
  link(`You label issue #${bug} agent:bugfix.`, `${twin.url}/${REPO}/issues/${bug}`);
  const fix = await pullOf(bug);
  link(`The repository's own tests passed on exactly that commit; #${fix.number} is open.`, fix.html_url);
  await reviewFix(stage, narrator, scene, fix);
  for (const { number } of [table, fix]) await you.merge(REPO, number);

  const implementations = await implementDesign(stage, narrator, scene, { issue, design });
  await sleep(1_500);
  return tally(
    twin,
    [design, table, fix, ...implementations].map(({ number }) => number),
  );
}

/** A start that has to ask, the answer on the issue, and what becomes of comments there later. */
async function askAndResume(
  stage: Stage,
  { say, chapter, link }: Narrator,
  scene: Scene,
  issue: number,
): Promise<Row> {
  const { twin, you } = stage;
  chapter('An agent that has to ask');
  await scene.said(issue, 'cannot go on by itself');
  link(
    `Meanwhile issue #${issue} was too short for its agent: it asks there.`,
    `${twin.url}/${REPO}/issues/${issue}`,
  );
  await you.comment(REPO, issue, 'Tabs, please.');
  say('You answer on the issue: "Tabs, please."');
  const pull = await scene.pullOf(issue);
  link(`The work went on with your answer; #${pull.number} is open.`, pull.html_url);
  await scene.said(issue, 'proposes the change');
  await you.comment(REPO, issue, 'Can the header be bold?');
  await scene.said(issue, 'no longer actioned');
  say('A later comment on the issue is not lost either: it is shown the way to the pull request.');
  await scene.reviewed(pull.number, 'approved');
  return pull;
}

/** Another agent reads what the first one wrote; what it finds is mended before people look. */
async function reviewFix(
  { you }: Stage,
  { say, chapter, link }: Narrator,
  scene: Scene,
  fix: Row,
): Promise<void> {
  chapter('An AI reviewer reads it first');
  const review = await scene.reviewed(fix.number, 'changes_requested');
  link("A reviewer without the author's memory found something in it.", review.html_url);
  const [finding] = await scene.list(`pulls/${fix.number}/comments`);
  say(`"${finding?.body.split('\n').find((line) => line.includes('300')) ?? ''}"`);
  await scene.reviewed(fix.number, 'approved');
  const commits = await scene.list(`pulls/${fix.number}/commits`);
  say(
    `The author mended it (${countOf(commits.length, 'commit')} now) and answered in its thread; the second look found nothing more.`,
  );
  await scene.until('the status mergexo/review', async () => {
    const status = await you.request('GET', `/repos/${REPO}/commits/${fix.head.ref}/status`);
    return Object(status).state === 'success' ? true : undefined;
  });
  say('The status mergexo/review is green. After two fixes in vain a person would have been asked.');
}

/** The merge of a design starts its implementation; what would collide with it waits; a failed check is feedback. */
async function implementDesign(
  stage: Stage,
  { say, chapter, link }: Narrator,
  scene: Scene,
  { issue, design }: { issue: number; design: Row },
): Promise<Row[]> {
  const { twin, you } = stage;
  chapter('A merged design becomes an implementation');
  await you.merge(REPO, design.number);
  say(`You merge the design, #${design.number}. MergeXO never merges: people do.`);
  const implementation = await scene.pullOn('agent/impl/');
  link(
    `Its implementation is #${implementation.number}, with the design's criteria in its text.`,
    implementation.html_url,
  );
  const own = await you.openIssue(REPO, OWN_DESIGN.issue);
  await you.pushFiles(REPO, 'colours', { [OWN_DESIGN.path]: OWN_DESIGN.render(own) });
  const brought = await you.openPull(REPO, { title: 'A design of my own', head: 'colours', base: 'main' });
  await you.merge(REPO, brought);
  say(`You merge a design of your own, for issue #${own}. It would touch the same file.`);
  const held = await scene.until('the scheduler to say why it waits', () => stage.explain(own, 'waits for'));
  say(`${MERGEXO_CLI} explain ${own}: ${held}`);

  const run = twin.actions.start(REPO, { branch: implementation.head.ref, by: 'mergexo-bot', name: 'docs' });
  twin.actions.finish(run, 'failure', { log: 'README.md does not name the flag --json\n' });
  say('A check fails: "README.md does not name the flag --json".');
  await scene.answered(implementation.number, 1);
  const green = twin.actions.start(REPO, {
    branch: implementation.head.ref,
    by: 'mergexo-bot',
    name: 'docs',
  });
  twin.actions.finish(green, 'success');
  say('Its log went to the agent, which mended it with a commit and said so. Now the check is green.');
  await you.merge(REPO, implementation.number);
  await scene.until(`issue #${issue} to be closed`, async () => {
    const row = await you.request('GET', `/repos/${REPO}/issues/${issue}`);
    return Object(row).state === 'closed' ? true : undefined;
  });
  say(`You merge it, and with it issue #${issue} is closed.`);
  const next = await scene.pullOn(`agent/impl/${own}-`);
  link(`Nothing holds issue #${own} back any more; #${next.number} implements it.`, next.html_url);
  await scene.reviewed(next.number, 'approved');
  await you.merge(REPO, next.number);
  say('The reviewer approves it, and you merge it.');
  return [implementation, next];
}

/** Where a new file says this, counted from 1. */
function findAddedLine(patch: string, words: string): number {
  const added = patch.split('\n').filter((line) => line.startsWith('+'));
  return (
    1 +
    Math.max(
      0,
      added.findIndex((line) => line.includes(words)),
    )
  );
}

export function renderTally(counts: Tally, seconds: number): [string, string][] {
  return [
    ['comments in', String(counts.commentsIn)],
    ['answers out', String(counts.answersOut)],
    ['reviews by the AI reviewer', String(counts.reviews)],
    ['answered twice', String(counts.duplicates)],
    ['not answered', String(counts.lost)],
    ['histories rewritten', String(counts.rewritten)],
    ['requests used', `${counts.requests}, of them ${counts.notModified} free (nothing new)`],
    ['seconds', seconds.toFixed(1)],
  ];
}
