import type { IncomingHttpHeaders } from 'node:http';
import type { Twin } from '@mergexo/github-twin';
import { currentLife, within } from './lives.js';
import type { Network } from './network.js';

/** As in production. */
const TIMEOUT_MS = 30_000;

type Fetched = {
  ok: boolean;
  status: number;
  url: string;
  headers: Map<string, string>;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
};

type Init = { method: string; headers: Record<string, string>; body?: string | undefined };

/** Creates the `fetch` of a poller: requests travel to the twin and back on the timeline. */
export function createGitHubLine(
  twin: Twin,
  network: Network,
  facts: { version(): number; hasFaults(): boolean },
) {
  const repeats = new Map<string, Repeat>();
  const exchange = async (url: string, { method, headers, body }: Init): Promise<Fetched> => {
    await network.travel('github');
    if (network.isCut('github')) {
      await network.timeline.wait(TIMEOUT_MS);
      throw new TypeError('fetch failed');
    }
    const etag = headers['if-none-match'];
    const known = repeats.get(url);
    const isUnchanged = known?.version === facts.version() && !facts.hasFaults() && known.count > 1;
    if (isUnchanged && etag !== undefined && known.etag === etag) {
      await network.travel('github');
      return {
        ok: false,
        status: 304,
        url,
        headers: new Map([['etag', etag]]),
        text: NO_TEXT,
        arrayBuffer: NO_BYTES,
      };
    }
    const { pathname, search } = new URL(url);
    const asking = twin.ask({ method, url: `${pathname}${search}`, headers: toIncoming(headers), body });
    let isOver = false;
    const stop = network.timeline.after(TIMEOUT_MS, () => {
      isOver = true;
      asking.hangUp();
    });
    const told = await asking.answer;
    stop();
    if (told === undefined) throw new TypeError(isOver ? 'The operation timed out' : 'fetch failed');
    if (method === 'GET' && !facts.hasFaults())
      noteRepeat(repeats, url, { etag: told.headers['etag'] ?? '', version: facts.version() });
    await network.travel('github');
    if (network.isCut('github')) throw new TypeError('fetch failed');
    const text = told.body.toString();
    return {
      ok: told.status < 400,
      status: told.status,
      url,
      headers: new Map(Object.entries(told.headers)),
      text: async () => text,
      arrayBuffer: async () => new Uint8Array(told.body).buffer,
    };
  };
  return (url: string, init: Init): Promise<Fetched> => {
    const life = currentLife();
    const what = `${init.method} ${new URL(url).pathname}`;
    const crosses = network.passDoor;
    crosses(life, `before ${what}`);
    if (life !== undefined && !life.isAlive) return new Promise(() => {});
    const exchanged = exchange(url, init).finally(() => crosses(life, `after ${what}`));
    return within(life, exchanged);
  };
}

const NO_TEXT = async (): Promise<string> => '';
const NO_BYTES = async (): Promise<ArrayBuffer> => new ArrayBuffer(0);

/** The latest answer to a read, and how often GitHub has repeated it since its last change. */
type Repeat = { etag: string; version: number; count: number };

/**
 * Remembers answers, because most reads of a poller change nothing. A remembered answer is used only after GitHub gave
 * it twice, because some reads make GitHub compute something for the next one.
 */
function noteRepeat(
  repeats: Map<string, Repeat>,
  url: string,
  { etag, version }: Omit<Repeat, 'count'>,
): void {
  const known = repeats.get(url);
  const isSame = known?.etag === etag && known.version === version;
  repeats.set(url, { etag, version, count: isSame ? known.count + 1 : 1 });
}

function toIncoming(headers: Record<string, string>): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
