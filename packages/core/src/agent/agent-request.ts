import { z } from 'zod';
import { QUESTION_KINDS } from '../turns/turn-kind.js';
import { TurnPackage } from './turn-package.js';

export const AGENT_PROTOCOL = 1;

/** A file that somebody uploaded to the issue or the pull request. MergeXO removes the file after the turn. */
const Attachment = z.strictObject({
  /** The absolute path. The sandbox mounts the file read-only. */
  path: z.string(),
  media_type: z.string(),
  url: z.string(),
  /** Where the upload appears, such as "comment 12 by alice". */
  source: z.string(),
  /** True if the session does not know the file yet. */
  is_new: z.boolean(),
});

/** One request to an agent. The built-in adapters send the prompt; a custom command may read the whole request. */
export const AgentRequest = z.strictObject({
  protocol: z.literal(AGENT_PROTOCOL),
  kind: z.enum(QUESTION_KINDS),
  turn_key: z.string().regex(/^[0-9a-f]{64}$/, 'expected a turn key'),
  attempt: z.int().min(1),
  /** The conversation to continue; null starts a new one. */
  session: z.strictObject({ adapter: z.string().min(1), thread_id: z.string().min(1) }).nullable(),
  prompt: z.string(),
  turn: TurnPackage,
  attachments: z.array(Attachment),
  output_schema: z.record(z.string(), z.unknown()),
});
export type AgentRequest = z.infer<typeof AgentRequest>;

const Tokens = z.int().min(0);

/** Usage as reported by the agent. An agent that does not know the cost omits it. */
const Usage = z.strictObject({
  input_tokens: Tokens,
  output_tokens: Tokens,
  cost_usd: z.number().min(0).nullable().optional(),
  /** The part of `input_tokens` that the provider read from its cache. */
  cached_input_tokens: Tokens.optional(),
  /** The model that answered. MergeXO looks up its price in `[prices]`. */
  model: z.string().min(1).max(100).optional(),
});

/** An agent's answer. The output is validated separately, against the schema for the turn's kind. */
export const AgentAnswer = z.strictObject({
  session: z.strictObject({ thread_id: z.string().min(1).max(500).nullable() }),
  output: z.unknown(),
  usage: Usage.optional(),
});
export type AgentAnswer = z.infer<typeof AgentAnswer>;
