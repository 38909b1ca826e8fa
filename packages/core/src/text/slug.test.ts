import fc from 'fast-check';
import { buildBranchName, buildDesignDocPath } from '../flows/run-name.js';
import { buildSlug } from './slug.js';

describe('buildSlug', () => {
  it.each([
    ['Fix the login', 'fix-the-login'],
    ['  --upload-pack=/bin/sh  ', 'upload-pack-bin-sh'],
    ['$(id); `rm -rf /`', 'id-rm-rf'],
    ['../../etc/passwd', 'etc-passwd'],
    ['refs/heads/main', 'refs-heads-main'],
    ['.git/config', 'git-config'],
    ['-x', 'x'],
    ['a\nb\r\0c', 'a-b-c'],
    ['Ünïcödé Größe', 'unicode-gro-e'],
    ['日本語', 'issue'],
    ['\u202Eevil\u202C', 'evil'],
    ['@{upstream}~1^2:x', 'upstream-1-2-x'],
    ['x.lock', 'x-lock'],
    ['HEAD', 'head'],
    ['', 'issue'],
    ['🚀🚀', 'issue'],
    ['A'.repeat(10_000), 'a'.repeat(60)],
    [`${'a'.repeat(59)} b`, 'a'.repeat(59)],
  ])('turns %j into a harmless slug', (title, slug) => expect(buildSlug(title)).toBe(slug));

  it('turns every title into a name that is safe for git, the shell and the file system', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        const slug = buildSlug(title);
        expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(slug.length).toBeLessThanOrEqual(60);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('names that contain a slug', () => {
  const run = { flow: 'design_doc', issueNumber: 7, slug: 'a-b', ordinal: 1 } as const;
  it('differ by flow and ordinal', () => {
    expect(buildBranchName(run)).toBe('agent/design/7-a-b');
    expect(buildBranchName({ ...run, flow: 'bugfix', ordinal: 3 })).toBe('agent/bugfix/7-a-b-3');
    expect(buildDesignDocPath('docs/design', run)).toBe('docs/design/7-a-b.md');
    expect(buildDesignDocPath('docs/design', { ...run, ordinal: 2 })).toBe('docs/design/7-a-b-2.md');
  });
});
