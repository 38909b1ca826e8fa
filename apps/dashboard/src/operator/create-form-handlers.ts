import type { Log } from '@mergexo/core/basics';
import { MAX_REASON } from '@mergexo/core/ledger';
import type { Handler, Response } from 'express';
import type { DashboardConfig } from '../config.js';
import type { Reader } from '../create-reader.js';
import type { Chrome } from '../facts/read-chrome.js';
import { html } from '../html.js';
import { renderMessage, renderPage } from '../pages/layout.js';
import { renderOutcome } from '../pages/outcome-part.js';
import { type Confirmation, createConfirmations } from '../security/confirmation.js';
import { askPoller, startRequest } from './ask-poller.js';
import type { Confirm, OperatorForm } from './operator-form.js';
import { readField } from './read-field.js';

/** Handles every change that an operator makes on the dashboard: the page that asks for a confirmation, and its form. */
export function createFormHandlers(
  settings: DashboardConfig,
  { reader, log }: { reader: Reader; log: Log },
): <Subject>(form: OperatorForm<Subject>) => { showForm: Handler; submit: Handler } {
  const confirmations = createConfirmations(reader.now);
  const readChrome = (): Chrome => reader.readPage(() => undefined).chrome;
  return (form) => {
    /** Includes the session, which the guard stores, so that a form is valid only in its own session. */
    const sign = (name: string, { locals }: Response): string => `${locals['session']} ${name}`;
    return {
      showForm(request, response, next) {
        const subject = form.parse(request.params);
        if (subject === undefined) return next();
        const confirm = form.show(subject);
        if (typeof confirm === 'string') {
          response.status(404).send(renderMessage('Nothing to do', confirm, readChrome()));
          return;
        }
        const confirmation = confirmations.issue(sign(form.identify(subject), response));
        response.send(
          renderConfirm(confirm, {
            confirmation,
            action: request.path,
            back: form.locate(subject),
            chrome: readChrome(),
          }),
        );
      },

      async submit(request, response, next) {
        const subject = form.parse(request.params);
        if (subject === undefined) return next();
        const name = form.identify(subject);
        const confirmation = readConfirmation(request.body);
        if (confirmation === undefined || !confirmations.isValid(sign(name, response), confirmation)) {
          response.status(403).send(renderMessage('Confirmation expired', EXPIRED));
          return;
        }
        const reason = readReason(request.body);
        const message =
          reason === undefined
            ? `The reason must have at most ${MAX_REASON} characters.`
            : form.build(subject, request.body, startRequest(confirmation.requestId, reason));
        if (typeof message === 'string') {
          response.status(400).send(renderMessage('Invalid form', message));
          return;
        }
        const asked = await askPoller(settings, message);
        log.info({ operator_request: name, outcome: asked.kind }, 'sent an operator request to the poller');
        const done = asked.kind === 'answered' ? form.describe(subject, asked.answer) : undefined;
        const back = form.locate(subject);
        const { status, page } = renderOutcome(asked, { name, done, back, chrome: readChrome() });
        response.status(status).send(page);
      },
    };
  };
}

const EXPIRED =
  'This form has expired or did not come from this dashboard. Nothing was changed. Go back to the previous page and open the form again.';

function renderConfirm(
  { title, verb, about, fields }: Confirm,
  place: { confirmation: Confirmation; action: string; back: string; chrome: Chrome },
): string {
  const { confirmation, action, back, chrome } = place;
  const main = html`<h1>${title}</h1>
${about}
<form class="confirm" method="post" action="${action}">
<input type="hidden" name="request_id" value="${confirmation.requestId}">
<input type="hidden" name="expires_at" value="${confirmation.expiresAt}">
<input type="hidden" name="token" value="${confirmation.token}">
${fields}
<p><label for="reason">Reason <span class="quiet">(optional; everybody sees it)</span></label><input id="reason" name="reason" type="text" maxlength="${MAX_REASON}" autocomplete="off"></p>
<p class="buttons"><button type="submit">${verb}</button> <a class="button plain" href="${back}">Go back</a></p>
</form>`;
  return renderPage({ title, chrome, main });
}

/** Returns null if there is no reason, and undefined if it is too long. */
function readReason(body: unknown): string | null | undefined {
  const reason = readField(body, 'reason', /^[^\0]*$/)?.trim() ?? '';
  if (reason.length > MAX_REASON) return undefined;
  return reason === '' ? null : reason;
}

function readConfirmation(body: unknown): Confirmation | undefined {
  const requestId = readField(body, 'request_id', /^[\w-]{1,100}$/);
  const expiresAt = readField(body, 'expires_at', /^\d{1,15}$/);
  const token = readField(body, 'token', /^[0-9a-f]{64}$/);
  if (requestId === undefined || expiresAt === undefined || token === undefined) return undefined;
  return { requestId, expiresAt: Number(expiresAt), token };
}
