import { chooseDocuments } from './choose-documents.js';

const one = ['.specify/specs/001-retry/spec.md', '.specify/specs/001-retry/tasks.md'];
const two = ['.specify/specs/002-login/spec.md', '.specify/specs/002-login/plan.md'];
const design = 'docs/design/7-retry.md';

describe('chooseDocuments', () => {
  it.each([
    ['the design document', [design, 'src/x.ts'], [], [design]],
    ['nothing where nothing is', ['src/x.ts', 'docs/spec.md'], [], []],
    ['the only specification, in reading order', [...one].reverse(), [], one],
    ['both', [...one, design], [], [design, ...one]],
    [
      'the specification that the change touches',
      [...one, ...two],
      ['.specify/specs/002-login/tasks.md'],
      two,
    ],
    ['none of several', [...one, ...two], ['src/x.ts'], []],
    ['no other file of that folder', ['.specify/memory/constitution.md', ...one], [], one],
  ])('gives %s', (_what, paths, changedFiles, expected) => {
    expect(chooseDocuments(paths, { designDocPath: design, changedFiles })).toEqual(expected);
  });

  it('works without a design document', () => {
    expect(chooseDocuments(one, { designDocPath: null, changedFiles: [] })).toEqual(one);
  });
});
