import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from './remove-tree.js';

describe('removeTree', () => {
  it('removes trees without permissions, and trees with paths longer than the system allows', async () => {
    const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-'));
    const script = `mkdir locked && touch locked/file && chmod 000 locked
      i=0; while [ $i -lt 60 ]; do mkdir ${'d'.repeat(200)} && cd ${'d'.repeat(200)}; i=$((i+1)); done 2>/dev/null`;
    execFileSync('sh', ['-c', script], { cwd: dir });
    await removeTree(dir);
    expect(existsSync(dir)).toBe(false);
  });
});
