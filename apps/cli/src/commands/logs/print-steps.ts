import { STEP_NAMES } from '@mergexo/core/agent';
import { formatTime } from '@mergexo/core/timeline';
import { TURN_KIND_NAMES, type Turn } from '@mergexo/core/turns';
import type { State, StoredStep } from '@mergexo/state';
import type { Context } from '../../context.js';
import { toLine } from '../../printable.js';
import { nameOf } from '../../read-state.js';

/** A step with the facts about its turn. */
export type PlacedStep = ReturnType<typeof placeStep>;

export function placeStep(state: State, { id, turnKey, attempt, kind, text, createdAt }: StoredStep) {
  const turn = state.readTurn(turnKey);
  const repository = turn && state.readRepository(turn.repoId);
  return {
    id,
    at: new Date(createdAt).toISOString(),
    repo: repository === undefined ? null : nameOf(repository),
    issue: turn?.issueNumber ?? null,
    pr: turn?.prNumber ?? null,
    turn: turnKey,
    turn_kind: turn?.kind ?? null,
    attempt,
    kind,
    text,
  };
}

/** Creates the function that prints steps, with a heading whenever the turn or the attempt changes. */
export function createStepPrinter(
  context: Pick<Context, 'printLine'>,
): (steps: readonly PlacedStep[]) => void {
  let shown = '';
  return (steps) => {
    for (const step of steps) {
      const heading = describeTurn(step);
      const isNew = heading !== shown;
      shown = heading;
      context.printLine(step, () => [...(isNew ? [heading] : []), describeStep(step)].join('\n'));
    }
  };
}

function describeTurn({ repo, issue, pr, turn, turn_kind: kind, attempt }: PlacedStep): string {
  const place = `${repo ?? ''}#${pr ?? issue ?? '?'}`;
  return toLine(`── ${place} · ${nameOfKind(kind)} · attempt ${attempt} · turn ${turn.slice(0, 12)}`);
}

function nameOfKind(kind: Turn['kind'] | null): string {
  return kind === null ? 'deleted turn' : TURN_KIND_NAMES[kind];
}

const WIDTH = Math.max(...Object.values(STEP_NAMES).map((name) => name.length));

function describeStep({ at, kind, text }: PlacedStep): string {
  // The table may contain a kind from a newer version.
  const name = kind in STEP_NAMES ? STEP_NAMES[kind] : toLine(kind, WIDTH);
  return `${formatTime(Date.parse(at))}  ${name.padEnd(WIDTH)}  ${toLine(text, 600)}`;
}
