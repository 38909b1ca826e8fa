import { countOf } from '../text/count-of.js';
import type { Redact } from '../text/secrets/redact.js';
import { SEVERITIES } from '../turns/review/review-output.js';
import type { ReviewVerdict } from './compute-verdict.js';
import { containCode, containLine, containText, fenceCode, keepCode, spanCode } from './contain-text.js';
import type { RaisedFinding } from './findings/choose-findings.js';
import type { InlineFinding, Placement } from './findings/place-findings.js';

const MAX_SUMMARY = 2_000;
const MAX_TEXT = 10_000;
/** Maximum length of a finding in the body, where all findings share the length limit of one post. */
const MAX_TEXT_IN_BODY = 4_000;
const ROOM = 25_000;
const MAX_SENTENCE = 160;
const MAX_PATH = 160;
/** Title of the fold at the end of a review, which contains the lines for scripts. */
const RESULT = 'Machine-readable result';
/** Matches the start of the fold, with the current title or the title of earlier versions. */
const RESULT_FOLD = /\n\n<details>\n<summary>(?:Machine-readable result|Result for scripts)<\/summary>/;

export type ReviewWords = {
  round: number;
  summary: string;
  verdict: ReviewVerdict<RaisedFinding>;
  placement: Placement;
  fixesLeft: number;
};

/** One review on GitHub, with a body that is not signed yet. */
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
    renderLead(words, redact),
    renderRound(words),
    ...renderSection('Findings outside the diff:', told.slice(0, demoted.length)),
    ...renderSection(
      'Open findings from earlier rounds:',
      standing.map((finding) => renderBrief(finding, voice)),
    ),
    ...renderFold(countOf(nits.length, 'low-severity finding'), told.slice(demoted.length)),
    ...renderHidden(hidden),
    ...renderFold(RESULT, [renderResult(words, redact)]),
  ].join('\n\n');
  const comments = inline.map((finding) => ({
    path: finding.path,
    line: finding.line,
    body: renderComment(finding, voice),
  }));
  return { body, comments };
}

function renderLead({ verdict, summary }: ReviewWords, redact: Redact): string {
  const title = verdict.kind === 'approved' ? 'Approved.' : 'Changes requested.';
  return `**${title}** ${containLine(summary, redact, MAX_SUMMARY)}`;
}

/** Renders the lines that scripts read. Each key occurs at most once. An approved review has no severity. */
function renderResult({ verdict, placement, summary }: ReviewWords, redact: Redact): string {
  const all = Object.values(placement).flat();
  const gravest = SEVERITIES.find((severity) => all.some((finding) => finding.severity === severity));
  const lines = [
    `REVIEW_RESULT: ${verdict.kind}`,
    `FINDINGS_COUNT: ${all.length}`,
    ...(verdict.kind === 'approved' || gravest === undefined ? [] : [`SEVERITY: ${gravest}`]),
    `SUMMARY: ${containLine(summary, redact, MAX_SUMMARY)}`,
  ];
  return fenceCode(lines.join('\n'), 'text');
}

/** Removes the folded lines for scripts from a review. */
export function removeResult(body: string): string {
  return body.split(RESULT_FOLD, 1)[0] ?? '';
}

/** True if a posted review has this verdict. No other text in a review can contain such a line. */
export function hasVerdict(body: string, verdict: ReviewWords['verdict']['kind']): boolean {
  return body.split('\n').includes(`REVIEW_RESULT: ${verdict}`);
}

function renderRound({ round, verdict, fixesLeft }: ReviewWords): string {
  if (verdict.kind === 'approved') return `Review round ${round}: no blocking findings.`;
  const { length } = verdict.blocking;
  const blocks = length === 1 ? 'blocks' : 'block';
  const left = fixesLeft === 1 ? '1 fix round is' : `${fixesLeft === 0 ? 'No' : fixesLeft} fix rounds are`;
  return `Review round ${round}: ${countOf(length, 'finding')} ${blocks} the merge. ${left} left.`;
}

/** Renders each finding in full while there is room, otherwise in one line. */
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

/** Renders the text of a line comment below its badge. */
export function renderFindingText(
  finding: Pick<InlineFinding, 'body' | 'suggestion'>,
  redact: Redact = (text) => text,
): string {
  const text = containText(finding.body, redact, MAX_TEXT);
  return [text, ...renderSuggestion(finding, redact)].join('\n\n');
}

/** Renders an applicable suggestion only if the code can stay exactly as the reviewer wrote it. */
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
    ...(origin === 'regressed' ? ['reported as fixed earlier'] : []),
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
