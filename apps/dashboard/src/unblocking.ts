import type { Log } from '@mergexo/core/basics';
import type { Handler } from 'express';
import type { DashboardConfig } from './config.js';
import { findBlocked } from './facts/read-blocked.js';
import type { Look } from './look.js';
import { renderMessage } from './pages/layout.js';
import type { Links } from './pages/links.js';
import { renderConfirm, renderOutcome } from './pages/unblock-page.js';
import { type PlaceAsked, parsePlace } from './parse-place.js';
import { type Confirmation, createConfirmations } from './security/confirmation.js';
import { unblockPull } from './unblock-pull.js';

/** Handles the dashboard's only write: the confirmation page and its form. */
export function createUnblocking(
  settings: DashboardConfig,
  { look, links, now, log }: { look: Look; links: Links; now: () => number; log: Log },
): { ask: Handler; obey: Handler } {
  const confirmations = createConfirmations(now);
  const nameOf = ({ repo, number }: PlaceAsked): string => `${repo}#${number}`;

  return {
    ask(request, response, next) {
      const place = parsePlace(request.params);
      if (place === undefined) return next();
      const blocked = look.readState((facts) => findBlocked(facts, place.repo, place.number));
      if (blocked === undefined) {
        response.status(404).send(renderMessage('Nothing to unblock', `${nameOf(place)} is not blocked.`));
        return;
      }
      response.send(renderConfirm(blocked, confirmations.issue(nameOf(place)), links));
    },

    async obey(request, response, next) {
      const place = parsePlace(request.params);
      if (place === undefined) return next();
      const form = readForm(request.body);
      if (form === undefined || !confirmations.isValid(nameOf(place), form.confirmation)) {
        const words =
          'This form has expired or did not come from this dashboard. Nothing was changed. Open it again from the Overview page.';
        response.status(403).send(renderMessage('Confirmation expired', words));
        return;
      }
      if (form.headSha === undefined) {
        const words = 'Nothing was changed. Go back and select the head to accept.';
        response.status(400).send(renderMessage('No head selected', words));
        return;
      }
      const { requestId } = form.confirmation;
      const { repo, number } = place;
      const target = form.isIssue ? { repo, issueNumber: number } : { repo, prNumber: number };
      const outcome = await unblockPull(settings, { requestId, target, headSha: form.headSha });
      log.info({ repo_full_name: repo, number, outcome: outcome.kind }, 'asked the poller to unblock');
      const { status, page } = renderOutcome(nameOf(place), outcome);
      response.status(status).send(page);
    },
  };
}

type Form = {
  confirmation: Confirmation;
  /** Null keeps the accepted head. Undefined means that the operator selected neither head. */
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
