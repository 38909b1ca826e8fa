import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { collectAll, collectTail } from './bounded-output.js';
import { parsePs } from './process-table.js';
import { removeTree } from './remove-tree.js';

describe('collectTail', () => {
  it('keeps the end of whatever comes, in whatever pieces, and never more than it may', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 60 })),
        fc.integer({ min: 5, max: 100 }),
        (parts, max) => {
          const { sink, text } = collectTail(max);
          for (const part of parts) expect(sink(Buffer.from(part))).toBe(true);
          const whole = parts.join('');
          expect(text().length).toBeLessThanOrEqual(Math.max(max, 1));
          expect(whole.endsWith(text().replace(/^…/, ''))).toBe(true);
          if (whole.length <= max) expect(text()).toBe(whole);
        },
      ),
    );
  });

  it('does not show half a character at the cut', () => {
    const { sink, text } = collectTail(10);
    sink(Buffer.from(`${'€'.repeat(100)}end`));
    expect(text()).toBe('…€€€€€€end');
  });
});

describe('collectAll', () => {
  it('keeps all up to the limit and says when it is passed', () => {
    const { sink, text } = collectAll(6);
    expect([sink(Buffer.from('abc')), sink(Buffer.from('def'))]).toEqual([true, true]);
    expect(text()).toBe('abcdef');
    expect(sink(Buffer.from('g'))).toBe(false);
    expect(text()).toBe('');
  });
});

describe('parsePs', () => {
  it('reads the list of a system without /proc', () => {
    const text = [
      '    1     0     1 Ss   /sbin/launchd',
      '  501     1   501 S+   node agent.js PATH=/bin MERGEXO_RUN_ID=abc HOME=/h',
      '  502   501   502 Z    (node)',
      '  503     1   503 S    node agent.js MERGEXO_RUN_ID=abcd',
      'a line of somebody’s environment',
    ].join('\n');
    expect(parsePs(text, 'MERGEXO_RUN_ID=abc')).toEqual([
      { pid: 1, parent: 0, group: 1, session: 0, marked: false },
      { pid: 501, parent: 1, group: 501, session: 0, marked: true },
      { pid: 503, parent: 1, group: 503, session: 0, marked: false },
    ]);
  });
});

describe('removeTree', () => {
  it('removes trees that are locked, or deeper than a path can be', async () => {
    const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-'));
    const script = `mkdir locked && touch locked/file && chmod 000 locked
      i=0; while [ $i -lt 60 ]; do mkdir ${'d'.repeat(200)} && cd ${'d'.repeat(200)}; i=$((i+1)); done 2>/dev/null`;
    execFileSync('sh', ['-c', script], { cwd: dir });
    expect(await removeTree(dir)).toBe(true);
    expect(existsSync(dir)).toBe(false);
  });
});
