import { ApiError } from '../basics/api-error.js';
import { type Armed, pick } from '../faults/faults.js';
import { secondaryLimit } from '../limits/limiter.js';
import type { Exchange } from './exchange.js';
import { isGitPath } from './git-path.js';
import { badCredentials } from './identify.js';

/** What became of a request under its faults: go on, answer this instead, or it has ended without an answer. */
export type Verdict =
  | { kind: 'go' }
  | { kind: 'answer'; error: ApiError }
  | { kind: 'html'; status: number }
  | { kind: 'over'; how: 'dropped' | 'client-gone' };

const GO: Verdict = { kind: 'go' };

export async function applyBefore(exchange: Exchange, armed: Armed[]): Promise<Verdict> {
  for (const one of [
    ...pick(armed, 'hold'),
    ...pick(armed, 'hang').filter(({ fault }) => fault.when === 'before'),
  ])
    if (!(await one.wait(exchange.gone))) return { kind: 'over', how: 'client-gone' };
  return applyAt('before', exchange, armed, () => refusalOf(armed));
}

export async function applyAfter(exchange: Exchange, armed: Armed[]): Promise<Verdict> {
  for (const one of pick(armed, 'hang').filter(({ fault }) => fault.when === 'after'))
    if (!(await one.wait(exchange.gone))) return { kind: 'over', how: 'client-gone' };
  return applyAt('after', exchange, armed, () => undefined);
}

async function applyAt(
  when: 'before' | 'after',
  exchange: Exchange,
  armed: Armed[],
  refuse: () => ApiError | undefined,
): Promise<Verdict> {
  const now = armed.filter(({ fault }) => 'when' in fault && fault.when === when);
  if (pick(now, 'drop').length > 0) {
    await dropConnection(exchange);
    return { kind: 'over', how: 'dropped' };
  }
  const [broken] = pick(now, 'error');
  if (broken) return { kind: 'answer', error: new ApiError(broken.fault.status, broken.fault.message) };
  const [page] = pick(now, 'html');
  if (page) return { kind: 'html', status: page.fault.status };
  const refusal = refuse();
  return refusal ? { kind: 'answer', error: refusal } : GO;
}

/**
 * Git's HTTP library repeats a request by itself when a kept-alive connection ends without a byte; half an answer
 * makes the loss visible, as a proxy that dies in the middle would.
 */
async function dropConnection({ request, response, path }: Exchange): Promise<void> {
  if (isGitPath(path)) {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': '65536' });
    await new Promise((resolve) => response.write('0', resolve));
  }
  request.socket.destroy();
}

function refusalOf(armed: Armed[]): ApiError | undefined {
  if (pick(armed, 'expired-token').length > 0) return badCredentials();
  const [secondary] = pick(armed, 'secondary-limit');
  return secondary && secondaryLimit(secondary.fault.status, secondary.fault.retryAfterSeconds);
}
