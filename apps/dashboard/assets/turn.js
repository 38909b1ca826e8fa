/** Adds new steps to the page as they happen. Without JavaScript the page reloads itself. */
const MAX_STEPS = 2000;
const RETRY_MS = 5000;
const list = document.getElementById('steps');
const facts = document.getElementById('facts');
const none = document.getElementById('none');
const pulse = document.getElementById('pulse');
let last = Number(list.dataset.after);
let source;
let isOver = false;

function open() {
  if (isOver || source !== undefined || document.hidden) return;
  source = new EventSource(`${list.dataset.from}?after=${last}`);
  source.addEventListener('open', () => say('live', false));
  source.addEventListener('step', (event) => add(Number(event.lastEventId), JSON.parse(event.data)));
  source.addEventListener('facts', (event) => {
    facts.innerHTML = JSON.parse(event.data);
  });
  source.addEventListener('end', () => {
    isOver = true;
    close();
    say('ended', false);
  });
  source.addEventListener('error', retry);
}

/** A browser reconnects by itself, unless the server refused. */
function retry() {
  say('connection lost', true);
  if (source?.readyState !== EventSource.CLOSED) return;
  close();
  setTimeout(open, RETRY_MS);
}

function close() {
  source?.close();
  source = undefined;
}

function add(id, text) {
  if (id <= last) return;
  last = id;
  const root = document.documentElement;
  const isAtEnd = root.scrollTop + root.clientHeight >= root.scrollHeight - 40;
  none.hidden = true;
  list.insertAdjacentHTML('beforeend', text);
  while (list.children.length > MAX_STEPS) list.firstElementChild.remove();
  if (isAtEnd) root.scrollTop = root.scrollHeight;
}

function say(words, isStale) {
  if (pulse.textContent !== words) pulse.textContent = words;
  document.body.classList.toggle('stale', isStale);
}

/** A browser opens only six connections to a server, so hidden pages must not hold any. */
document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
open();
