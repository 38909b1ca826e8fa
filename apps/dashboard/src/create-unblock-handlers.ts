import type { Log } from '@mergexo/core/basics';
import type { Handler, Response } from 'express';
import type { DashboardConfig } from './config.js';
import type { Reader } from './create-reader.js';
import { findBlocked } from './facts/read-blocked.js';
import { renderMessage } from './pages/layout.js';
import type { Links } from './pages/links.js';
import { renderConfirm, renderOutcome } from './pages/unblock-page.js';
import { type IssueParams, parseIssueParams } from './parse-issue-params.js';
import { type Confirmation, createConfirmations } from './security/confirmation.js';
import { unblockPull } from './unblock-pull.js';

/** Handles the dashboard's only write: the confirmation page and its form. */
export function createUnblockHandlers(
  settings: DashboardConfig,
  { reader, links, now, log }: { reader: Reader; links: Links; now: () => number; log: Log },
): { showForm: Handler; submit: Handler } {
  const confirmations = createConfirmations(now);
  const nameOf = ({ repo, number }: IssueParams): string => `${repo}#${number}`;
  /** Includes the session, which the guard stores, so that a form is valid only in its own session. */
  const subjectOf = (params: IssueParams, { locals }: Response): string =>
    `${locals['session']} ${nameOf(params)}`;

  return {
    showForm(request, response, next) {
      const params = parseIssueParams(request.params);
      if (params === undefined) return next();
      const blocked = reader.readState((facts) => findBlocked(facts, params.repo, params.number));
      if (blocked === undefined) {
        response.status(404).send(renderMessage('Nothing to unblock', `${nameOf(params)} is not blocked.`));
        return;
      }
      response.send(renderConfirm(blocked, confirmations.issue(subjectOf(params, response)), links));
    },

    async submit(request, response, next) {
      const params = parseIssueParams(request.params);
      if (params === undefined) return next();
      const form = readForm(request.body);
      if (form === undefined || !confirmations.isValid(subjectOf(params, response), form.confirmation)) {
        const text =
          'This form has expired or did not come from this dashboard. Nothing was changed. Open it again from the Overview page.';
        response.status(403).send(renderMessage('Confirmation expired', text));
        return;
      }
      if (form.headSha === undefined) {
        const text = 'Nothing was changed. Go back and select the head commit to accept.';
        response.status(400).send(renderMessage('No head commit selected', text));
        return;
      }
      const { requestId } = form.confirmation;
      const { repo, number } = params;
      const target = form.isIssue ? { repo, issueNumber: number } : { repo, prNumber: number };
      const outcome = await unblockPull(settings, { requestId, target, headSha: form.headSha });
      log.info({ repo_full_name: repo, number, outcome: outcome.kind }, 'asked the poller to unblock');
      const { status, page } = renderOutcome(nameOf(params), outcome);
      response.status(status).send(page);
    },
  };
}

type Form = {
  confirmation: Confirmation;
  /** The head to accept. Null keeps the accepted head. Undefined means that the operator selected neither head. */
  headSha: string | null | undefined;
  isIssue: boolean;
};

function readForm(body: unknown): Form | undefined {
  const requestId = readField(body, 'request_id', /^[\w-]{1,100}$/);
  const expiresAt = readField(body, 'expires_at', /^\d{1,15}$/);
  const token = readField(body, 'token', /^[0-9a-f]{64}$/);
  if (requestId === undefined || expiresAt === undefined || token === undefined) return undefined;
  const confirmation = { requestId, expiresAt: Number(expiresAt), token };
  const headSha = readField(body, 'head_sha', /^([0-9a-f]{40})?$/);
  if (headSha === undefined && readField(body, 'head_sha', /^/) !== undefined) return undefined;
  const isIssue = readField(body, 'of', /^issue$/) !== undefined;
  return { confirmation, headSha: headSha === '' ? null : headSha, isIssue };
}

function readField(body: unknown, name: string, shape: RegExp): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === 'string' && shape.test(value) ? value : undefined;
}
