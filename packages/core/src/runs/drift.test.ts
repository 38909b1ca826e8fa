import { PULL_FOOTER } from '../outbox/render-posts.js';
import { findDrift, replaceDrift } from './drift.js';

const design = { touchPaths: ['src/api/*', 'docs'], designDocPath: 'design/7-a.md' };

describe('files outside the design', () => {
  it.each([
    [['src/api/a.ts', 'docs/x/y.md', 'design/7-a.md'], []],
    [
      ['src/db/b.ts', 'src/api/deep/c.ts', 'README.md'],
      ['README.md', 'src/db/b.ts'],
    ],
  ])('of the changed files %j are %j', (changed, drift) => {
    expect(findDrift(changed, design)).toEqual(drift);
  });

  it('are not reported if the design names no paths', () => {
    expect(findDrift(['a'], { touchPaths: [], designDocPath: null })).toEqual([]);
  });

  it('have one section in the body, which is replaced and finally removed', () => {
    const first = replaceDrift('The words.\n', ['b.ts']);
    expect(first).toContain('- `b.ts`');
    const second = replaceDrift(first, ['c.ts', '`d`\n- e']);
    expect(second.match(/Files outside the design/g)).toHaveLength(1);
    expect(second).not.toContain('b.ts');
    expect(second).toContain("- `'d' - e`");
    expect(replaceDrift(second, [])).toBe('The words.');
  });

  it('are listed above the footer, and listing them again changes nothing', () => {
    const body = `The words.\n\n${PULL_FOOTER}`;
    const first = replaceDrift(body, ['b.ts']);
    expect(first.endsWith(`- \`b.ts\`\n<!-- /mergexo-drift -->\n\n${PULL_FOOTER}`)).toBe(true);
    expect(replaceDrift(first, ['b.ts'])).toBe(first);
    expect(replaceDrift(first, [])).toBe(body);
  });
});
