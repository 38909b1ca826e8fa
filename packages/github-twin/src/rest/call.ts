import { z } from 'zod';
import type { Access } from '../apps/installations.js';
import { ApiError, notFound, refusedByTwin } from '../basics/api-error.js';
import { type Armed, pick } from '../faults/faults.js';
import type { App } from '../store/app-rows.js';
import type { Token, User } from '../store/rows.js';
import type { ViewContext } from '../world/world.js';

/** Describes how active faults change lists and views. */
export function distortionOf(armed: Armed[]) {
  const longest = (kind: 'lag' | 'stale') =>
    Math.max(0, ...pick(armed, kind).map(({ fault }) => fault.seconds * 1000));
  return {
    lagMs: longest('lag'),
    staleMs: longest('stale'),
    pageShift: pick(armed, 'shift').reduce((sum, { fault }) => sum + fault.by, 0),
    mergeableUnknown: pick(armed, 'mergeable-null').length > 0,
    hideUsers: pick(armed, 'null-user').length > 0,
  };
}

/** One REST request, authenticated and checked. */
export type Call = ViewContext &
  ReturnType<typeof distortionOf> & {
    method: string;
    template: string;
    path: string;
    params: Record<string, string>;
    query: URLSearchParams;
    body: unknown;
    accept: string;
    /** Undefined for the twin's own calls, which see all fields. */
    apiVersion?: string | undefined;
    user: User;
    token: Token | null;
    /** What the token of an App's installation allows; null for people and their tokens. */
    access: Access | null;
    /** The App that authenticated itself with a JSON web token. */
    app: App | null;
  };

export type Answer = {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Text to send instead of a JSON body. */
  text?: { type: string; content: string };
};
export type Handler<Asked> = (call: Asked) => Answer | Promise<Answer>;
export type Route = {
  method: string;
  template: string;
  handle: Handler<Call>;
  /** `app` if the route accepts only an App's JSON web token. Such requests count towards no limit. */
  auth?: 'app';
};

export const ok = (body: unknown, headers: Record<string, string> = {}): Answer => ({
  status: 200,
  body,
  headers,
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
  if (!/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}

/** Finds a row by a path parameter. Throws 404 if the row belongs to another repository. */
export function rowParam<Row extends { repoId: number }>(
  call: Call & { repo: { id: number } },
  name: string,
  table: { get(id: number): Row | undefined },
): Row {
  const row = table.get(numberParam(call, name));
  if (row?.repoId !== call.repo.id) throw notFound();
  return row;
}

/** Parses the fields that a route supports. Rejects all others, so that the twin never silently ignores a field. */
export function readBody<Shape extends z.ZodRawShape>(call: Call, shape: Shape) {
  const parsed = z.strictObject(shape).safeParse(call.body ?? {});
  if (parsed.success) return parsed.data;
  const unknown = parsed.error.issues.find((issue) => issue.code === 'unrecognized_keys');
  if (unknown) throw refusedByTwin(501, `it does not implement the field "${unknown.keys[0]}"`);
  throw new ApiError(422, `Invalid request.\n\n${z.prettifyError(parsed.error)}`);
}

/** Rejects query parameters that GitHub supports but the twin does not. */
export function refuseUnsupported(call: Call, names: string[]): void {
  const used = names.find((name) => call.query.has(name));
  if (used) throw refusedByTwin(501, `it does not implement the parameter "${used}"`);
}
