import { type Html, html } from '../html.js';

const SHORTCUTS = [
  { keys: ['?'], about: 'show this list' },
  { keys: ['/'], about: 'search issues' },
  { keys: ['j', 'k'], about: 'next or previous row' },
  { keys: ['Enter'], about: 'open the row' },
  { keys: ['t'], about: 'switch between light and dark' },
  { keys: ['g', 'h'], about: 'go to Home' },
  { keys: ['g', 'i'], about: 'go to Issues' },
  { keys: ['g', 'w'], about: 'go to Workers' },
  { keys: ['g', 'r'], about: 'go to Repositories' },
  { keys: ['g', 'c'], about: 'go to Cost' },
  { keys: ['g', 'a'], about: 'go to Activity' },
];

/** Renders the list of keyboard shortcuts, which `?` opens. */
export function renderShortcuts(): Html {
  return html`<dialog id="shortcuts" aria-labelledby="shortcuts-title"><h2 id="shortcuts-title">Keyboard shortcuts</h2>
<dl>${SHORTCUTS.map(({ keys, about }) => html`<div><dt>${keys.map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${about}</dd></div>`)}</dl>
<form method="dialog"><button>Close</button></form></dialog>`;
}
