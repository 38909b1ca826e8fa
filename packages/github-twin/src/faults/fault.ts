import { z } from 'zod';

const when = z.enum(['before', 'after']).default('before');

const target = {
  /** `POST /repos/{owner}/{repo}/pulls`, `GIT push`, `GIT fetch`, `POST /graphql`; `*` stands for anything. */
  route: z.string().default('*'),
  /** The exact path of one thing, such as `/repos/acme/app/issues/7`. */
  path: z.string().optional(),
  repo: z.string().optional(),
  user: z.string().optional(),
  /** How many matching requests are hit; null means until cleared. */
  times: z.number().int().positive().nullable().optional(),
  /** How many matching requests pass first. */
  skip: z.number().int().nonnegative().default(0),
};

const fault = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject({ ...target, ...shape });

/** One thing that goes wrong. `before` means that nothing was applied, `after` that everything was. */
export const Fault = z.discriminatedUnion('kind', [
  fault({
    kind: z.literal('error'),
    when,
    status: z.number().int().min(400).max(599).default(502),
    message: z.string().default('Server Error'),
  }),
  fault({ kind: z.literal('drop'), when }),
  fault({ kind: z.literal('hang'), when }),
  /** Waits before applying until released, then goes on as if nothing had been: for staging races. */
  fault({ kind: z.literal('hold') }),
  /** Lists do not show what is younger or has changed since; single reads and counts do. */
  fault({ kind: z.literal('lag'), seconds: z.number().positive() }),
  /** Pull requests, listed or read alone, are served as they were so long ago. */
  fault({ kind: z.literal('stale'), seconds: z.number().positive() }),
  /** From the second page on, rows are skipped (above 0) or repeated (below 0), as when a list moves under a reader. */
  fault({ kind: z.literal('shift'), by: z.number().int() }),
  fault({
    kind: z.literal('secondary-limit'),
    status: z.union([z.literal(403), z.literal(429)]).default(403),
    retryAfterSeconds: z.number().int().positive().nullable().default(null),
  }),
  fault({ kind: z.literal('expired-token') }),
  fault({ kind: z.literal('truncated') }),
  fault({
    kind: z.literal('html'),
    when: z.enum(['before', 'after']).default('after'),
    status: z.number().int().default(200),
  }),
  fault({ kind: z.literal('mergeable-null') }),
  fault({ kind: z.literal('null-user') }),
  /** `GIT push` only: the push is answered by git itself with a refusal of every ref. */
  fault({
    kind: z.literal('refuse-push'),
    message: z.string().default('push declined due to repository rule violations'),
  }),
]);
export type Fault = z.infer<typeof Fault>;
export type FaultInput = z.input<typeof Fault>;
export type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { kind: Kind }>;

/** States rather than accidents: they last until they are cleared. */
const LASTING: Fault['kind'][] = ['lag', 'stale', 'shift', 'null-user'];

export function timesOf(fault: Fault): number {
  if (fault.times === null) return Number.POSITIVE_INFINITY;
  return fault.times ?? (LASTING.includes(fault.kind) ? Number.POSITIVE_INFINITY : 1);
}
