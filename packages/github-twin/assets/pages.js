// Shows changes by other users without a reload. Without this file, visitors reload the page.

const PERIOD_MS = 2_000;

/** The server's markup of each live element, before this script made times relative. */
const served = new Map();

function remember(element) {
  served.set(element.id, element.outerHTML);
}

function rememberAll() {
  for (const region of document.querySelectorAll('[data-live]')) {
    remember(region);
    if (region.dataset.live === 'list') for (const child of region.children) remember(child);
  }
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function inWords(moment) {
  const seconds = Math.round((Date.now() - moment) / 1_000);
  if (seconds < -5 || seconds > 30 * 86_400) return undefined;
  for (const [unit, length] of STEPS)
    if (seconds >= length) return ago.format(-Math.floor(seconds / length), unit);
  return 'just now';
}

function tellTimes() {
  for (const time of document.querySelectorAll('time')) {
    const words = inWords(Date.parse(time.dateTime));
    time.title = time.dateTime;
    if (words && time.textContent !== words) time.textContent = words;
  }
}

/** Keeps the visitor's typed text, choices and open sections when an element is replaced. */
function carryOver(from, to) {
  const twin = (field) => to.querySelector(`#${CSS.escape(field.id)}`);
  for (const field of from.querySelectorAll('textarea[id], input[id], select[id]')) {
    const next = twin(field);
    if (!next) continue;
    if (field.type === 'checkbox' || field.type === 'radio') next.checked = field.checked;
    else if (field.tagName !== 'SELECT') next.value = field.value;
    else if ([...next.options].some(({ value }) => value === field.value)) next.value = field.value;
  }
  for (const details of from.querySelectorAll('details[id]')) {
    const next = twin(details);
    if (next) next.open = details.open;
  }
  if (from.tagName === 'DETAILS' && to.tagName === 'DETAILS') to.open = from.open;
}

function replace(current, next) {
  const fresh = document.importNode(next, true);
  carryOver(current, fresh);
  const active = document.activeElement;
  const focused = active?.id && current.contains(active) ? active : undefined;
  const selection = focused?.tagName === 'TEXTAREA' ? [focused.selectionStart, focused.selectionEnd] : [];
  remember(next);
  current.replaceWith(fresh);
  if (!focused) return;
  const again = document.getElementById(focused.id);
  again?.focus({ preventScroll: true });
  if (selection.length > 0) again?.setSelectionRange(...selection);
}

function isUnfinished(element) {
  return [...element.querySelectorAll('textarea')].some(({ value }) => value.trim() !== '');
}

/** Compares children by id: inserts new ones in order, replaces changed ones and keeps the rest. */
function patchList(current, next) {
  let appeared = 0;
  const wanted = new Set([...next.children].map(({ id }) => id));
  for (const child of [...current.children])
    if (!wanted.has(child.id) && !isUnfinished(child)) child.remove();
  let place = current.firstElementChild;
  for (const child of next.children) {
    while (place && !wanted.has(place.id)) place = place.nextElementSibling;
    const known = current.querySelector(`:scope > #${CSS.escape(child.id)}`);
    if (!known) {
      remember(child);
      current.insertBefore(document.importNode(child, true), place);
      appeared += 1;
      continue;
    }
    if (known === place) place = place.nextElementSibling;
    else current.insertBefore(known, place);
    if (served.get(child.id) === child.outerHTML) continue;
    replace(known, child);
    appeared += 1;
  }
  return appeared;
}

function patch(page) {
  let news = 0;
  for (const region of document.querySelectorAll('[data-live]')) {
    const next = page.getElementById(region.id);
    if (!next || served.get(region.id) === next.outerHTML) continue;
    if (region.dataset.live === 'list') {
      news += patchList(region, next);
      served.set(region.id, next.outerHTML);
    } else replace(region, next);
  }
  if (news > 0) document.getElementById('news').textContent = 'There is something new in the conversation.';
}

let etag = '';
let asking = false;

async function refresh() {
  if (asking || document.hidden) return;
  asking = true;
  try {
    const headers = { accept: 'text/html', ...(etag && { 'if-none-match': etag }) };
    const response = await fetch(location.href, { headers, signal: AbortSignal.timeout(10_000) });
    if (response.status === 200 && !response.redirected) {
      etag = response.headers.get('etag') ?? '';
      patch(new DOMParser().parseFromString(await response.text(), 'text/html'));
    }
  } catch {
    // The server may be restarting, so the next poll tries again.
  } finally {
    asking = false;
    tellTimes();
  }
}

function setButtons(disabled) {
  for (const button of document.querySelectorAll('form button')) button.disabled = disabled;
}

rememberAll();
tellTimes();
if (served.size > 0) {
  setInterval(refresh, PERIOD_MS);
  document.addEventListener('visibilitychange', refresh);
}
// Disables buttons only after the form was sent, because a form omits disabled buttons.
document.addEventListener('submit', () => setTimeout(() => setButtons(true)));
window.addEventListener('pageshow', () => setButtons(false));
// Closes the picker or review form when the visitor clicks elsewhere.
document.addEventListener('click', ({ target }) => {
  for (const details of document.querySelectorAll('details.picker[open], details.review-form[open]'))
    if (!details.contains(target)) details.open = false;
});
document.addEventListener('keydown', ({ key, target }) => {
  const details = key === 'Escape' ? target.closest?.('details.picker, details.review-form') : undefined;
  if (details) details.open = false;
});
