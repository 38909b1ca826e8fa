import { notFound } from '../../basics/api-error.js';
import { listJobs } from '../../domain/workflow-runs.js';
import type { Job } from '../../store/rows.js';
import { renderTime } from '../parts/elements.js';
import { type Html, html } from '../parts/html.js';
import type { Page } from '../parts/layout.js';
import type { RepoPageContext } from '../parts/page-context.js';

/** Renders a workflow run with the log of each job of its latest attempt. */
export function renderRunPage({ world, repo }: RepoPageContext, id: number): Page {
  const run = world.store.workflowRuns.get(id);
  if (run?.repoId !== repo.id) throw notFound();
  const body = html`<div class="issue-head"><h1><bdi>${run.name}</bdi></h1>
<p class="muted">${run.conclusion ?? run.status} · attempt ${run.attempt} ${renderTime(run.startedAt)}
on <bdi>${run.branch}</bdi>, <code>${run.sha.slice(0, 7)}</code></p></div>
${listJobs(world, run).map(renderJob)}`;
  return { title: `${run.name} · ${repo.owner}/${repo.name}`, body, repo };
}

function renderJob({ name, conclusion, status, log }: Job): Html {
  return html`<h2><bdi>${name}</bdi> <span class="muted">${conclusion ?? status}</span></h2><pre class="message" dir="auto">${log}</pre>`;
}
