import { countOf } from '@mergexo/core/text';
import { asksForHead } from '@mergexo/core/turns';
import type { Blocked } from '../facts/read-blocked.js';
import { type Html, html } from '../html.js';
import type { Confirmation } from '../security/confirmation.js';
import type { Unblocked } from '../unblock-pull.js';
import { renderNotice, renderPage } from './layout.js';
import type { Links } from './links.js';

/** Renders the confirmation form and describes the effect. */
export function renderConfirm(item: Blocked, confirmation: Confirmation, links: Links): string {
  const { repo, pr, issue, title } = item;
  const name = `${repo}#${pr ?? issue}`;
  const verb = pr === null ? 'Retry' : 'Unblock';
  const main = html`<h1>${verb} ${name}?</h1>
<p>${links.issue(repo, issue)} <bdi class="title">${title}</bdi>${pr !== null && html`, pull request ${links.pull(item)}`}</p>
<p>MergeXO stopped working on this ${pr === null ? 'issue' : 'pull request'}. <span class="tag bad">${item.kind.replaceAll('_', ' ')}</span></p>
<p class="reason"><bdi>${item.reason}</bdi></p>
<p>If the cause still exists, MergeXO will block the ${pr === null ? 'issue' : 'pull request'} again.${item.waitingComments > 0 && html` ${countOf(item.waitingComments, 'comment')} ${item.waitingComments === 1 ? 'is' : 'are'} waiting for a reply.`}</p>
<form method="post" action="/unblock/${repo}/${pr ?? issue}">
<input type="hidden" name="request_id" value="${confirmation.requestId}">
<input type="hidden" name="expires_at" value="${confirmation.expiresAt}">
<input type="hidden" name="token" value="${confirmation.token}">
${pr === null ? html`<input type="hidden" name="of" value="issue"><input type="hidden" name="head_sha" value="">` : renderHeads(item)}
<p><button type="submit">${verb}</button> <a class="button plain" href="/">Cancel</a></p>
</form>`;
  return renderPage({ title: `${verb} ${name}`, main });
}

/**
 * Renders the choice of heads. After a rewrite, neither head is preselected, because keeping a head that the branch
 * lacks would block the pull request again.
 */
function renderHeads({ kind, acceptedHeadSha, headSha }: Blocked): Html {
  const canAccept = headSha !== null && headSha !== acceptedHeadSha;
  const mustChoose = canAccept && asksForHead(kind);
  return html`<fieldset><legend>Accepted head</legend>
<label><input type="radio" name="head_sha" value=""${mustChoose ? html` required` : html` checked`}> keep <code>${acceptedHeadSha ?? 'the current head commit'}</code>${mustChoose && html` <span class="quiet">(restore it on the branch first)</span>`}</label>
${canAccept && html`<label><input type="radio" name="head_sha" value="${headSha}"> accept <code>${headSha}</code> <span class="quiet">(last seen on GitHub)</span></label>`}
</fieldset>`;
}

/** Renders the result of an unblock request. */
export function renderOutcome(name: string, outcome: Unblocked): { status: number; page: string } {
  const { status, title, text } = describe(name, outcome);
  const main = html`<h1>${title}</h1>${text}<p><a class="button plain" href="/">Back to the overview</a></p>`;
  return { status, page: renderPage({ title, main }) };
}

function describe(name: string, outcome: Unblocked): { status: number; title: string; text: Html } {
  switch (outcome.kind) {
    case 'done':
      return {
        status: 200,
        title: `${name} resumed`,
        text: renderNotice(
          'good',
          html`${outcome.waitingComments === 0 ? 'MergeXO resumed work.' : `MergeXO resumed work and will reply to ${countOf(outcome.waitingComments, 'comment')}.`}${outcome.acceptedHeadSha !== null && html` The accepted head is <code>${outcome.acceptedHeadSha}</code>.`}`,
        ),
      };
    case 'refused':
      return {
        status: 409,
        title: `${name} was not changed`,
        text: renderNotice('bad', html`The poller rejected the request: <bdi>${outcome.reason}</bdi>`),
      };
    case 'unanswered':
      return {
        status: 503,
        title: `${name}: the poller did not respond`,
        text: html`${renderNotice('bad', html`${outcome.reason}`)}<p>The request expired. The Overview page shows whether the work is still blocked. If the poller is not running, run the command shown there.</p>`,
      };
  }
}
