import { StartContext, type Turn } from '@mergexo/core';
import type { Run } from '@mergexo/state';
import { endTurn } from '../feedback/end-turn.js';
import { abandonStart, describeAbandonment, findAbandonment } from '../followup/abandon-start.js';
import { findCheckpoint } from '../followup/find-checkpoint.js';
import type { Repo } from '../repo.js';
import { leaveBranch } from '../settle-turns.js';
import { isUnmoved, later, type Refreshed, type RefreshTools } from './refreshed.js';

/** The issue may be closed or taken over since, and its branch may have moved. */
export async function refreshStart(
  tools: RefreshTools,
  repo: Repo,
  turn: Turn,
  run: Run,
): Promise<Refreshed> {
  const { state, github } = tools;
  const { fullName, labels } = repo.config;
  const abandonment = findAbandonment(await github.fetchIssue(fullName, run.issueNumber), labels.ignore);
  if (abandonment === undefined) return refreshCheckpoint(tools, repo, turn, run);
  state.transaction(() => {
    const now = state.readTurn(turn.turnKey);
    const known = state.readRun(run.id);
    if (now === undefined || known === undefined || !isUnmoved(now, turn)) return;
    abandonStart(tools, known, abandonment);
  });
  return { kind: 'refused', reason: describeAbandonment(abandonment) };
}

/** Somebody may have pushed onto the checkpoint since the turn was opened. */
async function refreshCheckpoint(tools: RefreshTools, repo: Repo, turn: Turn, run: Run): Promise<Refreshed> {
  const { state } = tools;
  const { followup } = StartContext.parse(state.readTurnContext(turn.turnKey));
  if (followup === null || followup.checkpoint === null || turn.planDigest !== null) return { kind: 'fresh' };
  const found = await findCheckpoint(tools, repo, run);
  return state.transaction((): Refreshed => {
    const now = state.readTurn(turn.turnKey);
    if (now === undefined || !isUnmoved(now, turn)) return later('the turn moved on meanwhile');
    if (found.kind === 'diverged') {
      endTurn(tools, now, 'cancelled', 'the branch of the checkpoint went another way');
      leaveBranch(tools, state.readRun(run.id) ?? run);
      return { kind: 'refused', reason: 'the branch went another way' };
    }
    const context = StartContext.parse(state.readTurnContext(turn.turnKey));
    const { checkpoint } = found;
    state.saveTurnContext(turn.turnKey, { ...context, followup: { ...followup, checkpoint } });
    return { kind: 'fresh' };
  });
}
