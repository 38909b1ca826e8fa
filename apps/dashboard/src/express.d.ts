/** Express has no types of its own; these are the parts that we use. */
declare module 'express' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http';

  export interface Request extends IncomingMessage {
    readonly method: string;
    readonly path: string;
    readonly params: Readonly<Record<string, string | undefined>>;
    readonly body: unknown;
  }
  export interface Response extends ServerResponse {
    status(code: number): this;
    type(name: string): this;
    send(body: string): this;
    redirect(code: number, location: string): void;
    sendFile(path: string): void;
  }
  export type Next = (error?: unknown) => void;
  export type Handler = (request: Request, response: Response, next: Next) => unknown;
  export type ErrorHandler = (error: unknown, request: Request, response: Response, next: Next) => unknown;

  export interface Express {
    (request: IncomingMessage, response: ServerResponse): void;
    disable(setting: string): this;
    set(setting: string, value: unknown): this;
    use(handler: Handler | ErrorHandler | Express): this;
    use(path: string, ...handlers: (Handler | Express)[]): this;
    get(path: string, ...handlers: Handler[]): this;
    post(path: string, ...handlers: Handler[]): this;
    listen(port: number, host: string): Server;
  }

  interface CreateExpress {
    (): Express;
    urlencoded(options: { extended: false; limit: string }): Handler;
  }
  const express: CreateExpress;
  export default express;
}
