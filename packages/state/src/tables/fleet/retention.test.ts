import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Action } from '@mergexo/core/actions';
import { type RuntimeEventType, TRIMMED_EVENTS } from '@mergexo/core/timeline';
import { aPlan, aTurn, useTemporaryDirectory } from '@mergexo/testkit';
import { createState, type State } from '../../create-state.js';
import { openDatabase } from '../../open-database.js';

const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url));

describe('the retention', () => {
  const pathTo = useTemporaryDirectory();
  const withState = (work: (state: State) => void): void => {
    const database = openDatabase(pathTo('state.db'));
    const state = createState(database);
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
    try {
      work(state);
    } finally {
      database.close();
    }
  };
  const typesIn = (state: State): string[] => state.listEventsAfter(0, 1_000).map(({ type }) => type);

  it('deletes only old events that no decision reads, in batches', () => {
    withState((state) => {
      const kept: RuntimeEventType[] = ['pull_blocked', 'run_waiting', 'turn_completed', 'turn_failed'];
      const types = [...TRIMMED_EVENTS, ...kept];
      for (const type of types) state.recordEvent({ type }, 1_000);
      state.recordEvent({ type: 'turn_queued' }, 2_000);
      expect(state.forgetOldEvents(2_000, 5)).toBe(5);
      expect(state.forgetOldEvents(2_000, 500)).toBe(TRIMMED_EVENTS.length - 5);
      expect(state.forgetOldEvents(2_000, 500)).toBe(0);
      expect(typesIn(state)).toEqual([...kept, 'turn_queued']);
    });
  });

  it('trims no event that the poller counts or looks up', () => {
    const folder = `${ROOT}/apps/poller/src`;
    const used = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
      .flatMap((text) => [
        ...text.matchAll(/(?:countEventsOfPull|readLastEventOfIssue)\([^)]*?'([a-z_]+)'\)/g),
      ])
      .map(([, type]) => type);
    expect(used.length).toBeGreaterThan(4);
    expect(used.filter((type) => TRIMMED_EVENTS.some((trimmed) => trimmed === type))).toEqual([]);
  });

  it('deletes the plans of merged work, except of designs and of turns with unsettled posts', () => {
    withState((state) => {
      const add = (
        issueNumber: number,
        flow: 'bugfix' | 'design_doc',
        status: 'merged' | 'closed',
        at = 1_000,
      ) => {
        const named = { repoId: 1, issueNumber, issueTitle: '', flow, ordinal: 1, branch: null };
        const run = state.recordRun({ ...named, designDocPath: null }, at);
        if (run !== undefined) state.saveRun({ ...run, status }, at);
        const turn = aTurn({ runId: run?.id ?? 0, issueNumber, state: 'done' });
        state.recordTurn(turn, {});
        state.recordPlan(turn.turnKey, aPlan(`p${issueNumber}`));
        return turn.turnKey;
      };
      const merged = add(1, 'bugfix', 'merged');
      const kept = [
        add(2, 'design_doc', 'merged'),
        add(3, 'bugfix', 'closed'),
        add(4, 'bugfix', 'merged', 5_000),
        add(5, 'bugfix', 'merged'),
      ];
      const unsettled: Action = {
        ...{ id: 'a', repoId: 1, turnKey: kept[3] ?? '', thread: 5, position: 0, kind: 'general_comment' },
        ...{
          target: 'pull/5',
          state: 'planned',
          token: null,
          remoteId: null,
          sends: 0,
          error: null,
          payload: null,
        },
      };
      state.recordActions([unsettled], 1_000);
      expect(state.forgetOldPlans(2_000, 10)).toBe(1);
      expect(state.forgetOldPlans(2_000, 10)).toBe(0);
      expect(state.readPlan(merged)).toBeNull();
      expect(state.readTurn(merged)?.state).toBe('done');
      for (const turnKey of kept) expect(state.readPlan(turnKey)).not.toBeNull();
    });
  });
});
