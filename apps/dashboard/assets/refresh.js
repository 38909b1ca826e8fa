/** Reads the page again every two seconds and replaces what changed. Without JavaScript the page reloads itself. */
const PAUSE_MS = 2000;
const main = document.getElementById('main');
const pulse = document.getElementById('pulse');
let shown = '';

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(10000) });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (isBusy()) return say('paused while you select or type', false);
    const text = page.getElementById('main').innerHTML;
    if (text !== shown) replace(text);
    shown = text;
    adopt(page);
    say('live', false);
  } catch {
    say('connection lost, showing the last update', true);
  }
}

/** A refresh would clear the selection and the input. */
function isBusy() {
  const selection = document.getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode);
  const focused = document.activeElement;
  return isSelected || (main.contains(focused) && focused.matches('input, select, textarea'));
}

/** Replaces the content, but keeps the focus and what the visitor folded or unfolded. */
function replace(text) {
  const focused = main.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  const folds = new Map([...main.querySelectorAll('details[id]')].map(({ id, open }) => [id, open]));
  main.innerHTML = text;
  for (const fold of main.querySelectorAll('details[id]'))
    if (folds.has(fold.id)) fold.open = folds.get(fold.id);
  if (focused === null) return;
  const links = [...main.querySelectorAll('a')];
  links.find((link) => link.getAttribute('href') === focused)?.focus({ preventScroll: true });
}

/** Takes over the title, the icon, the banners and the badge, which show the state. */
function adopt(page) {
  if (document.title !== page.title) document.title = page.title;
  const icon = document.querySelector('link[rel="icon"]');
  const href = page.querySelector('link[rel="icon"]').getAttribute('href');
  if (icon.getAttribute('href') !== href) icon.setAttribute('href', href);
  for (const selector of ['#banners', 'header nav']) {
    const here = document.querySelector(selector);
    const there = page.querySelector(selector);
    if (here.innerHTML !== there.innerHTML) here.innerHTML = there.innerHTML;
  }
}

function say(words, isStale) {
  if (pulse.textContent !== words) pulse.textContent = words;
  document.body.classList.toggle('stale', isStale);
}

async function run() {
  await refresh();
  setTimeout(run, PAUSE_MS);
}

document.addEventListener('visibilitychange', refresh);
run();
