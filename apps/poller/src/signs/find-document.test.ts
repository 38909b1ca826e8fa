import { findDocument } from './find-document.js';

const path = 'docs/design/1-export.md';
const pull = {
  status: 'awaiting_feedback',
  url: 'https://github.com/a/b/pull/7',
  branch: 'agent/design/1-export',
} as const;
const design = { run: { flow: 'design_doc', designDocPath: path }, pull } as const;
const merged = { ...design, pull: { ...pull, status: 'merged' } } as const;
const implementation = { run: { flow: 'implementation', designDocPath: path }, pull: undefined } as const;

describe('findDocument', () => {
  it.each<[string, Parameters<typeof findDocument>[0], string | undefined]>([
    ['an open design', [design], 'agent/design/1-export'],
    ['a merged design', [merged], 'main'],
    ['a closed design', [{ ...design, pull: { ...pull, status: 'closed' } }], undefined],
    ['a design without a pull request', [{ ...design, pull: undefined }], undefined],
    ['an implementation', [implementation, merged], 'main'],
    ['an implementation whose design is unknown', [implementation], undefined],
    ['a bug fix after a design', [{ run: { flow: 'bugfix', designDocPath: null }, pull }, merged], undefined],
    ['no run', [], undefined],
  ])('of %s', (_what, parts, branch) => {
    const expected = branch && { path, baseUrl: `https://github.com/a/b/blob/${branch}` };
    expect(findDocument(parts, 'main')).toEqual(expected);
  });
});
