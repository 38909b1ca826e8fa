import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MUTANTS } from './list-mutants.js';

describe('the deliberate bugs of the search', () => {
  it('have different names', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });

  it.each(MUTANTS.flatMap(({ name, edits }) => edits.map((edit) => ({ name, ...edit }))))(
    '"$name" changes exactly one place in $file',
    ({ file, search }) => {
      const text = readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8');
      expect(text.split(search)).toHaveLength(2);
    },
  );
});
