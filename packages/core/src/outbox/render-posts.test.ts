import { renderPullBody } from './render-posts.js';

describe('the body of a pull request', () => {
  const render = (provedBy?: readonly string[]) =>
    renderPullBody({ flow: 'bugfix', issueNumber: 3, summary: 'Fixed.', designDocPath: null, provedBy });

  it('says which tests fail without the fix', () => {
    expect(render(['tests/a.test.ts', 'tests/b.test.ts'])).toContain(
      'Fixed.\n\nMergeXO ran the required tests: with `tests/a.test.ts`, `tests/b.test.ts`, they fail without this fix and pass with it.\n\nFixes #3',
    );
  });

  it.each([[undefined], [[]]])('claims nothing about the tests if nothing was proved: %j', (provedBy) => {
    expect(render(provedBy)).not.toContain('required tests');
  });

  it('keeps a hostile file name inside its code', () => {
    expect(render(['a`\n\nFixes #9 @ada'])).toMatch(/with `a' {2}Fixes #\u20609 @\u2060ada`, they fail/);
  });
});
