import { type Action, type ActionContent, buildTarget, planTurnAction } from '@mergexo/core/actions';
import { renderFindingReply, renderFixSummary } from '@mergexo/core/review';
import type { Plan, Turn } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';

/** Returns the text unchanged: the worker redacted it before the freeze, and the outbox redacts it again. */
const asIs = (text: string): string => text;

/**
 * Plans the posts for a pushed fix: a reply in the thread of each finding, the resolution of fixed threads, and one
 * comment for findings without a thread. A failed fix has no posts, because the escalation reports the failure.
 */
export function planFixActions(
  { state }: { state: State },
  turn: Turn,
  { result, commit }: Pick<Plan, 'result' | 'commit'>,
): Action[] {
  const { repoId, prNumber } = turn;
  if (result.kind !== 'fix' || commit === null || prNumber === null) return [];
  const findings = new Map(
    state.listReviewFindings(repoId, prNumber).map((finding) => [finding.id, finding]),
  );
  const answered = result.answers.flatMap((answer) => {
    const finding = findings.get(answer.id);
    return finding === undefined || finding.status === 'dismissed' ? [] : [{ ...answer, finding }];
  });
  const said = answered.flatMap(({ finding, ...answer }): Post[] => {
    if (finding.remoteId === null) return [];
    const target = buildTarget({ kind: 'finding', id: answer.id, commentId: finding.remoteId });
    const isMended = answer.resolution === 'fixed' && answer.touchesFile;
    return [
      { kind: 'finding_reply', target, payload: { text: renderFindingReply(answer, commit.sha, asIs) } },
      ...(isMended ? [{ kind: 'resolve_thread', target, payload: null } as const] : []),
    ];
  });
  const rest = answered
    .filter(({ finding }) => finding.remoteId === null)
    .map(({ finding, ...answer }) => ({ ...answer, path: finding.path, line: finding.line }));
  const summary: Post[] =
    rest.length === 0
      ? []
      : [
          {
            kind: 'fix_summary',
            target: buildTarget({ kind: 'pull', number: prNumber }),
            payload: { text: renderFixSummary(rest, commit.sha, asIs) },
          },
        ];
  return [...said, ...summary].map((one, position) =>
    planTurnAction(turn, { ...one, thread: prNumber, position }),
  );
}

type Post = ActionContent<'finding_reply' | 'resolve_thread' | 'fix_summary'> & { target: string };
