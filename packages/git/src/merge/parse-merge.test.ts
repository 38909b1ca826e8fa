import fc from 'fast-check';
import { parseMerge } from './parse-merge.js';

const TREE = 'a'.repeat(40);
const ID = 'b'.repeat(40);
const OTHER = 'c'.repeat(40);
const join = (...fields: string[]): Buffer => Buffer.from(`${fields.join('\0')}\0`, 'latin1');
const stage = (number: number, path: string, id = ID): string => `100644 ${id} ${number}\t${path}`;
const message = (type: string, ...paths: string[]): string[] => [
  String(paths.length),
  ...paths,
  type,
  'some fields\n',
];

describe('parseMerge', () => {
  it('returns only a tree if there are no conflicts', () => {
    expect(parseMerge(join(TREE))).toEqual({ tree: TREE, conflicts: [] });
  });

  it.each<[string, string[], string[], string]>([
    ['contents', ['f'], ['1', '2', '3'], 'changed on both sides'],
    ['contents', ['f'], ['2', '3'], 'added on both sides'],
    [
      'modify/delete',
      ['f'],
      ['1', '2'],
      'changed on the branch, deleted on the base branch; the working directory still contains the file',
    ],
    [
      'modify/delete',
      ['f'],
      ['1', '3'],
      'deleted on the branch, changed on the base branch; the working directory contains the base branch’s version',
    ],
    ['rename/rename', ['x', 'f', 'y'], ['2'], 'renamed to different names'],
    ['rename/delete', ['f', 'x'], ['1', '2'], 'renamed on one side, deleted on the other'],
    ['file/directory', ['f', 'd'], ['2'], 'a file on one side, a directory on the other'],
    ['submodule history not available', ['f'], ['1', '2', '3'], 'submodule history not available'],
  ])('explains why a file conflicts: %s', (type, paths, stages, reason) => {
    const files = stages.map((number) => stage(Number(number), 'f'));
    const output = parseMerge(join(TREE, ...files, '', ...message(`CONFLICT (${type})`, ...paths)));
    expect(output?.conflicts).toEqual([expect.objectContaining({ path: 'f', reason })]);
  });

  it('reports a binary file once, as binary', () => {
    const binary = [message('CONFLICT (binary)', 'f'), message('Auto-merging', 'f')];
    const fields = [...binary.flat(), ...message('CONFLICT (contents)', 'f')];
    const output = parseMerge(join(TREE, stage(2, 'f', ID), stage(3, 'f', OTHER), '', ...fields));
    expect(output?.conflicts).toEqual([
      {
        path: 'f',
        reason: 'binary, changed on both sides; the working directory contains the branch’s version',
      },
    ]);
  });

  it('names a conflicting directory even if none of its files conflicts', () => {
    const output = parseMerge(join(TREE, '', ...message('CONFLICT(directory rename unclear split)', 'old')));
    expect(output?.conflicts).toEqual([{ path: 'old', reason: 'directory rename unclear split' }]);
  });

  it.each(['', 'fatal: no', `${TREE}x`, `${TREE} `])(
    'returns undefined for output without a tree: %j',
    (text) => {
      expect(parseMerge(Buffer.from(text))).toBeUndefined();
    },
  );

  it('parses any file names', () => {
    const name = fc
      .uint8Array({ minLength: 1 })
      .filter((bytes) => !bytes.includes(0))
      .map((bytes) => Buffer.from(bytes).toString('latin1'));
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1 }), (names) => {
        const fields = names.flatMap((path) => message('CONFLICT (contents)', path));
        const output = parseMerge(join(TREE, ...names.map((path) => stage(3, path)), '', ...fields));
        expect(output?.conflicts.map(({ path }) => path)).toEqual(names);
        expect(new Set(output?.conflicts.map(({ reason }) => reason))).toEqual(
          new Set(['added on both sides']),
        );
      }),
    );
  });

  it('never throws for other text', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (fields) => {
        const output = parseMerge(join(TREE, ...fields));
        expect(output?.tree).toBe(TREE);
      }),
    );
  });
});
