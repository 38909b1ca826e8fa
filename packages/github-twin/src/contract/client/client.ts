import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { createValidators, type Validators } from '../../spec/validators.js';

export type Target = { apiUrl: string; gitUrl: string; token: string; repo: string };
export type Reply = { status: number; body: unknown; headers: Headers };
export type CallOptions = {
  params?: Record<string, string | number>;
  query?: Record<string, string | number>;
  body?: unknown;
  headers?: Record<string, string>;
  token?: string;
  expect?: number;
};
export type Sample = { method: string; template: string; status: number; body: unknown };
export type Client = ReturnType<typeof createClient>;

/** The smallest client that can be pointed at GitHub or at the twin; every answer is held against GitHub's schema. */
export function createClient(target: Target, validators: Validators = createValidators()) {
  const [owner = '', repo = ''] = target.repo.split('/');
  const samples: Sample[] = [];

  async function call(method: string, template: string, options: CallOptions = {}): Promise<Reply> {
    const full = template.startsWith('~') ? `/repos/{owner}/{repo}${template.slice(1)}` : template;
    const params: Record<string, string | number> = { owner, repo, ...options.params };
    const path = full.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
    const query = new URLSearchParams(
      Object.entries(options.query ?? {}).map(([key, value]): [string, string] => [key, String(value)]),
    );
    const response = await fetch(`${target.apiUrl}${path}${query.size > 0 ? `?${query}` : ''}`, {
      method,
      headers: {
        authorization: `Bearer ${options.token ?? target.token}`,
        accept: 'application/vnd.github+json',
        'user-agent': 'contract-suite',
        ...options.headers,
      },
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    });
    const text = await response.text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const expected = options.expect ?? 200;
    assert.equal(response.status, expected, `${method} ${path}: ${text.slice(0, 400)}`);
    const errors = validators.checkAnswer(method, full, response.status, body);
    assert.deepEqual(errors, [], `${method} ${full} ${response.status} does not conform`);
    samples.push({ method, template: full, status: response.status, body });
    return { status: response.status, body, headers: response.headers };
  }

  return {
    target,
    call,
    samples,
    graphql: (query: string, variables: object) => graphql(target, query, variables),
  };
}

async function graphql(target: Target, query: string, variables: object): Promise<unknown> {
  const root = target.apiUrl.replace(/\/v3$/, '');
  const response = await fetch(`${root}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.token}`, 'user-agent': 'contract-suite' },
    body: JSON.stringify({ query, variables }),
  });
  assert.equal(response.status, 200);
  return response.json();
}

/** GitHub does some things in the background; a twin that does them at once passes at the first look. */
export async function eventually(check: () => Promise<void>, attempts = 10): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await check();
    } catch (error) {
      if (attempt >= attempts) throw error;
      await delay(attempt * 300);
    }
  }
}
