import { z } from 'zod';
import { userNamed } from '../control/control.js';
import { dispatch } from '../rest/dispatch.js';
import type { Router } from '../rest/router.js';
import type { World } from '../world/world.js';

const Id = z.object({ id: z.number() });
const Numbered = z.object({ number: z.number() });

export type Request = (method: string, path: string, body?: unknown) => Promise<unknown>;
/** What a person was not allowed to do, with the API's own answer. */
export class Refused extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(message: string, status: number, body: unknown) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.body = body;
  }
}

export function createRequest(world: World, router: Router, login: string): Request {
  const user = userNamed(world, login);
  return async (method, path, body) => {
    const url = new URL(path, world.url);
    const answer = await dispatch(router.match(method, url.pathname), {
      world,
      api: world.url,
      method,
      path: url.pathname,
      query: url.searchParams,
      body,
      accept: 'application/json',
      user,
      token: null,
      lagMs: 0,
      staleMs: 0,
      shift: 0,
      mergeableUnknown: false,
    });
    if (answer.status < 400) return answer.body;
    const words = `${login}: ${method} ${path} was answered ${answer.status}: ${answer.json}`;
    throw new Refused(words, answer.status, answer.body);
  };
}

export async function idOf(answer: Promise<unknown>): Promise<number> {
  return Id.parse(await answer).id;
}

export async function numberOf(answer: Promise<unknown>): Promise<number> {
  return Numbered.parse(await answer).number;
}
