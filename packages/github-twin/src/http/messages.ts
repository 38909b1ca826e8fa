import type { IncomingHttpHeaders } from 'node:http';

/** The parts of `IncomingMessage` that the twin reads, so that a request needs no socket. */
export type Incoming = AsyncIterable<Buffer> & {
  method?: string | undefined;
  url?: string | undefined;
  headers: IncomingHttpHeaders;
  socket: { localPort?: number | undefined; destroy(): unknown };
};

/** The parts of `ServerResponse` that the twin uses. */
export type Outgoing = {
  readonly writableFinished: boolean;
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  sendDate: boolean;
  once(event: 'close', listener: () => void): unknown;
  writeHead(status: number, headers?: Record<string, string>): { end(): unknown };
  write(chunk: string, done: () => void): unknown;
  end(body?: Buffer): unknown;
  destroy(): unknown;
};
