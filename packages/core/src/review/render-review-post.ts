import { countOf } from '../text/count-of.js';
import type { Redact } from '../text/redact.js';
import { SEVERITIES } from '../turns/review/review-output.js';
import type { ReviewVerdict } from './compute-verdict.js';
import { containCode, containLine, containText, fenceCode, keepCode, spanCode } from './contain-text.js';
import type { RaisedFinding } from './findings/choose-findings.js';
import type { InlineFinding, Placement } from './findings/place-findings.js';

const MAX_SUMMARY = 2_000;
const MAX_TEXT = 10_000;
/** In the body all findings share the room of one post. */
const MAX_TEXT_IN_BODY = 4_000;
const ROOM = 25_000;
const MAX_SENTENCE = 160;
const MAX_PATH = 160;

export type ReviewWords = {
  round: number;
  summary: string;
  verdict: ReviewVerdict<RaisedFinding>;
  placement: Placement;
  fixesLeft: number;
};

/** One review on GitHub; its body is still to be signed. */
export type ReviewPost = {
  body: string;
  comments: readonly { path: string; line: number; body: string }[];
};

type Voice = { redact: Redact; blocking: ReadonlySet<string> };

export function renderReviewPost(words: ReviewWords, redact: Redact): ReviewPost {
  const { placement, verdict } = words;
  const blocking = verdict.kind === 'approved' ? [] : verdict.blocking.map(({ fingerprint }) => fingerprint);
  const voice: Voice = { redact, blocking: new Set(blocking) };
  const { inline, demoted, nits, standing, hidden } = placement;
  const told = renderAll([...demoted, ...nits], voice);
  const body = [
    renderBlock(words, redact),
    renderRound(words),
    ...renderSection('Not on lines that the diff shows:', told.slice(0, demoted.length)),
    ...renderSection(
      'Still open from earlier rounds:',
      standing.map((finding) => renderBrief(finding, voice)),
    ),
    ...renderFold(countOf(nits.length, 'small remark'), told.slice(demoted.length)),
    ...renderHidden(hidden),
  ].join('\n\n');
  const comments = inline.map((finding) => ({
    path: finding.path,
    line: finding.line,
    body: renderComment(finding, voice),
  }));
  return { body, comments };
}

/** Other programs parse this block: each key at most once, one per line. An approved review has no severity. */
function renderBlock({ verdict, placement, summary }: ReviewWords, redact: Redact): string {
  const all = Object.values(placement).flat();
  const gravest = SEVERITIES.find((severity) => all.some((finding) => finding.severity === severity));
  return [
    `REVIEW_RESULT: ${verdict.kind}`,
    `FINDINGS_COUNT: ${all.length}`,
    ...(verdict.kind === 'approved' || gravest === undefined ? [] : [`SEVERITY: ${gravest}`]),
    `SUMMARY: ${containLine(summary, redact, MAX_SUMMARY)}`,
  ].join('\n');
}

/** True if a posted review starts with this verdict. */
export function hasVerdict(body: string, verdict: ReviewWords['verdict']['kind']): boolean {
  return body.startsWith(`REVIEW_RESULT: ${verdict}\n`);
}

function renderRound({ round, verdict, fixesLeft }: ReviewWords): string {
  if (verdict.kind === 'approved') return `**Round ${round}:** nothing blocks the merge.`;
  const { length } = verdict.blocking;
  const blocks = length === 1 ? 'blocks' : 'block';
  return `**Round ${round}:** ${countOf(length, 'finding')} ${blocks} the merge. Rounds of fixes left: ${fixesLeft}.`;
}

/** In full while there is room, then in a line each. */
function renderAll(findings: readonly RaisedFinding[], voice: Voice): string[] {
  let room = ROOM;
  return findings.map((finding) => {
    const full = renderFull(finding, voice);
    if (full.length > room) return renderBrief(finding, voice);
    room -= full.length;
    return full;
  });
}

function renderFull(finding: RaisedFinding, voice: Voice): string {
  const { body, suggestion } = finding;
  return [
    `${renderPlace(finding, voice)} · ${renderBadge(finding, voice)}`,
    containText(body, voice.redact, MAX_TEXT_IN_BODY),
    ...(suggestion === null ? [] : [containCode(suggestion, voice.redact, MAX_TEXT_IN_BODY)]),
  ].join('\n\n');
}

function renderBrief(finding: RaisedFinding, voice: Voice): string {
  const [first = ''] = finding.body.trim().split('\n', 1);
  const sentence = containLine(first, voice.redact, MAX_SENTENCE);
  return `${renderPlace(finding, voice)} · ${renderBadge(finding, voice)}: ${sentence}`;
}

function renderComment(finding: InlineFinding, voice: Voice): string {
  return [renderBadge(finding, voice), renderFindingText(finding, voice.redact)].join('\n\n');
}

/** What a comment on a line says below its badge. */
export function renderFindingText(
  finding: Pick<InlineFinding, 'body' | 'suggestion'>,
  redact: Redact = (text) => text,
): string {
  const text = containText(finding.body, redact, MAX_TEXT);
  return [text, ...renderSuggestion(finding, redact)].join('\n\n');
}

/** GitHub offers to put it into the file in place of the line, so it must be exactly what the reviewer wrote. */
function renderSuggestion({ suggestion }: Pick<InlineFinding, 'suggestion'>, redact: Redact): string[] {
  if (suggestion === null) return [];
  const code = keepCode(suggestion, redact, 2 * MAX_TEXT);
  return [code === null ? containCode(suggestion, redact, MAX_TEXT) : fenceCode(code, 'suggestion')];
}

function renderPlace({ path, line }: RaisedFinding, { redact }: Voice): string {
  return spanCode(`${containLine(path, redact, MAX_PATH)}${line === null ? '' : `:${line}`}`);
}

function renderBadge(
  { severity, category, fingerprint, origin }: RaisedFinding,
  { blocking }: Voice,
): string {
  return [
    `**${severity}**`,
    category.replaceAll('_', ' '),
    ...(blocking.has(fingerprint) ? ['blocks the merge'] : []),
    ...(origin === 'regressed' ? ['was called fixed'] : []),
  ].join(' · ');
}

function renderSection(title: string, entries: readonly string[]): string[] {
  return entries.length === 0 ? [] : [`**${title}**`, ...entries];
}

function renderFold(title: string, entries: readonly string[]): string[] {
  if (entries.length === 0) return [];
  return [`<details>\n<summary>${title}</summary>`, ...entries, '</details>'];
}

function renderHidden(hidden: readonly RaisedFinding[]): string[] {
  if (hidden.length === 0) return [];
  const counts = SEVERITIES.map((severity): [number, string] => [
    hidden.filter((finding) => finding.severity === severity).length,
    severity,
  ]);
  const parts = counts.filter(([length]) => length > 0).map(([length, severity]) => `${length} ${severity}`);
  return [`_${countOf(hidden.length, 'more finding')} not shown: ${parts.join(', ')}._`];
}
