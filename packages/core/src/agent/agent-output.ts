import { z } from 'zod';
import { FeedbackOutput, FeedbackReply } from '../turns/feedback/feedback-output.js';
import {
  ReviewFixOutput,
  ReviewFixReply,
  type ReviewOutput,
  ReviewReply,
} from '../turns/review/review-output.js';
import {
  ChangeStartOutput,
  ChangeStartReply,
  DesignStartOutput,
  DesignStartReply,
  ImplementationStartOutput,
  ImplementationStartReply,
} from '../turns/start/start-output.js';
import type { TurnKind } from '../turns/turn-kind.js';

/** What an agent may say in a turn of each kind, once it is checked. */
export type AgentOutputs = {
  design_start: DesignStartOutput;
  bugfix_start: ChangeStartOutput;
  small_job_start: ChangeStartOutput;
  implementation_start: ImplementationStartOutput;
  design_feedback: FeedbackOutput;
  implementation_feedback: FeedbackOutput;
  review: ReviewOutput;
  review_fix: ReviewFixOutput;
};
export type AgentOutput<Kind extends TurnKind = TurnKind> = AgentOutputs[Kind];

export const OUTPUTS: { readonly [Kind in TurnKind]: z.ZodType<AgentOutputs[Kind]> } = {
  design_start: DesignStartOutput,
  bugfix_start: ChangeStartOutput,
  small_job_start: ChangeStartOutput,
  implementation_start: ImplementationStartOutput,
  design_feedback: FeedbackOutput,
  implementation_feedback: FeedbackOutput,
  review: ReviewReply,
  review_fix: ReviewFixOutput,
};

const REPLIES: { readonly [Kind in TurnKind]: z.ZodType } = {
  design_start: DesignStartReply,
  bugfix_start: ChangeStartReply,
  small_job_start: ChangeStartReply,
  implementation_start: ImplementationStartReply,
  design_feedback: FeedbackReply,
  implementation_feedback: FeedbackReply,
  review: ReviewReply,
  review_fix: ReviewFixReply,
};

export type OutputSchema = Readonly<Record<string, unknown>>;

/** The same rules as JSON Schema, as strict as providers ask: every property required, none besides, options nullable. */
export function buildOutputSchema(kind: TurnKind): OutputSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(REPLIES[kind], {
    override: ({ jsonSchema }) => {
      // Providers refuse a default next to a required property.
      delete jsonSchema.default;
    },
  });
  return schema;
}
