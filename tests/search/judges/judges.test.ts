import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readGuarantees } from '../../docs/read-guarantees.js';
import { JUDGES } from './judges.js';

const PAGE = fileURLToPath(new URL('../../../docs/guarantees.md', import.meta.url));

describe('the judges', () => {
  it('judge promises that docs/guarantees.md lists', () => {
    const promised = readGuarantees(readFileSync(PAGE, 'utf8')).map(({ id }) => id);
    const judged = JUDGES.map(([id]) => id).filter((id) => id.startsWith('G-'));
    expect(judged.length).toBeGreaterThan(10);
    expect(judged.filter((id) => !promised.includes(id))).toEqual([]);
  });
});
