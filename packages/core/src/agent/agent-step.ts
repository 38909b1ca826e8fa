import { z } from 'zod';
import { keysOf } from '../basics/keys-of.js';
import { describeUsage, Usage } from '../cost/usage.js';
import { toLine, toPrintable } from '../text/printable.js';
import type { Redact } from '../text/secrets/redact.js';

/** The kinds of steps, each with the word that people see. An agent's adapter or MergeXO itself reports a step. */
export const STEP_NAMES = {
  say: 'says',
  think: 'thinks',
  read: 'reads',
  edit: 'edits',
  run: 'runs',
  tool: 'uses',
  setup: 'setup',
  test: 'tests',
  usage: 'usage',
  trouble: 'problem',
  /** Counts the steps that MergeXO did not keep. */
  skip: 'skipped',
} as const;

export const StepKind = z.enum(keysOf(STEP_NAMES));
export type StepKind = z.infer<typeof StepKind>;

/** Maximum length of the text of a step. */
export const MAX_STEP_TEXT = 500;
/** Maximum number of steps of one attempt. */
export const MAX_STEPS = 5_000;

/** One line about what an agent reads, edits, runs or says while its turn runs. */
export const AgentStep = z.strictObject({
  kind: StepKind,
  text: z.string().min(1).max(MAX_STEP_TEXT),
  /** What the attempt has used so far, if the step is about that. */
  usage: Usage.optional(),
});
export type AgentStep = z.infer<typeof AgentStep>;

/** Builds a step from hostile text: one short line without control sequences and secrets. Undefined if nothing is left. */
export function buildStep(kind: StepKind, text: string, redact: Redact): AgentStep | undefined {
  // Shortens the text before redaction, because redacting megabytes would be slow. Cuts it to its length afterwards,
  // because the cut could split a secret.
  const clean = redact(toPrintable(text.slice(0, 8 * MAX_STEP_TEXT)));
  const line = toLine(clean, MAX_STEP_TEXT).replace(/\p{Surrogate}/gu, '\ufffd');
  return line === '' ? undefined : { kind, text: line };
}

/** Builds the step about what the attempt has used so far. */
export function buildUsageStep(usage: Usage): AgentStep {
  return { kind: 'usage', text: describeUsage(usage), usage };
}
