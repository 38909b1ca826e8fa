import { MERGEXO_CLI } from '@mergexo/core/basics';
import type { Narrator } from './narrator.js';
import { VISITOR_ISSUE } from './project.js';
import { createScene } from './scene.js';
import { REPO, type Stage } from './stage.js';

/** A pull request that is still open, and what a visitor can do with it. */
export async function invite(stage: Stage, narrator: Narrator): Promise<void> {
  const { twin, you } = stage;
  const { say, chapter, link } = narrator;
  chapter('Now you');
  const issue = await you.openIssue(REPO, { ...VISITOR_ISSUE, labels: ['agent:small-job'] });
  const pull = await createScene(stage, narrator).pullOf(issue);
  link(
    `#${pull.number} waits for you: choose who you are at the top, comment, and see the answer come.`,
    pull.html_url,
  );
  link('Open an issue of your own and label it agent:bugfix:', `${twin.url}/${REPO}/issues`);
  link('Watch what runs, and what waits for whom:', stage.dashboardUrl);
  link('Rewrite the history of its branch, and see it blocked until you decide:', stage.cloneUrl);
  say(`Commands work here too, such as: ${MERGEXO_CLI} status --config ${stage.configPath}`);
  say('Ctrl-C ends everything and leaves nothing behind.');
}
