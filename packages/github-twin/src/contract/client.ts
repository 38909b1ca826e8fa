import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { ok } from '../rest/call.js';
import { createRouter } from '../rest/router.js';
import { operationOf, responseSchemaOf, type Spec } from '../spec/load-spec.js';
import { createValidators } from '../spec/validators.js';
import { at } from '../testing/json-fields.js';

export type Target = { apiUrl: string; gitUrl: string; token: string; repo: string };
export type Reply = { status: number; body: unknown; headers: Headers };
export type Sample = { method: string; template: string; status: number; body: unknown };
export type CallOptions = { expect?: number; token?: string; headers?: Record<string, string> };
export type Client = ReturnType<typeof createClient>;

/** A minimal client for GitHub or the twin. It validates every response against GitHub's schema. */
export function createClient(target: Target) {
  const validators = createValidators();
  const routes = Object.entries(validators.spec.paths).flatMap(([template, item]) =>
    Object.keys(item).map((method) => ({ method: method.toUpperCase(), template, handle: () => ok({}) })),
  );
  const router = createRouter(routes);
  const seen = new Map<string, Sample>();

  /** Sends a request such as `GET ~/issues?state=all` and checks the status. `~` is the repository. */
  async function call(asked: string, body?: object, options: CallOptions | number = {}): Promise<Reply> {
    const {
      expect = 200,
      token = target.token,
      headers,
    } = typeof options === 'number' ? { expect: options } : options;
    const [method = '', path = ''] = asked.replace('~', `/repos/${target.repo}`).split(' ');
    const template = router.match(method, path.replace(/\?.*/, ''))?.route.template ?? path;
    const response = await send(`${target.apiUrl}${path}`, { method, body, token, headers });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    assert.equal(response.status, expect, `${asked}: ${text.slice(0, 400)}`);
    const sample = { method, template, status: response.status, body: answer };
    assert.deepEqual(validators.checkResponse(sample, sample), [], `${asked} ${expect} does not conform`);
    seen.set(`${method} ${template} ${expect}`, sample);
    return { status: response.status, body: answer, headers: response.headers };
  }

  async function graphql(query: string, variables: object): Promise<unknown> {
    const url = `${target.apiUrl.replace(/\/v3$/, '')}/graphql`;
    const response = await send(url, { method: 'POST', body: { query, variables }, token: target.token });
    assert.equal(response.status, 200);
    return response.json();
  }

  /** Removes each required field from each sample response. `unnoticed` lists the removals that validation accepted. */
  function examineChecks(): { removed: number; unnoticed: string[] } {
    const removals = [...seen].flatMap(([name, sample]) => {
      const { status, body } = sample;
      const fields = listRequired(validators.spec, sample).filter((field) => has(body, field));
      return fields.map((field) => {
        const errors = validators.checkResponse(sample, { status, body: dropField(body, field) });
        return { name: `${name} without ${field}`, noticed: errors.length > 0 };
      });
    });
    const unnoticed = removals.filter(({ noticed }) => !noticed).map(({ name }) => name);
    return { removed: removals.length, unnoticed };
  }

  return { target, call, graphql, examineChecks };
}

const has = (body: unknown, field: string) => at(Array.isArray(body) ? body[0] : body, field) !== undefined;

/** Returns a copy of the response without this field. In a list, each row loses the field. */
function dropField(body: unknown, field: string): unknown {
  if (Array.isArray(body)) return body.map((row) => dropField(row, field));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== field));
}

function listRequired(spec: Spec, { method, template, status }: Sample): string[] {
  const operation = operationOf(spec, method, template);
  const schema = operation && responseSchemaOf(spec, operation, status);
  const row = at(schema, 'items') ?? schema;
  const ref = at(row, '$ref');
  const required = at(typeof ref === 'string' ? at(spec, ...ref.split('/').slice(1)) : row, 'required');
  return Array.isArray(required) ? required.map(String) : [];
}

type Request = {
  method: string;
  token: string;
  body?: object | undefined;
  headers?: Record<string, string> | undefined;
};

function send(url: string, { method, token, body, headers }: Request): Promise<Response> {
  const own = {
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'user-agent': 'contract-suite',
  };
  return fetch(url, { method, headers: { ...own, ...headers }, ...(body && { body: JSON.stringify(body) }) });
}

/** Retries a check, because GitHub makes some changes in the background. The twin passes on the first attempt. */
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
