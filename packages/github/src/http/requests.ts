import type { z } from 'zod';
import type { AskGraph } from './ask-graph.js';
import type { GetTail } from './get-tail.js';
import type { Query } from './send.js';

export type Answer<T> = { status: number; data: T; etag: string | null; next: string | null };

export type Requests = {
  get<S extends z.ZodType>(path: string, schema: S, options?: GetOptions): Promise<Answer<z.infer<S>>>;
  /** Undefined if nothing has changed since the ETag. */
  getIfChanged<S extends z.ZodType>(
    path: string,
    schema: S,
    options: GetOptions,
  ): Promise<Answer<z.infer<S>> | undefined>;
  /**
   * All rows in order, as of one moment. Fails with 'unavailable' if the list changes while it is read. With a limit,
   * returns the first rows up to the end of the page that reaches the limit.
   */
  getAll<Row>(path: string, row: z.ZodType<Row>, options?: { query?: Query; limit?: number }): Promise<Row[]>;
  getTail: GetTail;
  write<S extends z.ZodType>(route: WriteRoute, schema: S, body: object): Promise<z.infer<S>>;
  /** Like `write`, for a write that starts no work. Also returns the status. */
  writeQuietly<S extends z.ZodType>(
    route: WriteRoute,
    schema: S,
    body: object,
  ): Promise<{ status: number; data: z.infer<S> }>;
  askGraph: AskGraph;
};

/** The method and path of a write. */
export type WriteRoute = `${'POST' | 'PATCH' | 'DELETE'} /${string}`;

export type GetOptions = { query?: Query; etag?: string | null; media?: 'full' };
