/** Refreshes the page every two seconds. Without JavaScript the page reloads itself less often. */
const PAUSE_MS = 2000;
const live = document.getElementById('live');
const pulse = document.getElementById('pulse');
let shown = '';

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch(live.dataset.from, { signal: AbortSignal.timeout(10000) });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const text = await answer.text();
    if (isSelected()) return say('paused while text is selected', false);
    if (text !== shown) replace(text);
    shown = text;
    say('live', false);
  } catch {
    say('connection lost, showing the last update', true);
  }
}

/** A refresh would clear the selection. */
function isSelected() {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && live.contains(selection.anchorNode);
}

/** Restores the focus for keyboard users. */
function replace(text) {
  const focused = live.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  live.innerHTML = text;
  if (focused === null) return;
  const links = [...live.querySelectorAll('a')];
  links.find((link) => link.getAttribute('href') === focused)?.focus({ preventScroll: true });
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
