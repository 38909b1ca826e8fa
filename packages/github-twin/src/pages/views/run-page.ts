import { ApiError } from '../../basics/api-error.js';
import type { Job } from '../../store/check-rows.js';
import { renderTime } from '../parts/elements.js';
import { type Html, html } from '../parts/html.js';
import type { Page } from '../parts/layout.js';
import { type RepoPageContext, repoPath } from '../visit/page-context.js';

/** A workflow run with the log of each job of its last attempt. */
export function renderRunPage({ world, repo }: RepoPageContext, id: number): Page {
  const run = world.store.workflowRuns.get(id);
  if (run?.repoId !== repo.id) throw new ApiError(404, 'Not Found');
  const jobs = world.store.jobs.filter((job) => job.runId === id && job.attempt === run.attempt);
  const body = html`<div class="issue-head"><h1><bdi>${run.title}</bdi></h1>
<p class="muted"><bdi>${run.name}</bdi> · ${run.conclusion ?? run.status} · attempt ${run.attempt} ${renderTime(run.startedAt)}
on <bdi>${run.branch}</bdi>, <a href="${repoPath(repo)}/commit/${run.sha}"><code>${run.sha.slice(0, 7)}</code></a></p></div>
${jobs.map(renderJob)}`;
  return { title: `${run.title} · ${repo.owner}/${repo.name}`, body, repo };
}

function renderJob({ name, conclusion, status, log }: Job): Html {
  return html`<h2><bdi>${name}</bdi> <span class="muted">${conclusion ?? status}</span></h2><pre class="message" dir="auto">${log}</pre>`;
}
