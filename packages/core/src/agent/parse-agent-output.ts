import type { z } from 'zod';
import type { TurnKind } from '../turns/turn-kind.js';
import { type AgentOutput, OUTPUTS } from './agent-output.js';

export type ParsedOutput<Kind extends TurnKind = TurnKind> =
  | { kind: 'valid'; output: AgentOutput<Kind> }
  | { kind: 'invalid'; errors: string[] };

/** More would only blur a repair prompt. */
const MAX_ERRORS = 20;
const MAX_ERROR_LENGTH = 300;

/** Output is data from a stranger: it is cleaned, checked, and refused with words that help to repair it. */
export function parseAgentOutput<Kind extends TurnKind>(kind: Kind, value: unknown): ParsedOutput<Kind> {
  const parsed = OUTPUTS[kind].safeParse(clean(value, MAX_DEPTH));
  if (parsed.success) return { kind: 'valid', output: parsed.data };
  return { kind: 'invalid', errors: parsed.error.issues.slice(0, MAX_ERRORS).map(describe) };
}

/** Deeper than any output; what lies below is refused by the schemas without a look. */
const MAX_DEPTH = 6;

/** Strips what has no place in text on GitHub, such as the colours of a quoted log. A blank text is no text. */
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
  return `${place === '' ? 'the output' : place.replace(/^\./, '')}: ${message}`.slice(0, MAX_ERROR_LENGTH);
}
