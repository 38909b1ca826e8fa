import type { Cost } from '@mergexo/state';
import { renderCostsCsv } from './render-costs-csv.js';

const COST: Cost = {
  ...{ repo: 'o/n', issue: 5, title: 'Plain', day: null, phase: null, turns: 1, attempts: 2 },
  ...{ attemptsWithoutCost: 0, inputTokens: 10, outputTokens: 3, costUsd: 0.1 + 0.2 },
  ...{ pricedAttempts: 0, cachedTokens: 4, durationMs: 90_000, agents: 'codex gpt-5' },
};
const titleOf = (title: string): string | undefined =>
  /,5,("(?:[^"]|"")*"),/.exec(renderCostsCsv([{ ...COST, title }]))?.[1];

describe('renderCostsCsv', () => {
  it('has one line per row, and no rounding error', () => {
    expect(renderCostsCsv([COST]).split('\r\n')[1]).toBe(
      ',"o/n",5,"Plain",,1,"codex gpt-5",2,0,10,4,3,1.5,0.3',
    );
    expect(renderCostsCsv([]).split('\r\n')).toHaveLength(2);
  });

  it.each([
    ['a "quoted", title', '"a ""quoted"", title"'],
    ['two\r\nlines', '"two lines"'],
    ['=1+1', '"\'=1+1"'],
    ['\t=cmd()', '"\'=cmd()"'],
    ['+1', '"\'+1"'],
    ['-1', '"\'-1"'],
    ["x;=cmd|' /C calc'!A0;y", '"x,=cmd|\' /C calc\'!A0,y"'],
    ['@SUM(A1)', '"\'@SUM(A1)"'],
  ])('renders the title %j as %s', (title, cell) => {
    expect(titleOf(title)).toBe(cell);
  });
});
