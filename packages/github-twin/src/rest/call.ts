import { z } from 'zod';
import { ApiError, refusedByTwin } from '../basics/api-error.js';
import type { Token, User } from '../store/rows.js';
import type { ViewContext } from '../world/world.js';

/** One REST request, authenticated and checked. */
export type Call = ViewContext & {
  method: string;
  template: string;
  path: string;
  params: Record<string, string>;
  query: URLSearchParams;
  body: unknown;
  accept: string;
  user: User;
  token: Token | null;
  /** What the armed faults ask of lists and views. */
  lagMs: number;
  staleMs: number;
  shift: number;
  mergeableUnknown: boolean;
};

export type Answer = {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Instead of a JSON body. */
  text?: { type: string; content: string | Buffer };
};

export type Route = {
  method: string;
  template: string;
  handle: (call: Call) => Answer | Promise<Answer>;
};

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({
  status: 200,
  body,
  ...(headers && { headers }),
});
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent = (): Answer => ({ status: 204 });

export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new Error(`${call.template} has no {${name}}`);
  return value;
}

export function numberParam(call: Call, name: string): number {
  const text = param(call, name);
  if (!/^\d{1,15}$/.test(text)) throw new ApiError(404, 'Not Found');
  return Number(text);
}

/** The fields that a route uses; types were checked against GitHub's description before. */
export function readBody<Shape extends z.ZodRawShape>(call: Call, shape: Shape) {
  const parsed = z.object(shape).safeParse(call.body ?? {});
  if (parsed.success) return parsed.data;
  throw new ApiError(422, `Invalid request.\n\n${z.prettifyError(parsed.error)}`);
}

/** Parameters that GitHub has and the twin lacks must not be ignored in silence. */
export function refuseUnsupported(call: Call, names: string[]): void {
  const used = names.find((name) => call.query.has(name));
  if (used) throw refusedByTwin(501, `it does not implement the parameter "${used}"`);
}

/** The same for fields of a body. */
export function refuseUnsupportedFields(body: unknown, names: string[]): void {
  const used = names.find((name) => typeof body === 'object' && body !== null && name in body);
  if (used) throw refusedByTwin(501, `it does not implement the field "${used}"`);
}
