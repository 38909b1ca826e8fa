import { findFailedTests } from './find-failed-tests.js';
import { readLog } from './read-log.js';

describe('findFailedTests', () => {
  it.each<[string, string, string[]]>([
    [
      'Jest',
      'FAIL src/a.test.ts (5.2 s)\n  ● greet › says hello\n\n    expect(1).toBe(2)',
      ['src/a.test.ts', 'greet › says hello'],
    ],
    ['Jest with a list', '    ✕ says hello (12 ms)\n    ✓ waves (1 ms)', ['says hello']],
    [
      'Vitest',
      ' FAIL  src/a.test.ts > greet > says hello\n × greet > waves 5ms',
      ['src/a.test.ts > greet > says hello', 'greet > waves'],
    ],
    [
      'pytest',
      'FAILED tests/test_a.py::test_hello - assert 1 == 2\nERROR tests/test_b.py::test_x',
      ['tests/test_a.py::test_hello', 'tests/test_b.py::test_x'],
    ],
    [
      'Go',
      '--- FAIL: TestHello (0.00s)\n    --- FAIL: TestHello/empty (0.00s)\nFAIL\texample.com/a\t0.005s',
      ['TestHello', 'TestHello/empty', 'example.com/a'],
    ],
    ['Rust', 'test greet::tests::hello ... FAILED\ntest greet::tests::wave ... ok', ['greet::tests::hello']],
    ['Gradle', 'com.acme.GreetTest > hello() FAILED', ['com.acme.GreetTest > hello()']],
    [
      'Maven',
      '[ERROR]   GreetTest.hello:12 expected:<1> but was:<2>\n[ERROR] Failed to execute goal',
      ['GreetTest.hello'],
    ],
    [
      'Mocha',
      '  1) not yet a failure\n  2 passing\n  1 failing\n\n  1) greet says hello:',
      ['greet says hello:'],
    ],
    ['TAP', 'ok 1 - waves\nnot ok 2 - says hello', ['says hello']],
    ['.NET', '  Failed Acme.GreetTests.Hello [5 ms]', ['Acme.GreetTests.Hello']],
    ['a log without tests', 'npm ERR! code ENOENT\nError: Process completed with exit code 1.', []],
  ])('finds the names that %s prints', (_runner, log, names) => {
    expect(findFailedTests(readLog(log))).toEqual(names);
  });

  it('names each test once, and at most a thousand', () => {
    const log = Array.from({ length: 3_000 }, (_, index) => `--- FAIL: Test${index % 1_500} (0.00s)`).join(
      '\n',
    );
    expect(findFailedTests(readLog(log))).toEqual(
      Array.from({ length: 1_000 }, (_, index) => `Test${index}`),
    );
  });
});
