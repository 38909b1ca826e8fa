/** Keyboard shortcuts and the theme button. The pages work without this script. */
const help = document.getElementById('help');
const theme = document.getElementById('theme');
const dialog = document.getElementById('shortcuts');
const PLACES = { h: '/', i: '/issues', w: '/workers', r: '/repositories', c: '/costs', a: '/activity' };
const SEQUENCE_MS = 1500;
let goPressedAt = 0;

help.hidden = false;
theme.hidden = false;
help.addEventListener('click', () => dialog.showModal());
theme.addEventListener('click', switchTheme);
document.addEventListener('keydown', onKey);
// A click outside the dialog's content closes it.
dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());

if (location.hash === '#search') document.getElementById('search')?.focus();

function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem('mergexo-theme', root.dataset.theme);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open || isTyping(event.target)) return;
  const isSequence = Date.now() - goPressedAt < SEQUENCE_MS;
  goPressedAt = 0;
  if (isSequence && PLACES[event.key]) return go(event, PLACES[event.key]);
  switch (event.key) {
    case 'g':
      goPressedAt = Date.now();
      return;
    case '?':
      event.preventDefault();
      return dialog.showModal();
    case 't':
      return switchTheme();
    case '/':
      return search(event);
    case 'j':
      return move(event, 1);
    case 'k':
      return move(event, -1);
  }
}

function isTyping(element) {
  return element instanceof HTMLElement && element.matches('input, select, textarea, [contenteditable]');
}

function go(event, path) {
  event.preventDefault();
  location.assign(path);
}

function search(event) {
  event.preventDefault();
  const field = document.getElementById('search');
  if (field === null) location.assign('/issues#search');
  else field.focus();
}

/** Moves the focus between the titles of the rows. `Enter` then opens the focused link, as everywhere. */
function move(event, by) {
  const goals = [...document.querySelectorAll('a.goal, details.turn > summary')];
  if (goals.length === 0) return;
  event.preventDefault();
  const at = goals.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : goals.length - 1) : Math.min(goals.length - 1, Math.max(0, at + by));
  goals[next].focus();
}
