import type { PlanResult } from '@mergexo/core/turns';
import { createStage, DEBOUNCE_MS, NAME } from '../stage/stage.js';

const DOC = 'docs/design/1-export.md';
const FILE =
  '---\nissue: 1\ntouch_paths:\n  - src/*\n---\n\n# Export\n\n## Acceptance criteria\n\n- It exports.\n';
const design: PlanResult = {
  kind: 'pull',
  title: 'Design',
  summary: 'A plan.',
  design: { path: DOC, priority: 4, touchPaths: ['src/*'], dependsOn: [], estimatedSize: 'S' },
};

it('keeps the daily limit if somebody who is not an allowed user closes and reopens the issue', async () => {
  const stage = await createStage();
  try {
    const settle = async (): Promise<void> => {
      for (let i = 0; i < 3; i += 1) {
        await stage.poll();
        stage.advance(DEBOUNCE_MS + 2_000);
        await stage.poll();
        await stage.drain();
      }
    };
    await stage.alice.openIssue(NAME, { title: 'Export', body: 'Please.', labels: ['agent:design'] });
    await stage.poll();
    await stage.work(design, undefined, { [DOC]: FILE });
    await stage.drain();
    stage.advance(2_000);
    await stage.poll();
    stage.limit({ maxCostUsdPerDay: 0.5 });
    await stage.alice.merge(NAME, 2);
    await settle();
    const listRuns = () =>
      stage.state.listRunsOfIssue(stage.repo.id, 1).filter(({ flow }) => flow === 'implementation');
    expect(listRuns()).toHaveLength(1);
    const bob = stage.twin.as('bob');
    await bob.close(NAME, 1);
    await settle();
    expect(listRuns()).toMatchObject([{ endedKind: 'issue_closed' }]);
    await bob.reopen(NAME, 1);
    await settle();
    expect(listRuns()).toMatchObject([{ endedKind: null }]);
    expect(stage.state.listTurnsInState('open')).toEqual([]);
    stage.limit({ maxCostUsdPerDay: 500 });
    await settle();
    expect(stage.state.listTurnsInState('open')).toHaveLength(1);
  } finally {
    await stage.close();
  }
});
