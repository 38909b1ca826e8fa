import { describeHost, Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { checkAnswer } from './check-answer.js';
import { refuseForeign } from './refuse-foreign.js';
import type { Connection, Send, Sent } from './send.js';
import { statusOf, toFailure } from './to-failure.js';

/** A mutation is a write, so its repository must be configured. */
export type Question = { kind: 'query' | 'mutation'; repo: string; text: string; variables: object };

/** Sends a GraphQL request, for functions that REST lacks. Null if GraphQL is missing or the token lacks permission. */
export type AskGraph = <S extends z.ZodType>(question: Question, schema: S) => Promise<z.infer<S> | null>;

const Complaint = z.object({
  type: z.string().optional(),
  message: z.string().default('no reason was given'),
  locations: z.unknown().optional(),
});
const Reply = z.object({ data: z.unknown().optional(), errors: z.array(Complaint).default([]) });

const ABSENT = [403, 404, 405, 410, 501];
const REFUSALS = ['FORBIDDEN', 'INSUFFICIENT_SCOPES', 'NOT_FOUND', 'UNPROCESSABLE'];

export function createAskGraph(connection: Connection, send: Send): AskGraph {
  const url = describeHost(connection.apiUrl).graphUrl;
  return async ({ kind, repo, text, variables }, schema) => {
    const reads = kind === 'query';
    if (!reads) refuseForeign(connection, repo);
    const sent = await sendIfThere(() =>
      send('POST', url, { body: { query: text, variables }, reads, repo }),
    );
    if (sent === null) return null;
    const what = `a GraphQL ${kind} about ${repo}`;
    const about = { what, otherwise: reads ? 'invalid-data' : 'unknown-outcome' } as const;
    const { data, errors } = checkAnswer(Reply, sent.data, about);
    if (errors.length === 0) return checkAnswer(schema, data, about);
    // Errors that are not refusals happened while GitHub executed the request. Most of them are timeouts.
    const trouble = errors.find((error) => !isRefusal(error, data));
    if (trouble !== undefined)
      throw toFailure({ message: trouble.message, response: sent }, { reads, what }, connection.now());
    if (!errors.every(({ type }) => type === 'NOT_FOUND')) return null;
    return schema.safeParse(data).data ?? null;
  };
}

async function sendIfThere(ask: () => Promise<Sent | undefined>): Promise<Sent | null> {
  try {
    return (await ask()) ?? null;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'rate-limited') throw error;
    if (ABSENT.includes(statusOf(error) ?? 0)) return null;
    throw error;
  }
}

/**
 * True if the server refuses the request, or if its schema lacks a requested field. A request that fails validation
 * gets error locations and no data.
 */
function isRefusal({ type, locations }: z.infer<typeof Complaint>, data: unknown): boolean {
  if (type !== undefined) return REFUSALS.includes(type);
  return data === undefined && locations !== undefined;
}
