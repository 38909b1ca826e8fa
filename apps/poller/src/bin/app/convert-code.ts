import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@mergexo/core/basics';
import type { createFetch } from '@mergexo/github';
import { z } from 'zod';

const LIMIT_MS = 30_000;
const ATTEMPTS = 3;

/**
 * Only these two fields cannot be read again, so a problem with any other field must not keep them from being stored.
 */
const Secret = z.object({ client_id: z.string(), pem: z.string() });
const Details = z.object({
  slug: z.string(),
  html_url: z.string(),
  webhook_secret: z.string().nullish(),
});

export type Converted = { clientId: string; pem: string; details: z.infer<typeof Details> | undefined };

type Tools = { apiUrl: string; fetch: ReturnType<typeof createFetch>; pauseMs?: number };

/**
 * Exchanges the code for the App's key. GitHub shows the key only once. If the response is lost, GitHub refuses a
 * second exchange, and the person has to create another key.
 */
export async function convertCode(
  { apiUrl, fetch, pauseMs = 1_000 }: Tools,
  code: string,
): Promise<Converted> {
  const url = `${apiUrl.replace(/\/$/, '')}/app-manifests/${encodeURIComponent(code)}/conversions`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await exchange(() => fetch(url, requestOf()));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'unavailable' || attempt >= ATTEMPTS) throw error;
      await sleep(pauseMs);
    }
  }
}

const requestOf = () => ({
  method: 'POST',
  headers: { accept: 'application/vnd.github+json', 'user-agent': 'mergexo' },
  signal: AbortSignal.timeout(LIMIT_MS),
});

async function exchange(post: () => ReturnType<Tools['fetch']>): Promise<Converted> {
  const { status, data } = await readAnswer(post);
  if (status >= 500)
    throw new Failure('unavailable', `GitHub answered ${status}, so the App has no key yet.`);
  if (status !== 201) {
    const why = 'The code is older than an hour, or its answer was lost.';
    throw new Failure('conflict', `GitHub refused to send the key of the App with ${status}. ${why}`);
  }
  const secret = Secret.safeParse(data).data;
  if (secret === undefined) throw new Failure('invalid-data', 'GitHub sent no key for the App.');
  return { clientId: secret.client_id, pem: secret.pem, details: Details.safeParse(data).data };
}

async function readAnswer(
  post: () => ReturnType<Tools['fetch']>,
): Promise<{ status: number; data: unknown }> {
  try {
    const response = await post();
    const text = await response.text();
    return { status: response.status, data: text === '' ? undefined : JSON.parse(text) };
  } catch (cause) {
    throw new Failure('unavailable', 'GitHub did not respond, so MergeXO has no key of the App.', { cause });
  }
}
