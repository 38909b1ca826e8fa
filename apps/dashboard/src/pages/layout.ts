import type { Chrome, PauseNote } from '../facts/read-chrome.js';
import { type Html, html, render } from '../html.js';
import { formatTime } from './format.js';
import { renderShortcuts } from './shortcuts-part.js';

export type Page = {
  title: string;
  /** The path of the current navigation entry. */
  here?: string;
  /** True if the page refreshes itself. */
  isLive?: boolean;
  /** The script of a page that does not use refresh.js, such as the turn page. */
  script?: string;
  /** Absent on error pages. */
  chrome?: Chrome;
  main: Html;
};

/** The navigation, with the second key of each shortcut after `g`. */
export const PLACES = [
  { href: '/', name: 'Home', key: 'h' },
  { href: '/issues', name: 'Issues', key: 'i' },
  { href: '/workers', name: 'Workers', key: 'w' },
  { href: '/repositories', name: 'Repositories', key: 'r' },
  { href: '/costs', name: 'Cost', key: 'c' },
  { href: '/activity', name: 'Activity', key: 'a' },
] as const;

const MORE = [
  { href: '/queues/', name: 'Queues' },
  { href: '/metrics', name: 'Metrics' },
];

/** Renders a complete page. Without JavaScript a live page reloads every 10 seconds. */
export function renderPage({ title, here, isLive = false, chrome, main, ...page }: Page): string {
  const script = isLive ? '/assets/refresh.js' : page.script;
  const attention = chrome?.attention ?? 0;
  return render(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${attention > 0 && `(${attention}) `}${title} · MergeXO</title>
<link rel="icon" href="/assets/${chooseIcon(chrome)}" type="image/svg+xml">
<link rel="stylesheet" href="/assets/dashboard.css">
<script src="/assets/theme.js"></script>
<script src="/assets/shortcuts.js" defer></script>
${script !== undefined && html`<noscript><meta http-equiv="refresh" content="10"></noscript><script src="${script}" defer></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><a class="name" href="/"><img src="/assets/icon.svg" alt="" width="22" height="22"> MergeXO</a>
<nav aria-label="Main">${PLACES.map((place) => renderPlace(place, { here, attention }))}</nav>
<div class="tools"><span id="pulse" role="status"></span><button type="button" id="theme" class="icon" aria-label="Switch between light and dark" title="Switch between light and dark (t)" hidden>◐</button><button type="button" id="help" class="icon" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" hidden>?</button></div></header>
<aside id="banners" aria-label="Notices">${chrome !== undefined && renderBanners(chrome)}</aside>
<main id="main" tabindex="-1"${isLive && html` data-live="true"`}>${main}</main>
<footer><nav aria-label="More">${MORE.map(({ href, name }) => html`<a href="${href}">${name}</a>`)}</nav></footer>
${renderShortcuts()}
</body>
</html>
`);
}

function renderPlace(
  { href, name }: { href: string; name: string },
  { here, attention }: { here: string | undefined; attention: number },
): Html {
  const badge =
    href === '/' &&
    attention > 0 &&
    html` <span class="count" title="waiting for a person">${attention}</span>`;
  return html`<a href="${href}"${href === here && html` aria-current="page"`}>${name}${badge}</a>`;
}

/** The icon of the browser tab shows the state: a problem, work that needs a person, running work, or none of these. */
function chooseIcon(chrome: Chrome | undefined): string {
  if (chrome === undefined) return 'icon.svg';
  if (chrome.problems.length > 0) return 'icon-trouble.svg';
  if (chrome.attention > 0) return 'icon-attention.svg';
  return chrome.running > 0 ? 'icon-running.svg' : 'icon.svg';
}

const SHOWN_PAUSES = 3;

function renderBanners({ problems, pauses }: Chrome): Html {
  const hidden = pauses.slice(SHOWN_PAUSES);
  return html`${problems.map((problem) => renderNotice('bad', html`${problem}`))}${pauses
    .slice(0, SHOWN_PAUSES)
    .map(
      renderPause,
    )}${hidden.length > 0 && html`<details class="notice pause"><summary>${hidden.length} more paused</summary>${hidden.map(renderPause)}</details>`}`;
}

/** Renders a pause with its scope, operator, time and reason, and a link to resume. */
function renderPause({ repo, issue, by, reason, since }: PauseNote): Html {
  const path = `${repo === null ? '' : `/${repo}`}${issue === null ? '' : `/${issue}`}`;
  const scope =
    repo === null
      ? html`All work`
      : issue === null
        ? html`<a href="/issues?repo=${encodeURIComponent(repo)}">${repo}</a>`
        : html`<a href="/issues${path}">${repo}#${issue}</a>`;
  return html`<p class="notice pause"><span><b>${scope} is paused</b> by <bdi>${by}</bdi> since <time datetime="${new Date(since).toISOString()}">${formatTime(since)}</time>${reason !== null && html`: <bdi>${reason}</bdi>`}</span> <a class="button plain" href="/steer/resume${path}">Resume…</a></p>`;
}

export function renderNotice(look: 'bad' | 'good' | 'plain', text: Html): Html {
  return html`<p class="notice ${look}">${text}</p>`;
}

/** Renders a page with a single message. */
export function renderMessage(title: string, text: string, chrome?: Chrome): string {
  return renderPage({
    title,
    ...(chrome !== undefined && { chrome }),
    main: html`<h1>${title}</h1><p>${text}</p><p><a class="button plain" href="/">Back to the home page</a></p>`,
  });
}
