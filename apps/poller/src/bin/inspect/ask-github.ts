import type { createFetch } from '@mergexo/github';

export type Answer =
  | {
      kind: 'heard';
      status: number;
      headers: Pick<Headers, 'get' | 'has'>;
      data: unknown;
      askedAt: number;
      answeredAt: number;
    }
  | { kind: 'silent'; reason: string };

export type GitHubAccess = {
  apiUrl: string;
  token: string;
  now: () => number;
  fetch: ReturnType<typeof createFetch>;
};

export type Ask = (path: string) => Promise<Answer>;

const LIMIT_MS = 15_000;

/**
 * Sends one GET request without `@mergexo/github`, which hides the headers and error responses that the checks need.
 * Names no API version, so GitHub uses the oldest one that it supports. The checks read only fields of all versions.
 */
export async function askGitHub({ apiUrl, token, now, fetch }: GitHubAccess, path: string): Promise<Answer> {
  const askedAt = now();
  try {
    const response = await fetch(`${apiUrl.replace(/\/$/, '')}${path}`, {
      headers: {
        authorization: `token ${token}`,
        accept: 'application/vnd.github+json',
        'user-agent': 'mergexo',
      },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const answeredAt = now();
    const { status, headers } = response;
    return { kind: 'heard', status, headers, data: parse(await response.text()), askedAt, answeredAt };
  } catch (error) {
    return { kind: 'silent', reason: describe(error) };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the message of the error's cause if there is one, because the message of a failed `fetch` has no details.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
