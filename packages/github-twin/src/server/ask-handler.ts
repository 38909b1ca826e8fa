import type { IncomingHttpHeaders } from 'node:http';
import type { Incoming, Outgoing } from '../http/messages.js';

export type Asked = { method: string; url: string; headers: IncomingHttpHeaders; body?: string | undefined };
export type Told = { status: number; headers: Record<string, string>; body: Buffer };
export type Asking = {
  /** Undefined if the connection was dropped. */
  answer: Promise<Told | undefined>;
  /** Ends the connection, as a client does after a timeout. */
  hangUp(): void;
};

type Handle = (request: Incoming, response: Outgoing) => void;

/** Sends one request to the handler without a socket. */
export function askHandler(handle: Handle, { method, url, headers, body }: Asked): Asking {
  let finish = (_told: Told | undefined): void => {};
  const answer = new Promise<Told | undefined>((resolve) => {
    finish = resolve;
  });
  let onClose = (): void => {};
  let head: Omit<Told, 'body'> | undefined;
  let [isFinished, isDestroyed] = [false, false];
  const end = (bytes = Buffer.alloc(0)): void => {
    isFinished = true;
    finish(head && { ...head, body: bytes });
  };
  const destroy = (): void => {
    if (isDestroyed) return;
    isDestroyed = true;
    onClose();
    if (!isFinished) finish(undefined);
  };
  const response: Outgoing = {
    sendDate: false,
    get writableFinished() {
      return isFinished;
    },
    get destroyed() {
      return isDestroyed;
    },
    get headersSent() {
      return head !== undefined;
    },
    once(_event, listener) {
      onClose = listener;
    },
    writeHead(status, given = {}) {
      head = { status, headers: given };
      return { end };
    },
    write: (_chunk, done) => done(),
    end,
    destroy,
  };
  async function* read(): AsyncGenerator<Buffer> {
    if (body !== undefined) yield Buffer.from(body);
  }
  handle({ method, url, headers, socket: { destroy }, [Symbol.asyncIterator]: read }, response);
  return { answer, hangUp: destroy };
}
