import { MERGEXO_CLI } from '@mergexo/core/basics';
import type { Narrator } from './narrator.js';
import { VISITOR_ISSUE } from './project.js';
import { createScene } from './scene.js';
import { REPO, type Stage } from './stage.js';

/** Opens one more pull request and suggests things that the visitor can try. */
export async function invite(stage: Stage, narrator: Narrator): Promise<void> {
  const { twin, you } = stage;
  const { say, chapter, link } = narrator;
  chapter('Try it yourself');
  const issue = await you.openIssue(REPO, { ...VISITOR_ISSUE, labels: ['agent:small-job'] });
  const pull = await createScene(stage, narrator).pullOf(issue);
  link(
    `#${pull.number} is open for you to review. Choose a user at the top of the page, comment, and watch MergeXO reply:`,
    pull.html_url,
  );
  link('Open your own issue and label it agent:bugfix:', `${twin.url}/${REPO}/issues`);
  link('Watch running, waiting and blocked work on the dashboard:', stage.dashboardUrl);
  link(
    "Clone the repository and force-push to the pull request's branch. MergeXO blocks the pull request until you decide:",
    stage.cloneUrl,
  );
  say(`The CLI works here too: ${MERGEXO_CLI} status --config ${stage.configPath}`);
  say('Press Ctrl-C to stop the demo and delete its files.');
}
