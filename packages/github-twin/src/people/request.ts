import { z } from 'zod';
import { distortionOf } from '../rest/call.js';
import { dispatch } from '../rest/dispatch.js';
import type { Router } from '../rest/router.js';
import type { User } from '../store/rows.js';
import type { World } from '../world/world.js';

export type Request = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** Thrown if the API rejects a person's request. `body` is the response. */
export class Refused extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(message: string, { status, body }: { status: number; body?: unknown }) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.body = body;
  }
}

export function createRequest(world: World, router: Router, user: User): Request {
  return async (method, path, body) => {
    const { pathname, searchParams: query } = new URL(path, world.url);
    const who = {
      user,
      token: null,
      access: null,
      app: null,
      accept: 'application/json',
      ...distortionOf([]),
    };
    const question = { world, api: world.url, method, path: pathname, query, body, ...who };
    const answer = await dispatch(router.match(method, pathname), question);
    if (answer.status < 400) return answer.body;
    throw new Refused(`${user.login}: ${method} ${path} returned ${answer.status}: ${answer.json}`, answer);
  };
}

export const idOf = async (answer: Promise<unknown>): Promise<number> =>
  z.object({ id: z.number() }).parse(await answer).id;

export const numberOf = async (answer: Promise<unknown>): Promise<number> =>
  z.object({ number: z.number() }).parse(await answer).number;
