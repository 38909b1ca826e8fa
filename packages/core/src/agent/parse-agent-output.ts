import type { z } from 'zod';
import type { QuestionKind } from '../turns/turn-kind.js';
import { type AgentOutput, SCHEMAS } from './agent-output.js';

export type ParsedOutput<Kind extends QuestionKind = QuestionKind> =
  | { kind: 'valid'; output: AgentOutput<Kind> }
  | { kind: 'invalid'; errors: string[] };

/** Maximum number of reported errors. More errors would make the repair prompt harder to follow. */
const MAX_ERRORS = 20;
const MAX_ERROR_LENGTH = 300;

/** Cleans and validates untrusted agent output. The error messages help the agent to repair its answer. */
export function parseAgentOutput<Kind extends QuestionKind>(kind: Kind, value: unknown): ParsedOutput<Kind> {
  const parsed = SCHEMAS[kind].output.safeParse(clean(value, MAX_DEPTH));
  if (parsed.success) return { kind: 'valid', output: parsed.data };
  return { kind: 'invalid', errors: parsed.error.issues.slice(0, MAX_ERRORS).map(describe) };
}

/** Maximum depth that is cleaned. Valid output is never deeper, and the schemas reject anything that is. */
const MAX_DEPTH = 6;

/**
 * Strips characters that do not belong in a GitHub post, such as the color codes of a quoted log. A blank text becomes
 * null.
 */
function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => clean(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item, depth - 1)]));
}

function cleanText(value: string): string | null {
  const cleaned = value
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\p{Cs}/gu, '\ufffd');
  return cleaned.trim() === '' ? null : cleaned;
}

function describe({ path, message }: z.core.$ZodIssue): string {
  const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  const name = place === '' ? 'the output' : place.replace(/^\./, '');
  // Our own messages start with "is" or "must" and follow the name directly. All other messages need a colon.
  const joint = /^(?:is|must) /.test(message) ? ' ' : ': ';
  return `${name}${joint}${message}`.slice(0, MAX_ERROR_LENGTH);
}
