import { latestRuns } from '../../domain/checks.js';
import { computeMergeability } from '../../domain/mergeability.js';
import { freshRefs } from '../../domain/sync-refs.js';
import type { PullIssue } from '../../store/rows.js';
import { issuePath, renderForm } from '../parts/elements.js';
import { type Html, html } from '../parts/html.js';
import { may, type RepoPageContext } from '../visit/page-context.js';

type Check = { name: string; state: 'good' | 'bad' | 'waiting'; words: string };

/** The end of a conversation: can it be merged, and by whom? */
export async function renderMergeBox(context: RepoPageContext, issue: PullIssue): Promise<Html> {
  const { world, repo } = context;
  const { pull } = issue;
  const box = (kind: string, content: Html) =>
    html`<section class="merge-box ${kind}" id="merge-box" data-live="block" aria-label="Merging">${content}</section>`;
  if (pull.mergedAt) return box('merged', html`<h2>Pull request successfully merged and closed</h2>`);
  if (issue.state === 'closed') return box('closed', html`<h2>Closed with unmerged commits</h2>`);
  const { state } = await computeMergeability(world, repo, issue, await freshRefs(world, repo));
  const checks = listChecks(context, pull.headSha);
  const list =
    checks.length > 0 &&
    html`<ul class="checks">${checks.map((check) => html`<li class="${check.state}"><span class="dot" aria-hidden="true"></span><bdi>${check.name}</bdi> <span class="muted">${check.words}</span></li>`)}</ul>`;
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
    : html`<p class="muted">Only those with write access to this repository can merge pull requests.</p>`;
  return box(state === 'unstable' ? 'waiting' : 'good', html`<h2>${title}</h2>${list}${buttons}`);
}

function renderMergeButtons(context: RepoPageContext, issue: PullIssue): Html {
  // What was seen is what is merged: a push in the meantime is refused.
  const form = { action: `${issuePath(context.repo, issue)}/merge`, fields: { sha: issue.pull.headSha } };
  return renderForm(
    context,
    form,
    html`<p class="actions"><button class="primary" name="method" value="merge">Merge pull request</button><button name="method" value="squash">Squash and merge</button></p>`,
  );
}

function listChecks({ world, repo }: RepoPageContext, sha: string): Check[] {
  const here = (row: { repoId: number; sha: string }) => row.repoId === repo.id && row.sha === sha;
  const runs = latestRuns(world.store.checkRuns.filter(here)).map(({ name, conclusion, status }): Check => {
    const good = conclusion !== null && ['success', 'neutral', 'skipped'].includes(conclusion);
    const state = conclusion === null ? 'waiting' : good ? 'good' : 'bad';
    return { name, state, words: (conclusion ?? status).replaceAll('_', ' ') };
  });
  const statuses = new Map(world.store.statuses.filter(here).map((row) => [row.context, row]));
  const told = [...statuses.values()].map(({ context, state, description }): Check => {
    const kind = state === 'pending' ? 'waiting' : state === 'success' ? 'good' : 'bad';
    return { name: context, state: kind, words: description ?? state };
  });
  return [...runs, ...told];
}
