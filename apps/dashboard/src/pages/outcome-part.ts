import type { Chrome } from '../facts/read-chrome.js';
import { type Html, html } from '../html.js';
import type { Asked } from '../operator/ask-poller.js';
import type { Done } from '../operator/operator-form.js';
import { renderNotice, renderPage } from './layout.js';

type About = {
  name: string;
  /** Absent if the poller sent an unexpected response. */
  done: Done | undefined;
  back: string;
  chrome: Chrome;
};

/** Renders the result of an operator's request. */
export function renderOutcome(asked: Asked, about: About): { status: number; page: string } {
  const { status, title, text } = describe(asked, about);
  const { back, chrome } = about;
  const main = html`<h1>${title}</h1>${text}<p class="buttons"><a class="button" href="${back}">Back</a>${back !== '/' && html` <a class="button plain" href="/">Home</a>`}</p>`;
  return { status, page: renderPage({ title, chrome, main }) };
}

function describe(asked: Asked, { name, done }: About): { status: number; title: string; text: Html } {
  if (asked.kind === 'unanswered') {
    const text = html`${renderNotice('bad', html`${asked.reason}`)}<p>The request expired. The home page shows whether anything changed. If the poller is not running, use the command line.</p>`;
    return { status: 503, title: `No response from the poller: ${name}`, text };
  }
  if (asked.kind === 'answered' && done !== undefined)
    return { status: 200, title: done.title, text: renderNotice('good', done.text) };
  const reason =
    asked.kind === 'refused' ? asked.reason : `Unexpected response from the poller: ${asked.answer.kind}.`;
  const text = renderNotice('bad', html`The poller rejected the request: <bdi>${reason}</bdi>`);
  return { status: 409, title: `Request rejected: ${name}`, text };
}
