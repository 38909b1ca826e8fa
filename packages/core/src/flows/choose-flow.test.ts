import { chooseFlow, labelOf, listFlowLabels } from './choose-flow.js';
import { FLOW_TRAITS, FLOWS } from './flow.js';

const NAMES = { design: 'agent:design', bugfix: 'Bug', smallJob: 'chore', ignore: 'agent:ignore' };

describe('flows', () => {
  it('have distinct branch folders, start turns, labels, precedences and commands', () => {
    const traits = FLOWS.map((flow) => FLOW_TRAITS[flow]);
    const labels = listFlowLabels(NAMES);
    const lists: (string | number | null)[][] = [
      traits.map(({ branchFolder }) => branchFolder),
      traits.map(({ startKind }) => startKind),
      traits.flatMap(({ command }) => command ?? []),
      labels.map(({ key }) => key),
      labels.map(({ precedence }) => precedence),
    ];
    for (const list of lists) expect(new Set(list).size).toBe(list.length);
  });
});

describe('flow labels', () => {
  it.each(listFlowLabels(NAMES))('$name starts the flow $flow', ({ name, flow }) => {
    expect(chooseFlow([name.toUpperCase(), 'other'], NAMES)).toBe(flow);
    expect(labelOf(flow, NAMES)).toBe(name);
  });

  it('start a bug fix if an issue has several of them', () => {
    expect(chooseFlow(['agent:design', 'chore', 'Bug'], NAMES)).toBe('bugfix');
    expect(chooseFlow(['agent:design', 'chore'], NAMES)).toBe('small_job');
  });

  it('start no flow if an issue has none of them, and never start an implementation', () => {
    expect(chooseFlow(['agent:ignore'], NAMES)).toBeUndefined();
    expect(labelOf('implementation', NAMES)).toBeUndefined();
  });
});
