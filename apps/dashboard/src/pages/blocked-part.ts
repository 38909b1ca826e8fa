import { countComments } from '../facts/describe-wait.js';
import type { Blocked } from '../facts/read-blocked.js';
import { type Html, html } from '../html.js';
import { formatTime } from './format.js';
import { renderAge, renderTag, toExcerpt } from './parts.js';

/** Renders the number of unanswered comments, and the commands that resume the work, collapsed. */
export function renderRemedies({ kind, remedies, waitingComments }: Blocked): Html {
  return html`<p class="meta">${kind.replaceAll('_', ' ')}${waitingComments > 0 && html` · ${countComments(waitingComments)}`}</p>
<details class="remedies"><summary>How to continue</summary><ul>${remedies.map(({ about, command }) => html`<li><span class="quiet">${about}</span> <code>${command}</code></li>`)}</ul></details>`;
}

/** Renders why an issue is blocked, in full, with the commands that resume the work. */
export function renderBlocked(item: Blocked, now: number): Html {
  const { repo, pr, issue, kind, since, remedies, waitingComments } = item;
  return html`<section id="blocked" class="card bad"><h2>${pr === null ? 'This issue is blocked' : 'The pull request is blocked'} ${renderTag('bad', kind.replaceAll('_', ' '))}</h2>
<p class="text"><bdi>${toExcerpt(item.reason, 4_000)}</bdi></p>
<p class="meta">Since <time datetime="${new Date(since).toISOString()}">${formatTime(since)}</time> (${renderAge(since, now)})${waitingComments > 0 && html` · ${countComments(waitingComments)}`}</p>
<ul class="remedies">${remedies.map(({ about, command }) => html`<li><span class="quiet">${about}</span> <code>${command}</code></li>`)}</ul>
<p><a class="button" href="/unblock/${repo}/${pr ?? issue}">${pr === null ? 'Retry…' : 'Unblock…'}</a></p></section>`;
}
