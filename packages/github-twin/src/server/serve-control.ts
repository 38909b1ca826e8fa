import { z } from 'zod';
import { ApiError } from '../basics/api-error.js';
import type { Control } from '../control/control.js';
import { Fault } from '../faults/fault.js';
import { type Exchange, parseJson, readText } from '../http/exchange.js';
import { send } from '../http/send.js';
import type { World } from '../world/world.js';

const PREFIX = '/_twin/';

export const isControlPath = (path: string) => path.startsWith(PREFIX);

/** The knobs for other processes. Nobody is asked for a token, so it exists only when it was asked for. */
export async function serveControl(world: World, control: Control, exchange: Exchange): Promise<void> {
  const body = parseJson(await readText(exchange.request));
  try {
    reply(exchange, 200, act(world, control, exchange, body));
  } catch (error) {
    const refused = error instanceof ApiError || error instanceof z.ZodError || error instanceof Error;
    reply(exchange, error instanceof ApiError ? error.status : 422, {
      message: refused ? error.message : String(error),
    });
  }
}

function act(world: World, control: Control, { method, path, query }: Exchange, body: unknown): unknown {
  const [what = '', id = '', verb] = path.slice(PREFIX.length).split('/');
  const asked = `${method} ${what}${verb ? `/${verb}` : ''}`;
  if (asked === 'GET faults') return world.faults.list();
  if (asked === 'POST faults') return { id: control.fault(Fault.parse(body)).id };
  if (asked === 'DELETE faults' && id === '') return void world.faults.clear();
  if (asked === 'GET history')
    return control.listHistory(query.get('kind') ?? undefined, Number(query.get('after') ?? 0));
  if (asked === 'POST clock')
    return { now: control.advance(z.object({ advanceMs: z.number() }).parse(body).advanceMs) };
  if (asked === 'GET ledger') return control.ledger(id);
  const handle = world.faults.handle(id);
  if (!handle) throw new ApiError(404, `no ${what} ${id}`);
  if (asked === 'POST faults/release') return void handle.release();
  if (asked === 'DELETE faults') return void handle.clear();
  if (asked === 'GET faults/hits') return { hits: handle.hits(), waiting: handle.waiting() };
  throw new ApiError(404, `the control endpoint has no ${method} ${path}`);
}

function reply(exchange: Exchange, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value ?? {}));
  send(exchange, { status, headers: { 'content-type': 'application/json' }, body });
}
