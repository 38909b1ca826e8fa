import type { Finding } from '@mergexo/core/review';
import type { Redact } from '@mergexo/core/text';
import {
  MAX_EVIDENCE,
  MAX_FINDING_PATH,
  MAX_FINDING_TEXT,
  type PlanParcel,
  type PlanResult,
  REVIEW_LIMITS,
  type ReviewOutput,
} from '@mergexo/core/turns';
import type { Planned } from './make-plan.js';
import type { Commit, PlanTools, Task } from './task.js';

/** The session and summary that MergeXO stores for the next turn. */
export type SessionUpdate = { threadId: string | null; stateSummary: string };

/** Without `session`, the stored session of the run stays unchanged. */
type Parts = { session?: SessionUpdate | null; result: PlanResult; commit?: Commit | null };

type Made = Pick<Task, 'agent' | 'branch' | 'startSha' | 'meter'>;

export function toPlanned({ redact }: Pick<PlanTools, 'redact'>, task: Made, parts: Parts): Planned {
  return { kind: 'planned', parcel: buildParcel(redact, task, parts) };
}

/** Builds the plan to freeze. Redacts secrets that the agent repeated, and cuts long texts to the limits of a plan. */
export function buildParcel(
  redact: Redact,
  { agent, branch, startSha, meter }: Made,
  { session = null, result, commit = null }: Parts,
): PlanParcel {
  return {
    plan: {
      version: 1,
      session: session && { adapter: agent.adapter, threadId: session.threadId && redact(session.threadId) },
      commit: commit && { branch, startSha, sha: commit.sha },
      result: redactResult(result, redact),
      stateSummary: clean(redact, session?.stateSummary ?? ''),
      usage: meter.total(),
    },
    bundle: commit?.bundle?.toString('base64') ?? null,
  };
}

function redactResult(result: PlanResult, redact: Redact): PlanResult {
  const text = (value: string): string => clean(redact, value);
  switch (result.kind) {
    case 'pull': {
      const { design } = result;
      return {
        ...result,
        title: clean(redact, result.title, MAX_TITLE),
        summary: text(result.summary),
        ...(result.provedBy && { provedBy: result.provedBy.map((path) => redact(path)) }),
        design: design && { ...design, touchPaths: design.touchPaths.map((path) => redact(path)) },
        ...(result.acceptance && {
          acceptance: result.acceptance.map(({ text: criterion, shownBy }) => ({
            text: clean(redact, criterion, MAX_CRITERION),
            shownBy: shownBy.map((path) => redact(path)),
          })),
        }),
      };
    }
    case 'answer':
      return {
        ...result,
        replies: result.replies.map((reply) => ({ ...reply, body: text(reply.body) })),
        general: result.general && text(result.general),
      };
    case 'block':
    case 'wait':
      return { ...result, reason: text(result.reason) };
    case 'review':
      return {
        ...result,
        summary: text(result.summary),
        raised: result.raised.map((finding) => redactFinding(finding, redact)),
        notes: redactDropped(result.notes, redact),
        refuted: redactDropped(result.refuted, redact),
        dropped: redactDropped(result.dropped, redact),
        answers: result.answers.map((answer) => ({
          ...answer,
          evidence: clean(redact, answer.evidence, MAX_EVIDENCE),
        })),
      };
    case 'fix': {
      const { answers, summary, failure } = result;
      return {
        ...result,
        answers: answers.map((answer) => ({ ...answer, note: clean(redact, answer.note, MAX_NOTE) })),
        summary: text(summary),
        failure: failure && { ...failure, reason: text(failure.reason) },
      };
    }
  }
}

/** Redacts a reviewer's answer. It stays within the limits of an answer, because a later attempt reads it as one. */
export function redactReview(output: ReviewOutput, redact: Redact): ReviewOutput {
  const { summary, earlier, findings } = output;
  return {
    summary: clean(redact, summary, REVIEW_LIMITS.summary),
    earlier: earlier.map((answer) => ({
      ...answer,
      evidence: clean(redact, answer.evidence, REVIEW_LIMITS.evidence),
    })),
    findings: findings.map((finding) => ({
      ...finding,
      path: clean(redact, finding.path, REVIEW_LIMITS.path),
      body: clean(redact, finding.body, REVIEW_LIMITS.finding),
      suggestion: finding.suggestion && clean(redact, finding.suggestion, REVIEW_LIMITS.finding),
    })),
  };
}

type Dropped = Extract<PlanResult, { kind: 'review' }>['dropped'];

function redactDropped(dropped: Dropped, redact: Redact): Dropped {
  return dropped.map(({ finding, reason }) => ({
    finding: redactFinding(finding, redact),
    reason: clean(redact, reason, MAX_EVIDENCE),
  }));
}

function redactFinding<F extends Pick<Finding, 'path' | 'body' | 'suggestion'>>(
  finding: F,
  redact: Redact,
): F {
  const { path, body, suggestion } = finding;
  return {
    ...finding,
    path: clean(redact, path, MAX_FINDING_PATH),
    body: clean(redact, body, MAX_FINDING_TEXT),
    suggestion: suggestion && clean(redact, suggestion, MAX_FINDING_TEXT),
  };
}

const MAX_TEXT = 64_000;
const MAX_TITLE = 300;
const MAX_NOTE = 8_000;
const MAX_CRITERION = 1_000;

/** Redacts and cuts a text. Agents count code points, plans count UTF-16 units, and redaction can add characters. */
function clean(redact: Redact, text: string, max = MAX_TEXT): string {
  const whole = redact(text);
  return whole.length <= max ? whole : whole.slice(0, max).replace(/[\uD800-\uDBFF]$/, '');
}
