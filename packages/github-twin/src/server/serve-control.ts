import { z } from 'zod';
import { listUsedPermissions } from '../apps/list-used-permissions.js';
import { ApiError } from '../basics/api-error.js';
import { createControl } from '../control/control.js';
import { createActions } from '../control/workflow-control.js';
import { Fault } from '../faults/fault.js';
import type { FaultHandle } from '../faults/faults.js';
import { type Exchange, LOOPBACK, parseJson, readText } from '../http/exchange.js';
import { JSON_TYPE, send } from '../http/send.js';
import { Annotation, Conclusion } from '../store/rows.js';
import { controlApps } from './control-apps.js';

const PREFIX = '/_twin/';
export const isControlPath = (path: string) => path.startsWith(PREFIX);

const Advance = z.strictObject({ advanceMs: z.number().nonnegative() });
const Job = z.strictObject({
  name: z.string(),
  log: z.string().default(''),
  steps: z.array(z.string()).exactOptional(),
});
const Start = z.strictObject({
  repo: z.string(),
  branch: z.string(),
  by: z.string(),
  name: z.string().exactOptional(),
  event: z.string().exactOptional(),
  jobs: z.array(Job).exactOptional(),
});
const Finish = z.strictObject({
  conclusion: Conclusion,
  job: z.string().exactOptional(),
  log: z.string().exactOptional(),
  annotations: z.array(Annotation).exactOptional(),
});

/** Lets other processes control the twin without a token. The Host and Origin checks keep web pages out. */
export async function serveControl(exchange: Exchange): Promise<void> {
  const { host = '', origin } = exchange.request.headers;
  const body = await readText(exchange.request);
  try {
    if (!LOOPBACK.test(host) || origin !== undefined)
      throw new ApiError(403, 'The control endpoint answers only programs on this machine.');
    reply(exchange, 200, act(exchange, parseJson(body)));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    reply(exchange, error instanceof ApiError ? error.status : 422, { message });
  }
}

function act({ world, method, path, query }: Exchange, body: unknown): unknown {
  const [control, actions] = [createControl(world), createActions(world)];
  const [what, id = '', verb = ''] = path.slice(PREFIX.length).split('/');
  const fault = (): FaultHandle => {
    const found = world.faults.list().find((one) => one.id === id);
    if (!found) throw new ApiError(404, `The twin has no fault ${id}.`);
    return found;
  };
  const routes: Record<string, () => unknown> = {
    'GET faults': () => world.faults.list().map(describe),
    'POST faults': () => ({ id: control.fault(Fault.parse(body)).id }),
    'DELETE faults': () => control.clearFaults(),
    'GET faults/ID/hits': () => describe(fault()),
    'POST faults/ID/release': () => fault().release(),
    'DELETE faults/ID': () => fault().clear(),
    'POST clock': () => ({ now: control.advance(Advance.parse(body).advanceMs) }),
    'GET history': () => {
      const [kind, after] = [query.get('kind'), Number(query.get('after') ?? 0)];
      return world.history.list().filter((entry) => (!kind || entry.kind === kind) && entry.seq > after);
    },
    'GET permissions': () => listUsedPermissions(world.history),
    'GET ledger/ID': () => control.ledger(id),
    'POST runs': () => {
      const { repo, ...run } = Start.parse(body);
      return { id: actions.start(repo, run) };
    },
    'POST runs/ID/finish': () => {
      const { conclusion, ...options } = Finish.parse(body);
      return actions.finish(Number(id), conclusion, options);
    },
  };
  if (what === 'apps') return controlApps({ world, method, slug: id, verb }, body);
  const route = routes[`${method} ${what}${id && '/ID'}${verb && `/${verb}`}`];
  if (!route) throw new ApiError(404, `The control endpoint has no ${method} ${path}.`);
  return route();
}

const describe = ({ id, fault, hits, waiting }: FaultHandle) => ({
  id,
  fault,
  hits: hits(),
  waiting: waiting(),
});

function reply(exchange: Exchange, status: number, value: unknown): void {
  send(exchange, { status, headers: JSON_TYPE, body: Buffer.from(JSON.stringify(value ?? {})) });
}
