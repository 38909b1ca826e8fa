import { setTimeout as sleep } from 'node:timers/promises';
import { type Tally, tally } from './checker.js';
import type { Narrator } from './narrator.js';
import { BUG_ISSUE, DESIGN_ISSUE } from './project.js';
import { createScene } from './scene.js';
import { REPO, type Stage } from './stage.js';

/** The whole loop, with crashes in the middle; answers with what GitHub saw. */
export async function tellStory(stage: Stage, narrator: Narrator): Promise<Tally> {
  const { twin, you } = stage;
  const { say, chapter, link } = narrator;
  const { list, until, pullOf, answered } = createScene(stage, narrator);

  chapter('A labelled issue becomes a design');
  const issue = await you.openIssue(REPO, { ...DESIGN_ISSUE, labels: ['agent:design'] });
  link(`You open issue #${issue} and label it agent:design.`, `${twin.url}/${REPO}/issues/${issue}`);
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

  chapter('A bug is fixed with a test, and merged');
  const bug = await you.openIssue(REPO, { ...BUG_ISSUE, labels: ['agent:bugfix'] });
  link(`You label issue #${bug} agent:bugfix.`, `${twin.url}/${REPO}/issues/${bug}`);
  const fix = await pullOf(bug);
  link(`The repository's own tests passed on exactly that commit; #${fix.number} is open.`, fix.html_url);
  await you.merge(REPO, design.number);
  await you.merge(REPO, fix.number);
  say('You merge both. MergeXO never merges: people do.');
  await sleep(1_500);
  return tally(twin, [design.number, fix.number]);
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
    ['answered twice', String(counts.duplicates)],
    ['not answered', String(counts.lost)],
    ['histories rewritten', String(counts.rewritten)],
    ['requests used', `${counts.requests}, of them ${counts.notModified} free (nothing new)`],
    ['seconds', seconds.toFixed(1)],
  ];
}
