import { chooseDocuments } from './choose-documents.js';

const one = ['.specify/specs/001-retry/spec.md', '.specify/specs/001-retry/tasks.md'];
const two = ['.specify/specs/002-login/spec.md', '.specify/specs/002-login/plan.md'];
const design = 'docs/design/7-retry.md';

describe('chooseDocuments', () => {
  it.each([
    ['the design document', [design, 'src/x.ts'], [], [design]],
    ['nothing if there is no document', ['src/x.ts', 'docs/spec.md'], [], []],
    ['the only specification, in reading order', [...one].reverse(), [], one],
    ['both the design document and the specification', [...one, design], [], [design, ...one]],
    [
      'the specification that the change touches',
      [...one, ...two],
      ['.specify/specs/002-login/tasks.md'],
      two,
    ],
    ['no specification if the change touches none of several', [...one, ...two], ['src/x.ts'], []],
    ['no other file of the .specify folder', ['.specify/memory/constitution.md', ...one], [], one],
  ])('chooses %s', (_what, paths, changedFiles, expected) => {
    expect(chooseDocuments(paths, { designDocPath: design, changedFiles })).toEqual(expected);
  });

  it('works without a design document', () => {
    expect(chooseDocuments(one, { designDocPath: null, changedFiles: [] })).toEqual(one);
  });
});
