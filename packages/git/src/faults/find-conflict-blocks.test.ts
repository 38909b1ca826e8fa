import fc from 'fast-check';
import { findConflictBlocks } from './find-conflict-blocks.js';

const BLOCK = '<<<<<<< branch\nours\n=======\ntheirs\n>>>>>>> base';

describe('findConflictBlocks', () => {
  it.each<[string, string, string[]]>([
    ['one block', `a\n${BLOCK}\nb\n`, [BLOCK]],
    ['two blocks', `${BLOCK}\n\n${BLOCK}`, [BLOCK, BLOCK]],
    ['an empty block', '<<<<<<< a\n=======\n>>>>>>> b', ['<<<<<<< a\n=======\n>>>>>>> b']],
    ['lines that end with CRLF', BLOCK.replaceAll('\n', '\r\n'), [BLOCK.replaceAll('\n', '\r\n')]],
    ['a heading in a document', 'Title\n=======\n\ntext', []],
    ['a quoted mail', '>>>>>>> he said\n=======\n<<<<<<< x', []],
    ['a block that lost its end', '<<<<<<< a\nx\n=======\ny', ['<<<<<<< a\nx\n=======\ny']],
    ['a block that lost its start', 'x\n=======\ny\n>>>>>>> b', ['=======\ny\n>>>>>>> b']],
    ['a block that lost its middle', '<<<<<<< a\nx\n>>>>>>> b', ['<<<<<<< a\nx\n>>>>>>> b']],
    ['only a start marker', '<<<<<<< branch\nours', []],
    ['indented markers', ' <<<<<<< branch\n =======\n >>>>>>> base', []],
    ['markers of other lengths', '<<<<<<<< a\n========\n>>>>>>>> b', []],
    ['a block with a second start marker', `<<<<<<< lost\n${BLOCK}`, [BLOCK]],
  ])('finds exactly the conflict blocks in %s', (_name, text, blocks) => {
    expect(findConflictBlocks(text)).toEqual(blocks);
  });

  it('finds a block at any position', () => {
    const line = fc.string().filter((text) => !/[\n]|^[<=>]{7}/.test(text));
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (before, after) => {
        expect(findConflictBlocks([...before, BLOCK, ...after].join('\n'))).toEqual([BLOCK]);
        expect(findConflictBlocks([...before, ...after].join('\n'))).toEqual([]);
      }),
    );
  });
});
