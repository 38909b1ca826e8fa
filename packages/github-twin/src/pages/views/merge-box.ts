import { listChecks } from '../../domain/checks.js';
import { computeMergeability } from '../../domain/mergeability.js';
import type { PullIssue } from '../../store/rows.js';
import { renderForm } from '../parts/elements.js';
import { type Html, html } from '../parts/html.js';
import { issuePath, may, type RepoPageContext } from '../parts/page-context.js';

const CLASSES = { success: 'good', failure: 'bad', pending: 'waiting' } as const;

/** Renders the box below a conversation, with the checks and the merge buttons. */
export async function renderMergeBox(context: RepoPageContext, issue: PullIssue): Promise<Html> {
  const { pull } = issue;
  const box = (kind: string, content: Html) =>
    html`<section class="merge-box ${kind}" id="merge-box" data-live="block" aria-label="Merging">${content}</section>`;
  if (pull.mergedAt) return box('merged', html`<h2>Pull request successfully merged and closed</h2>`);
  if (issue.state === 'closed') return box('closed', html`<h2>Closed with unmerged commits</h2>`);
  const { state } = await computeMergeability(context, issue);
  const checks = listChecks(context, pull.headSha);
  const list =
    checks.length > 0 &&
    html`<ul class="checks">${checks.map((check) => html`<li class="${CLASSES[check.state]}"><span class="dot" aria-hidden="true"></span><bdi>${check.name}</bdi> <span class="muted">${check.text}</span></li>`)}</ul>`;
  if (state === 'dirty')
    return box('bad', html`<h2>This branch has conflicts that must be resolved</h2>${list}`);
  if (state === 'draft')
    return box(
      'draft',
      html`<h2>This pull request is still a work in progress</h2><p class="muted">Draft pull requests cannot be merged.</p>${list}`,
    );
  const title =
    state === 'unstable'
      ? 'Some checks have not passed'
      : 'This branch has no conflicts with the base branch';
  const buttons = may(context, 'write')
    ? renderMergeButtons(context, issue)
    : html`<p class="muted">Only users with write access to this repository can merge pull requests.</p>`;
  return box(state === 'unstable' ? 'waiting' : 'good', html`<h2>${title}</h2>${list}${buttons}`);
}

function renderMergeButtons(context: RepoPageContext, issue: PullIssue): Html {
  // The form contains the head's sha, so that the merge is rejected if the head has moved since the page was loaded.
  return renderForm(
    `${issuePath(context.repo, issue)}/merge`,
    html`<p class="actions"><button class="primary" name="method" value="merge">Merge pull request</button><button name="method" value="squash">Squash and merge</button></p>`,
    { sha: issue.pull.headSha },
  );
}
