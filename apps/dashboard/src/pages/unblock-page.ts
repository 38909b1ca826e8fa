import { asksForHead } from '@mergexo/core/turns';
import { countComments } from '../facts/describe-wait.js';
import type { Blocked } from '../facts/read-blocked.js';
import { type Html, html } from '../html.js';
import type { Confirmation } from '../security/confirmation.js';
import type { Unblocked } from '../unblock-pull.js';
import { renderNotice, renderPage } from './layout.js';
import type { Links } from './links.js';

/** Asks once more, and says what will happen. */
export function renderConfirm(item: Blocked, confirmation: Confirmation, links: Links): string {
  const { repo, pr, issue, title } = item;
  const name = `${repo}#${pr ?? issue}`;
  const verb = pr === null ? 'Retry' : 'Unblock';
  const main = html`<h1>${verb} ${name}?</h1>
<p>${links.issue(repo, issue)} <bdi class="title">${title}</bdi>${pr !== null && html`, pull request ${links.pull(item)}`}</p>
<p>It was blocked (<span class="tag bad">${item.kind}</span>):</p>
<p class="reason"><bdi>${item.reason}</bdi></p>
<p>${item.waitingComments === 0 ? 'No comment waits' : countComments(item.waitingComments)}; what waits is answered next. If the cause is still there, it is blocked again.</p>
<form method="post" action="/unblock/${repo}/${pr ?? issue}">
<input type="hidden" name="request_id" value="${confirmation.requestId}">
<input type="hidden" name="expires_at" value="${confirmation.expiresAt}">
<input type="hidden" name="token" value="${confirmation.token}">
${pr === null ? html`<input type="hidden" name="of" value="issue"><input type="hidden" name="head_sha" value="">` : renderHeads(item)}
<p><button type="submit">${verb}</button> <a class="button plain" href="/">Leave it blocked</a></p>
</form>`;
  return renderPage({ title: `${verb} ${name}`, main });
}

/** After a rewrite nothing is preselected: keeping the accepted head blocks again at once unless somebody restored it. */
function renderHeads({ kind, acceptedHeadSha, headSha }: Blocked): Html {
  const canAccept = headSha !== null && headSha !== acceptedHeadSha;
  const mustChoose = canAccept && asksForHead(kind);
  return html`<fieldset><legend>The head from which history grows</legend>
<label><input type="radio" name="head_sha" value=""${mustChoose ? html` required` : html` checked`}> stays <code>${acceptedHeadSha ?? 'as it is'}</code>${mustChoose && html` <span class="quiet">(restore it on the branch first)</span>`}</label>
${canAccept && html`<label><input type="radio" name="head_sha" value="${headSha}"> accept <code>${headSha}</code> <span class="quiet">(as GitHub showed it last)</span></label>`}
</fieldset>`;
}

/** What became of it. */
export function renderOutcome(name: string, outcome: Unblocked): { status: number; page: string } {
  const told = describe(name, outcome);
  const main = html`<h1>${told.title}</h1>${told.words}<p><a class="button plain" href="/">Back to the fleet</a></p>`;
  return { status: told.status, page: renderPage({ title: told.title, main }) };
}

function describe(name: string, outcome: Unblocked): { status: number; title: string; words: Html } {
  switch (outcome.kind) {
    case 'done':
      return {
        status: 200,
        title: `${name} goes on`,
        words: renderNotice(
          'good',
          html`${outcome.waitingComments === 0 ? 'No comment waits' : countComments(outcome.waitingComments)} for an answer.${outcome.acceptedHeadSha !== null && html` The accepted head is <code>${outcome.acceptedHeadSha}</code>.`}`,
        ),
      };
    case 'refused':
      return {
        status: 409,
        title: `${name} was not changed`,
        words: renderNotice('bad', html`The poller refuses: <bdi>${outcome.reason}</bdi>`),
      };
    case 'unanswered':
      return {
        status: 503,
        title: `No answer about ${name}`,
        words: html`${renderNotice('bad', html`${outcome.reason}`)}<p>From now on the request counts for nothing. The fleet page shows whether it was done. Is the poller running? Without one, the command on the fleet page does it directly.</p>`,
      };
  }
}
