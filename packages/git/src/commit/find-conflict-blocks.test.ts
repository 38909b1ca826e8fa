import fc from 'fast-check';
import { findConflictBlocks } from './find-conflict-blocks.js';

const BLOCK = '<<<<<<< branch\nours\n=======\ntheirs\n>>>>>>> base';

describe('conflict markers', () => {
  it.each<[string, string, string[]]>([
    ['one block', `a\n${BLOCK}\nb\n`, [BLOCK]],
    ['two blocks', `${BLOCK}\n\n${BLOCK}`, [BLOCK, BLOCK]],
    ['a block without lines', '<<<<<<< a\n=======\n>>>>>>> b', ['<<<<<<< a\n=======\n>>>>>>> b']],
    ['lines that end in CRLF', BLOCK.replaceAll('\n', '\r\n'), [BLOCK.replaceAll('\n', '\r\n')]],
    ['a heading in a document', 'Title\n=======\n\ntext', []],
    ['a quoted mail', '>>>>>>> he said\n=======\n<<<<<<< x', []],
    ['a block that lost its end', '<<<<<<< a\nx\n=======\ny', ['<<<<<<< a\nx\n=======\ny']],
    ['a block that lost its start', 'x\n=======\ny\n>>>>>>> b', ['=======\ny\n>>>>>>> b']],
    ['a block that lost its middle', '<<<<<<< a\nx\n>>>>>>> b', ['<<<<<<< a\nx\n>>>>>>> b']],
    ['a start alone', '<<<<<<< branch\nours', []],
    ['markers inside lines', ' <<<<<<< branch\n =======\n >>>>>>> base', []],
    ['other lengths', '<<<<<<<< a\n========\n>>>>>>>> b', []],
    ['a block that begins twice', `<<<<<<< lost\n${BLOCK}`, [BLOCK]],
  ])('are found: %s', (_name, text, blocks) => {
    expect(findConflictBlocks(text)).toEqual(blocks);
  });

  it('are found at any position', () => {
    const line = fc.string().filter((text) => !/[\n]|^[<=>]{7}/.test(text));
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (before, after) => {
        expect(findConflictBlocks([...before, BLOCK, ...after].join('\n'))).toEqual([BLOCK]);
        expect(findConflictBlocks([...before, ...after].join('\n'))).toEqual([]);
      }),
    );
  });
});
