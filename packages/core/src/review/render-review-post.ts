import { countOf } from '../text/count-of.js';
import type { Redact } from '../text/secrets/redact.js';
import { SEVERITIES } from '../turns/review/review-output.js';
import type { ReviewVerdict } from './compute-verdict.js';
import { containCode, containLine, containText, fenceCode, keepCode, spanCode } from './contain-text.js';
import type { DroppedFinding, RaisedFinding } from './findings/choose-findings.js';
import type { Finding } from './findings/finding.js';
import type { InlineFinding, Placement } from './findings/place-findings.js';

const MAX_SUMMARY = 2_000;
const MAX_TEXT = 10_000;
/** Maximum length of a finding in the body, where all findings share the length limit of one post. */
const MAX_TEXT_IN_BODY = 4_000;
const ROOM = 25_000;
const MAX_SENTENCE = 160;
const MAX_PATH = 160;
/** Title of the collapsed section at the end of a review, which contains the lines for scripts. */
const RESULT = 'Machine-readable result';
/** Matches the start of that section, with the current title or the title from earlier versions. */
const RESULT_FOLD = /\n\n<details>\n<summary>(?:Machine-readable result|Result for scripts)<\/summary>/;

export type ReviewWords = {
  round: number;
  summary: string;
  verdict: ReviewVerdict<RaisedFinding>;
  placement: Placement;
  /** Findings that do not block, because the change did not introduce them. */
  notes: readonly DroppedFinding[];
  /** Number of findings that a second agent refuted. They are not shown. */
  refuted: number;
  /** Findings of the previous round that are fixed, with the reviewer's evidence. */
  fixed: readonly { path: string; line: number | null; evidence: string }[];
  fixesLeft: number;
  maxFindings: number;
};

/** One review on GitHub, with a body that is not signed yet. */
export type ReviewPost = {
  body: string;
  /** `startLine` is null for a comment on a single line. */
  comments: readonly { path: string; startLine: number | null; line: number; body: string }[];
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
    ...renderFixed(words, redact),
    ...renderNotes(words, voice),
    ...renderFold(RESULT, [renderResult(words, redact)]),
  ].join('\n\n');
  const comments = inline.map((finding) => ({
    path: finding.path,
    startLine: finding.startLine,
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
function renderResult({ verdict, placement, summary, refuted }: ReviewWords, redact: Redact): string {
  const all = Object.values(placement).flat();
  const gravest = SEVERITIES.find((severity) => all.some((finding) => finding.severity === severity));
  const lines = [
    `REVIEW_RESULT: ${verdict.kind}`,
    `FINDINGS_COUNT: ${all.length}`,
    ...(refuted === 0 ? [] : [`REFUTED_COUNT: ${refuted}`]),
    ...(verdict.kind === 'approved' || gravest === undefined ? [] : [`SEVERITY: ${gravest}`]),
    `SUMMARY: ${containLine(summary, redact, MAX_SUMMARY)}`,
  ];
  return fenceCode(lines.join('\n'), 'text');
}

/** Removes the collapsed section for scripts from a review. */
export function removeResult(body: string): string {
  return body.split(RESULT_FOLD, 1)[0] ?? '';
}

/** True if a posted review has this verdict. No other text in a review can contain such a line. */
export function hasVerdict(body: string, verdict: ReviewWords['verdict']['kind']): boolean {
  return body.split('\n').includes(`REVIEW_RESULT: ${verdict}`);
}

function renderRound({ round, verdict, fixesLeft }: ReviewWords): string {
  if (verdict.kind === 'approved') return `Review round ${round}: no blocking findings.`;
  const left = fixesLeft === 1 ? '1 fix round is' : `${fixesLeft === 0 ? 'No' : fixesLeft} fix rounds are`;
  return `Review round ${round}: ${countOf(verdict.blocking.length, 'blocking finding')}. ${left} left.`;
}

/** Renders each finding in full while there is space, then each remaining finding in one line. */
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
    `${renderPlace(finding, voice.redact)} · ${renderBadge(finding, voice)}`,
    containText(body, voice.redact, MAX_TEXT_IN_BODY),
    ...(suggestion === null ? [] : [containCode(suggestion, voice.redact, MAX_TEXT_IN_BODY)]),
  ].join('\n\n');
}

function renderBrief(finding: RaisedFinding, voice: Voice): string {
  return `${renderPlace(finding, voice.redact)} · ${renderBadge(finding, voice)}: ${renderStart(finding, voice)}`;
}

function renderStart({ body }: Pick<Finding, 'body'>, { redact }: Pick<Voice, 'redact'>): string {
  // Redacts first, because a secret may continue on the next line.
  const [first = ''] = redact(body).trim().split('\n', 1);
  return containLine(first, redact, MAX_SENTENCE);
}

function renderFixed({ fixed }: ReviewWords, redact: Redact): string[] {
  const entries = fixed.map(
    (finding) => `- ${renderPlace(finding, redact)}: ${containLine(finding.evidence, redact, MAX_SENTENCE)}`,
  );
  const title = `${countOf(fixed.length, 'earlier finding')} fixed`;
  return renderFold(title, entries.length === 0 ? [] : [entries.join('\n')]);
}

/** Lists non-blocking findings in the space that the other findings leave. */
function renderNotes({ notes, placement, maxFindings }: ReviewWords, { redact }: Voice): string[] {
  const { hidden, ...shown } = placement;
  const room = Math.max(0, maxFindings - Object.values(shown).flat().length);
  const entries = notes
    .slice(0, room)
    .map(
      ({ finding, reason }) =>
        `- ${renderPlace(finding, redact)} · ${finding.severity}: ${renderStart(finding, { redact })} (${containLine(reason, redact, MAX_SENTENCE)})`,
    );
  const left = notes.length - entries.length;
  const lines = [...entries, ...(left > 0 ? [`- and ${left} more`] : [])];
  return renderFold(
    `${countOf(notes.length, 'note')} that ${notes.length === 1 ? 'does' : 'do'} not block the merge`,
    lines.length === 0 ? [] : [lines.join('\n')],
  );
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

type Place = Pick<Finding, 'path' | 'line'> & { startLine?: number | null };

function renderPlace({ path, startLine = null, line }: Place, redact: Redact): string {
  const range = startLine === null ? `${line}` : `${startLine}-${line}`;
  return spanCode(`${containLine(path, redact, MAX_PATH)}${line === null ? '' : `:${range}`}`);
}

function renderBadge(
  { severity, category, fingerprint, origin, verified }: RaisedFinding,
  { blocking }: Voice,
): string {
  return [
    `**${severity}**`,
    category.replaceAll('_', ' '),
    ...(blocking.has(fingerprint) ? ['blocking'] : []),
    ...(verified === false ? ['not verified by a second agent'] : []),
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
