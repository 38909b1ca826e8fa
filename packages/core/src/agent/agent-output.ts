import { z } from 'zod';
import { FeedbackOutput, FeedbackReply } from '../turns/feedback/feedback-output.js';
import {
  ReviewFixOutput,
  ReviewFixReply,
  ReviewOutput,
  ReviewReply,
  type ReviewVerifyOutput,
  ReviewVerifyReply,
} from '../turns/review/review-output.js';
import {
  ChangeStartOutput,
  ChangeStartReply,
  DesignStartOutput,
  DesignStartReply,
  ImplementationStartOutput,
  ImplementationStartReply,
} from '../turns/start/start-output.js';
import type { QuestionKind } from '../turns/turn-kind.js';

/** The validated output of an agent, by kind of question. */
export type AgentOutputs = {
  design_start: DesignStartOutput;
  bugfix_start: ChangeStartOutput;
  small_job_start: ChangeStartOutput;
  implementation_start: ImplementationStartOutput;
  design_feedback: FeedbackOutput;
  implementation_feedback: FeedbackOutput;
  review: ReviewOutput;
  review_verify: ReviewVerifyOutput;
  review_fix: ReviewFixOutput;
};
export type AgentOutput<Kind extends QuestionKind = QuestionKind> = AgentOutputs[Kind];

/** `reply` describes the output to the agent. `output` also has the rules that JSON Schema cannot express. */
type Schemas<Output> = { readonly output: z.ZodType<Output>; readonly reply: z.ZodType };

const CHANGE = { output: ChangeStartOutput, reply: ChangeStartReply };
const FEEDBACK = { output: FeedbackOutput, reply: FeedbackReply };

export const SCHEMAS: { readonly [Kind in QuestionKind]: Schemas<AgentOutputs[Kind]> } = {
  design_start: { output: DesignStartOutput, reply: DesignStartReply },
  bugfix_start: CHANGE,
  small_job_start: CHANGE,
  implementation_start: { output: ImplementationStartOutput, reply: ImplementationStartReply },
  design_feedback: FEEDBACK,
  implementation_feedback: FEEDBACK,
  review: { output: ReviewOutput, reply: ReviewReply },
  review_verify: { output: ReviewVerifyReply, reply: ReviewVerifyReply },
  review_fix: { output: ReviewFixOutput, reply: ReviewFixReply },
};

export type OutputSchema = Readonly<Record<string, unknown>>;

/**
 * Returns the output rules as JSON Schema, in the strict form that providers require: every property is required, no
 * other property is allowed, and optional values are nullable.
 */
export function buildOutputSchema(kind: QuestionKind): OutputSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(SCHEMAS[kind].reply, {
    override: ({ jsonSchema }) => {
      // Providers reject a default next to a required property.
      delete jsonSchema.default;
    },
  });
  return schema;
}
