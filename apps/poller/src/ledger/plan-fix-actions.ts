import { type Action, buildFindingTarget, planTurnAction } from '@mergexo/core/actions';
import { renderFindingReply, renderFixSummary } from '@mergexo/core/review';
import type { Plan, Turn } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';

/** What was redacted before it was frozen is redacted once more when it is sent. */
const asIs = (text: string): string => text;

/**
 * What is said about a fix once it is pushed: an answer in the thread of each finding, which is closed where the fault is
 * mended, and one comment for those without a thread. A fix that failed says nothing: whoever asks a person tells of it.
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
  const said = answered.flatMap(({ finding, ...answer }): Said[] => {
    if (finding.remoteId === null) return [];
    const target = buildFindingTarget({ id: answer.id, commentId: finding.remoteId });
    const isMended = answer.resolution === 'fixed' && answer.touchesFile;
    return [
      { kind: 'finding_reply', target, words: renderFindingReply(answer, commit.sha, asIs) },
      ...(isMended ? [{ kind: 'resolve_thread', target, words: null } as const] : []),
    ];
  });
  const rest = answered
    .filter(({ finding }) => finding.remoteId === null)
    .map(({ finding, ...answer }) => ({ ...answer, path: finding.path, line: finding.line }));
  const summary: Said[] =
    rest.length === 0
      ? []
      : [
          {
            kind: 'fix_summary',
            target: `pull:${prNumber}`,
            words: renderFixSummary(rest, commit.sha, asIs),
          },
        ];
  return [...said, ...summary].map((one, position) =>
    planTurnAction(turn, { ...one, thread: prNumber, position }),
  );
}

type Said = Pick<Action, 'target' | 'words'> & { kind: 'finding_reply' | 'resolve_thread' | 'fix_summary' };
