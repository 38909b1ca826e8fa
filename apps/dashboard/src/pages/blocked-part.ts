import { countComments } from '../facts/describe-wait.js';
import type { Blocked } from '../facts/read-blocked.js';
import { type Html, html } from '../html.js';
import { formatDuration, formatTime } from './format.js';
import type { Links } from './links.js';

/** Lists blocked work with its reason and the commands that resume it. */
export function renderBlocked(blocked: readonly Blocked[], links: Links, now: number): Html {
  return html`<section id="blocked"><h2>Blocked</h2>${blocked.map((item) => renderItem(item, links, now))}</section>`;
}

function renderItem(item: Blocked, links: Links, now: number): Html {
  const { repo, pr, issue, title, kind, since, waitingComments } = item;
  return html`<article class="blocked" id="blocked-${repo.replace('/', '-')}-${pr ?? `issue-${issue}`}">
<h3>${links.issue(repo, issue)} <bdi class="title">${title}</bdi>${pr !== null && html` <span class="quiet">pull request</span> ${links.pull(item)}`}
<span class="tag bad">${kind.replaceAll('_', ' ')}</span></h3>
<p class="reason"><bdi>${item.reason}</bdi></p>
<p class="quiet">Blocked since ${formatTime(since)} (${formatDuration(now - since)} ago)${waitingComments > 0 && html` · ${countComments(waitingComments)}`}</p>
<ul class="remedies">${item.remedies.map(({ about, command }) => html`<li><span class="quiet">${about}</span> <code>${command}</code></li>`)}</ul>
<p><a class="button" href="/unblock/${repo}/${pr ?? issue}">${pr === null ? 'Retry…' : 'Unblock…'}</a></p>
</article>`;
}
