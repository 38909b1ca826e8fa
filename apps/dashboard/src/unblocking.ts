import type { Log } from '@mergexo/core';
import type { Handler } from 'express';
import type { DashboardConfig } from './config.js';
import { findBlockedPull } from './facts/read-blocked.js';
import type { Look } from './look.js';
import { renderMessage } from './pages/layout.js';
import type { Links } from './pages/links.js';
import { renderConfirm, renderOutcome } from './pages/unblock-page.js';
import { type PlaceAsked, parsePlace } from './parse-place.js';
import { type Confirmation, createConfirmations } from './security/confirmation.js';
import { unblockPull } from './unblock-pull.js';

/** The one thing that can be done here: a page that asks, and the form that it sends. */
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
      const blocked = look.readState((facts) => findBlockedPull(facts, place.repo, place.number));
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
          'This form is not one that we showed, or it is too old. Nothing was done; begin again at the fleet.';
        response.status(403).send(renderMessage('Not confirmed', words));
        return;
      }
      const { requestId } = form.confirmation;
      const { repo, number: prNumber } = place;
      const outcome = await unblockPull(settings, { requestId, repo, prNumber, headSha: form.headSha });
      log.info(
        { repo_full_name: repo, pr_number: prNumber, outcome: outcome.kind },
        'asked the poller to unblock',
      );
      const { status, page } = renderOutcome(nameOf(place), outcome);
      response.status(status).send(page);
    },
  };
}

function readForm(body: unknown): { confirmation: Confirmation; headSha: string | null } | undefined {
  const requestId = readField(body, 'request_id', /^[\w-]{1,100}$/);
  const expiresAt = readField(body, 'expires_at', /^\d{1,15}$/);
  const token = readField(body, 'token', /^[0-9a-f]{64}$/);
  const headSha = readField(body, 'head_sha', /^([0-9a-f]{40})?$/);
  if (requestId === undefined || expiresAt === undefined || token === undefined || headSha === undefined)
    return undefined;
  return { confirmation: { requestId, expiresAt: Number(expiresAt), token }, headSha: headSha || null };
}

function readField(body: unknown, name: string, shape: RegExp): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === 'string' && shape.test(value) ? value : undefined;
}
