/**
 * The subject of an action. Its text form is part of the action's id and of a post's signed line, so the form
 * must never change.
 */
export type ActionTarget =
  | { kind: 'issue' | 'pull'; number: number }
  | { kind: 'branch'; name: string }
  | { kind: 'head'; sha: string }
  /** The failed attempt of a workflow run. A later attempt on GitHub means that somebody has already rerun it. */
  | { kind: 'checks'; runId: number; attempt: number }
  /** The comment that a reply answers. */
  | { kind: 'review'; commentId: number }
  /** The first comment of the thread that gets a link to the general comment. */
  | { kind: 'link'; rootId: number }
  /** The comment on GitHub that carries a finding. */
  | { kind: 'finding'; id: number; commentId: number }
  /** The run that a notice belongs to. `runId` is 0 on a pull request without a run. */
  | { kind: 'run'; runId: number; commentId: number | null }
  /** The comment that MergeXO answers in the conversation, because its thread does not accept replies. */
  | { kind: 'instead-of-reply'; commentId: number }
  | { kind: 'instead-of-review' };

export function buildTarget(target: ActionTarget): string {
  switch (target.kind) {
    case 'issue':
    case 'pull':
      return `${target.kind}:${target.number}`;
    case 'branch':
      return `branch:${target.name}`;
    case 'head':
      return `head:${target.sha}`;
    case 'checks':
      return `checks:${target.runId}:${target.attempt}`;
    case 'review':
    case 'instead-of-reply':
      return `${target.kind}:${target.commentId}`;
    case 'link':
      return `link:${target.rootId}`;
    case 'finding':
      return `finding:${target.id}:${target.commentId}`;
    case 'run':
      return `run:${target.runId}${target.commentId === null ? '' : `:comment:${target.commentId}`}`;
    case 'instead-of-review':
      return 'instead-of-review';
  }
}

/** Parses the text that `buildTarget` returns. */
export function parseTarget(text: string): ActionTarget {
  const [kind = '', ...fields] = text.split(':');
  const [first = '', second = ''] = fields;
  switch (kind) {
    case 'issue':
    case 'pull':
      return { kind, number: Number(first) };
    case 'branch':
      return { kind, name: fields.join(':') };
    case 'head':
      return { kind, sha: first };
    case 'checks':
      return { kind, runId: Number(first), attempt: Number(second) };
    case 'review':
    case 'instead-of-reply':
      return { kind, commentId: Number(first) };
    case 'link':
      return { kind, rootId: Number(first) };
    case 'finding':
      return { kind, id: Number(first), commentId: Number(second) };
    case 'run':
      return { kind, runId: Number(first), commentId: fields.length < 3 ? null : Number(fields[2]) };
    case 'instead-of-review':
      return { kind };
    default:
      throw new Error(`unknown action target: ${text}`);
  }
}
