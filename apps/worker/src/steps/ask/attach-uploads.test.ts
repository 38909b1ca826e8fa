import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Attached, UploadContent, UploadList } from '@mergexo/core/attachments';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { trouble } from '../make-plan.js';
import { aReport } from '../testing/scene.js';
import { aBegunTurn } from '../testing/stage.js';
import { attachUploads } from './attach-uploads.js';

const HOSTILE = 'https://github.com/user-attachments/files/1/..%2f..%2fevil.png';

const listed = (...problems: (null | 'too_many')[]): UploadList => ({
  listed: problems.map((problem) => ({ url: HOSTILE, source: 'comment 1 by alice', isNew: true, problem })),
  omitted: 0,
});
const aFile = (type: 'png' | 'log', text: string): UploadContent => ({
  kind: 'file',
  type,
  data: Buffer.from(text).toString('base64'),
});

describe('attachUploads', () => {
  const inDirectory = useTemporaryDirectory();
  const root = (): string => inDirectory('attachments');

  const run = (
    uploads: UploadList | undefined,
    contents: readonly UploadContent[],
    work: (attached: Attached | undefined) => void,
  ) => {
    const planner = attachUploads(root(), async ({ attached }) => {
      work(attached);
      return trouble('done');
    });
    const asked: number[] = [];
    const fetchUpload = async (number: number): Promise<UploadContent> => {
      asked.push(number);
      return contents[asked.length - 1] ?? { kind: 'missing', problem: 'unavailable' };
    };
    const begun = { ...aBegunTurn('bugfix_start', {}), ...(uploads && { uploads }) };
    return planner(begun, new AbortController().signal, { ...aReport(), fetchUpload }).then(() => asked);
  };

  it('writes private files under its own names for the duration of the turn', async () => {
    let path = '';
    const asked = await run(
      listed(null, 'too_many', null, null),
      [aFile('png', 'P'), { kind: 'missing', problem: 'expired' }, aFile('log', 'L')],
      (attached) => {
        path = attached?.directory ?? '';
        expect(readdirSync(path)).toEqual(['1.png', '2.log']);
        expect(attached?.files.map((file) => readFileSync(file.path, 'utf8'))).toEqual(['P', 'L']);
        expect(attached?.missing.map(({ problem }) => problem)).toEqual(['too_many', 'expired']);
        expect(statSync(path).mode & 0o777).toBe(0o700);
        expect(statSync(join(path, '1.png')).mode & 0o777).toBe(0o600);
      },
    );
    expect(asked).toEqual([1, 3, 4]);
    expect(dirname(path)).toBe(root());
    expect(existsSync(path)).toBe(false);
  });

  it('removes the files if the turn fails', async () => {
    const failing = run(listed(null), [aFile('png', 'P')], () => {
      throw new Error('the agent crashed');
    });
    await expect(failing).rejects.toThrow('the agent crashed');
    expect(readdirSync(root())).toEqual([]);
  });

  it('removes directories that killed workers left behind a day ago, and no newer ones', async () => {
    for (const name of ['turn-old', 'turn-new']) mkdirSync(join(root(), name), { recursive: true });
    const aDayAgo = Date.now() / 1_000 - 90_000;
    utimesSync(join(root(), 'turn-old'), aDayAgo, aDayAgo);
    await run(listed(null), [aFile('png', 'P')], () => {});
    expect(readdirSync(root())).toEqual(['turn-new']);
  });

  it('creates nothing for a turn without uploads', async () => {
    await run(undefined, [], (attached) => expect(attached).toBeUndefined());
    expect(existsSync(root())).toBe(false);
  });
});
