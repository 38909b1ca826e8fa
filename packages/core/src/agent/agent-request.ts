import { z } from 'zod';
import { TURN_KINDS } from '../turns/turn-kind.js';
import { TurnPackage } from './turn-package.js';

export const AGENT_PROTOCOL = 1;

/** One question to an agent. An adapter for a model's own program uses the prompt; any other may read the whole. */
export const AgentRequest = z.strictObject({
  protocol: z.literal(AGENT_PROTOCOL),
  kind: z.enum(TURN_KINDS),
  turn_key: z.string().regex(/^[0-9a-f]{64}$/, 'expected a turn key'),
  attempt: z.int().min(1),
  /** The conversation to go on with; null starts a new one. */
  session: z.strictObject({ adapter: z.string().min(1), thread_id: z.string().min(1) }).nullable(),
  prompt: z.string(),
  turn: TurnPackage,
  output_schema: z.record(z.string(), z.unknown()),
});
export type AgentRequest = z.infer<typeof AgentRequest>;

const Tokens = z.int().min(0);

/** As the agent reports it; an agent that does not know its price leaves it out. */
const Usage = z.strictObject({
  input_tokens: Tokens,
  output_tokens: Tokens,
  cost_usd: z.number().min(0).nullable().optional(),
});

/** The output is checked apart, by the kind of the turn. */
export const AgentAnswer = z.strictObject({
  session: z.strictObject({ thread_id: z.string().min(1).max(500).nullable() }),
  output: z.unknown(),
  usage: Usage.optional(),
});
export type AgentAnswer = z.infer<typeof AgentAnswer>;
