import fc from 'fast-check';
import { excerptLog } from './excerpt-log.js';
import { readLog } from './read-log.js';

const noise = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);
const excerpt = (lines: readonly string[], room: number) => excerptLog(readLog(lines.join('\n')), room);

describe('excerptLog', () => {
  it('shows a short log in full', () => {
    expect(excerpt(['a', 'b'], 100)).toBe('a\nb');
  });

  it('shows the lines around an early error and the end of the log, and counts the rest', () => {
    const text = excerpt(
      [...noise(100, 'install'), 'TypeError: x is undefined', 'error TS2322', ...noise(500, 'step')],
      300,
    );
    expect(text).toMatch(
      /^\[97 lines omitted\]\ninstall 97\ninstall 98\ninstall 99\nTypeError: x is undefined\n/,
    );
    expect(text).toContain('\nerror TS2322\nstep 0\n');
    expect(text).toMatch(/\n\[\d+ lines omitted\]\nstep \d+\n[\s\S]*\nstep 499$/);
    expect(text.length).toBeLessThan(380);
  });

  it.each<[string, readonly string[]]>([
    ['Go', ['--- FAIL: TestUpload (0.00s)', '    upload_test.go:7: got 4 attempts, want 3']],
    ['Go, after a panic', ['panic: attempts out of range', 'goroutine 7 [running]:']],
    ['Mocha', ['  1 failing', '', '  1) upload', '       retries three times:', '     4 !== 3']],
    ['npm', ['npm ERR! code ELIFECYCLE']],
  ])('keeps the failure that %s prints in the middle of a long log', (_runner, failure) => {
    const text = excerpt([...noise(500, 'build'), ...failure, ...noise(500, 'clean')], 600);
    expect(text).toContain(`\nbuild 499\n${failure.join('\n')}\nclean 0\n`);
  });

  it('shows a failed test before other signs', () => {
    const log = [...noise(500, 'cannot cache'), '--- FAIL: TestUpload (0.00s)', ...noise(500, 'clean')];
    expect(excerpt(log, 600)).toContain('\n--- FAIL: TestUpload (0.00s)\n');
  });

  it('ends with the failed step, not with the cleanup steps', () => {
    const log = [
      ...noise(50, 'run'),
      '##[error]Process completed with exit code 1.',
      ...noise(50, 'cleanup'),
    ];
    const text = excerpt(log, 200);
    expect(text).toMatch(/run 49\nError: Process completed with exit code 1\.$/);
    expect(text).not.toContain('cleanup');
  });

  it.each(['0 errors', 'Tests: 0 failed, 5 passed', 'no failures'])(
    'does not treat "%s" as an error',
    (line) => {
      expect(excerpt([line, ...noise(50, 'run')], 60)).not.toContain(line);
    },
  );

  it('never exceeds the maximum length by more than one line', () => {
    const line = fc.oneof(fc.string({ maxLength: 80 }), fc.constant('error: no'), fc.constant('##[error]x'));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), fc.integer({ min: 100, max: 2_000 }), (lines, room) => {
        const text = excerpt(lines, room);
        const own = text
          .split('\n')
          .filter((one) => !/^\[\d+ lines omitted\]$/.test(one))
          .join('\n');
        expect(own.length).toBeLessThanOrEqual(room + 501);
      }),
    );
  });
});
