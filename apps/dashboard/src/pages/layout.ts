import { type Html, html, render } from '../html.js';

/** Renders a complete page. Without JavaScript a page with a script reloads every 10 seconds. */
export function renderPage(page: {
  title: string;
  here?: string;
  live?: string;
  script?: string;
  main: Html;
}): string {
  const { title, here, live, script = live && '/assets/refresh.js', main } = page;
  const places = [
    { href: '/', name: 'Overview' },
    { href: '/queues/', name: 'Queues' },
    { href: '/metrics', name: 'Metrics' },
  ];
  return render(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · MergeXO</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/dashboard.css">
${script !== undefined && html`<noscript><meta http-equiv="refresh" content="10"></noscript><script src="${script}" defer></script>`}
</head>
<body>
<header><a class="name" href="/">MergeXO</a><nav>${places.map(
    ({ href, name }) => html`<a href="${href}"${href === here && html` aria-current="page"`}>${name}</a>`,
  )}</nav>${script !== undefined && html`<span id="pulse" class="quiet" role="status"></span>`}</header>
<main${live !== undefined && html` id="live" data-from="${live}"`}>${main}</main>
</body>
</html>
`);
}

export function renderNotice(look: 'bad' | 'good' | 'plain', text: Html): Html {
  return html`<p class="notice ${look}">${text}</p>`;
}

/** Renders a page with a single message. */
export function renderMessage(title: string, text: string): string {
  return renderPage({
    title,
    main: html`<h1>${title}</h1><p>${text}</p><p><a href="/">Back to the overview</a></p>`,
  });
}
