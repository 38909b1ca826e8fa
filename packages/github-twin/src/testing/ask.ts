import type { Twin } from '../start/start-twin.js';
import { at } from './json-fields.js';

export type Asked = { status: number; headers: Headers; text: string; body: unknown };
export type AskOptions = {
  as?: string;
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** Sends one request over real HTTP, as a user of the twin. */
export async function ask(twin: Twin, request: string, options: AskOptions = {}): Promise<Asked> {
  const [method = 'GET', path = '/'] = request.split(' ');
  const token = options.token ?? twin.tokens[options.as ?? 'alice'];
  const response = await fetch(`${twin.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { authorization: `token ${token}`, ...options.headers },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    ...(options.signal && { signal: options.signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends a request that must succeed, and returns one field of the response. */
export async function read(twin: Twin, request: string, ...keys: (string | number)[]): Promise<unknown> {
  const asked = await ask(twin, request);
  if (asked.status >= 300)
    throw new Error(`${request} returned ${asked.status}: ${asked.text.slice(0, 500)}`);
  return at(asked.body, ...keys);
}
