import { readFileSync } from 'node:fs';
import { isAllowed, listLicences, renderLicences } from './licences.js';

const root = new URL('../', import.meta.url);

describe('THIRD_PARTY_LICENSES.md', () => {
  const licences = listLicences(new URL('package-lock.json', root));

  it('matches package-lock.json; to update it, run `npm run licences`', () => {
    expect(readFileSync(new URL('THIRD_PARTY_LICENSES.md', root), 'utf8')).toBe(renderLicences(licences));
  });

  it('contains direct and indirect dependencies, but no development tools', () => {
    const names = licences.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['zod', 're2js', 'express', 'bullmq', 'msgpackr', '@octokit/core']),
    );
    for (const name of ['jest', 'typescript', '@biomejs/biome', 'playwright-core'])
      expect(names).not.toContain(name);
  });

  it('contains only licenses that an MIT project may use', () => {
    expect(licences.filter(({ licence }) => !isAllowed(licence))).toEqual([]);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR WTFPL)', true],
    ['GPL-3.0', false],
    ['(GPL-2.0 OR AGPL-3.0)', false],
    ['unknown', false],
    ['MIT AND GPL-2.0', false],
  ])('would accept %s: %s', (licence, expected) => {
    expect(isAllowed(licence)).toBe(expected);
  });
});
