import { sanitiseOutput, sanitiseText } from '../sanitise/sanitise-text.js';
import { oneLine } from './fence.js';

/** The kinds of quoted text, most valuable first. If the prompt is too long, MergeXO cuts the last kinds first. */
export const VALUES = ['event', 'code', 'task', 'rules', 'issue', 'history'] as const;
export type Value = (typeof VALUES)[number];

/** Text from people or programs, already sanitised. MergeXO shortens or omits a quote that does not fit. */
export type Quote = {
  value: Value;
  name: string;
  text: string;
  /** The part that stays if the text is cut. The end of a program's output usually explains its failure. */
  keeps: 'start' | 'end';
  /** Maximum number of characters to show, even if there is space for more. */
  max: number;
};

/** A part of a prompt. A string is MergeXO's own text, which is short and never cut. */
export type Part = string | Quote;

/** Quotes text written by people. */
export function quote(value: Value, name: string, text: string): Quote {
  return { ...START, value, name, text: sanitiseText(text).trimEnd() };
}

/** Quotes an issue or a pull request. Sanitises the title separately, because GitHub displays it as plain text. */
export function quotePost(
  value: Value,
  name: string,
  { title, body }: { title: string; body: string },
): Quote {
  return { ...START, value, name, text: `${oneLine(title)}\n\n${sanitiseText(body)}`.trimEnd() };
}

/** Quotes program output or code. */
export function quoteOutput(value: Value, name: string, text: string): Quote {
  return { ...START, value, name, text: sanitiseOutput(text).trimEnd() };
}

/** Quotes the replacement for some lines. Keeps an empty line at the end, which is part of the change. */
export function quoteReplacement(value: Value, name: string, text: string): Quote {
  return { ...START, value, name, text: sanitiseOutput(text) };
}

/** Quotes program output whose end matters most. */
export function quoteTail(value: Value, name: string, text: string): Quote {
  return { ...quoteOutput(value, name, text), keeps: 'end' };
}

const START = { keeps: 'start', max: Number.POSITIVE_INFINITY } as const;
