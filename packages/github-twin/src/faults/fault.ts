import { z } from 'zod';

const when = z.enum(['before', 'after']).default('before');

const target = {
  /** Such as `POST /repos/{owner}/{repo}/pulls`, `GIT push`, `GIT fetch` or `POST /graphql`. `*` matches anything. */
  route: z.string().default('*'),
  /** An exact path, such as `/repos/acme/app/issues/7`. */
  path: z.string().optional(),
  repo: z.string().optional(),
  user: z.string().optional(),
  /** Number of matching requests that the fault affects. Null means unlimited. */
  times: z.number().int().positive().nullable().optional(),
  /** Number of matching requests that pass before the fault takes effect. */
  skip: z.number().int().nonnegative().default(0),
};

const fault = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject({ ...target, ...shape });

/** `when` is `before` or `after`: whether the fault happens before or after the request takes effect. */
export const Fault = z.discriminatedUnion('kind', [
  fault({
    kind: z.literal('error'),
    when,
    status: z.number().int().min(400).max(599).default(502),
    message: z.string().default('Server Error'),
  }),
  fault({ kind: z.literal('drop'), when }),
  fault({ kind: z.literal('hang'), when }),
  /** The request waits, without effect, until the fault is released. Tests use this fault to stage races. */
  fault({ kind: z.literal('hold') }),
  /** Lists omit rows younger than `seconds` and return changed rows in an earlier state. Other reads are current. */
  fault({ kind: z.literal('lag'), seconds: z.number().positive() }),
  /** Lists and single reads return pull requests in their state from `seconds` ago. */
  fault({ kind: z.literal('stale'), seconds: z.number().positive() }),
  /**
   * From the second page on, rows are skipped (`by` above 0) or repeated (`by` below 0), as if rows had been removed
   * or added between two requests.
   */
  fault({ kind: z.literal('shift'), by: z.number().int() }),
  fault({
    kind: z.literal('secondary-limit'),
    status: z.union([z.literal(403), z.literal(429)]).default(403),
    retryAfterSeconds: z.number().int().positive().nullable().default(null),
  }),
  fault({ kind: z.literal('expired-token') }),
  /** Installation tokens younger than `seconds` get 401, as if not all of GitHub's servers knew them yet. */
  fault({ kind: z.literal('token-lag'), seconds: z.number().positive() }),
  fault({ kind: z.literal('truncated') }),
  fault({
    kind: z.literal('html'),
    when: z.enum(['before', 'after']).default('after'),
    status: z.number().int().default(200),
  }),
  fault({ kind: z.literal('mergeable-null') }),
  fault({ kind: z.literal('null-user') }),
  /** `GIT push` only: rejects every ref. */
  fault({
    kind: z.literal('refuse-push'),
    message: z.string().default('push declined due to repository rule violations'),
  }),
]);
export type Fault = z.infer<typeof Fault>;
export type FaultInput = z.input<typeof Fault>;
export type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { kind: Kind }>;

/** These faults describe a state, so by default they last until a test clears them. */
const LASTING: Fault['kind'][] = ['lag', 'stale', 'shift', 'null-user', 'token-lag'];

export function timesOf(fault: Fault): number {
  if (fault.times === null) return Number.POSITIVE_INFINITY;
  return fault.times ?? (LASTING.includes(fault.kind) ? Number.POSITIVE_INFINITY : 1);
}
