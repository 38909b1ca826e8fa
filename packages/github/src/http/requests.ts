import type { z } from 'zod';
import type { AskGraph } from './ask-graph.js';
import type { GetTail } from './get-tail.js';
import type { Query } from './send.js';

export type Answer<T> = { status: number; data: T; etag: string | null; next: string | null };

export type Requests = {
  get<S extends z.ZodType>(path: string, schema: S, options?: GetOptions): Promise<Answer<z.infer<S>>>;
  /** Undefined when nothing changed since the ETag was given. */
  getIfChanged<S extends z.ZodType>(
    path: string,
    schema: S,
    options: GetOptions,
  ): Promise<Answer<z.infer<S>> | undefined>;
  /** Every page, in order, as they were at one moment; 'unavailable' when they changed meanwhile. */
  getAll<Row>(path: string, row: z.ZodType<Row>, query?: Query, options?: { limit: number }): Promise<Row[]>;
  getTail: GetTail;
  write<S extends z.ZodType>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    schema: S,
    body: object,
  ): Promise<z.infer<S>>;
  askGraph: AskGraph;
};

export type GetOptions = { query?: Query; etag?: string | null };
