import { neutraliseLine } from '../text/neutralise.js';
import type { Redact } from '../text/secrets/redact.js';
import { containLine, spanCode } from './contain-text.js';
import type { Finding, FindingStatus } from './findings/finding.js';

const MAX_FINDINGS = 20;
const MAX_SENTENCE = 160;
const MAX_REASON = 600;
const MAX_PATH = 160;

export type Escalation = {
  /** The cause, in one sentence. */
  text: string;
  rounds: number;
  /** Number of pushed fixes. */
  fixes: number;
  /** Why the last fix or review failed; null if neither did. */
  failure: string | null;
  open: readonly (Pick<Finding, 'path' | 'line' | 'severity' | 'body'> & {
    category: string;
    status: FindingStatus;
    note: string | null;
  })[];
  costUsd: number;
  maxFixCycles: number;
};

/** Renders the comment that asks a person to decide: the cause, the open findings and the next steps. */
export function renderEscalation(escalation: Escalation, redact: Redact): string {
  const { text, failure, open } = escalation;
  return [
    '**The AI review stopped and asks a person to decide.**',
    `${neutraliseLine(text)}.`,
    describeWork(escalation),
    ...(failure === null ? [] : [`Last failure: ${containLine(failure, redact, MAX_REASON)}`]),
    ...renderOpen(open, redact),
    renderWays(escalation),
  ].join('\n\n');
}

function describeWork({ rounds, fixes, costUsd }: Escalation): string {
  const cost = costUsd > 0 ? [`Cost of the work so far: $${costUsd.toFixed(2)}.`] : [];
  return [`Reviews: ${rounds}. Fixes pushed: ${fixes}.`, ...cost].join(' ');
}

function renderOpen(open: Escalation['open'], redact: Redact): string[] {
  if (open.length === 0) return [];
  const shown = open.slice(0, MAX_FINDINGS).map(({ path, line, severity, category, body, status, note }) => {
    const place = spanCode(`${containLine(path, redact, MAX_PATH)}${line === null ? '' : `:${line}`}`);
    const [first = ''] = body.trim().split('\n', 1);
    const answer =
      status === 'open' || note === null ? '' : ` (${status}: ${containLine(note, redact, MAX_SENTENCE)})`;
    const sentence = containLine(first, redact, MAX_SENTENCE);
    return `- ${place} · **${severity}** · ${category.replaceAll('_', ' ')}: ${sentence}${answer}`;
  });
  const left = open.length - shown.length;
  return ['Open findings:', [...shown, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n')];
}

function renderWays({ maxFixCycles }: Escalation): string {
  const more = maxFixCycles === 1 ? 'one more fix round' : `up to ${maxFixCycles} more fix rounds`;
  return [
    'Next steps:',
    '- To request changes, comment on a line or in the conversation. MergeXO still replies to every comment from an allowed user.',
    `- An operator can comment \`/mergexo resume\` to continue the review with ${more}.`,
    '- You can also push commits, or merge or close the pull request.',
  ].join('\n');
}
