import type { LogLine } from './read-log.js';

/** Maximum number of names to return, which is far more than a prompt shows. */
const MAX_NAMES = 1_000;
const MAX_NAME = 200;

/** How common test runners print a failed test. Each pattern applies to one trimmed line of limited length. */
const PATTERNS: readonly RegExp[] = [
  // Jest prints the suites and the test after a bullet, and each failed test after a cross, as Vitest and Mocha do.
  /^● (?!Console$)(.+)$/,
  /^[✕✗×✖] (.+)$/,
  // Jest and Vitest print the file, and Vitest the test too. Go prints the package.
  /^FAIL\s+(\S.*)$/,
  /^--- FAIL: (\S+)/,
  // pytest prints the assertion after the name.
  /^(?:FAILED|ERROR) (\S+\.py::.+?)(?: - .*)?$/,
  // Rust
  /^test (\S+) \.\.\. FAILED$/,
  // JUnit as Gradle and Maven print it
  /^(\S+ > .+) FAILED$/,
  /^\[ERROR\]\s+([\w.$]+\.\w+):\d+ /,
  // TAP
  /^not ok \d+ (?:- )?(.+)$/,
  // .NET
  /^Failed (\S+) \[/,
];

/** Mocha numbers its failed tests after this line. */
const MOCHA = /^\d+ failing$/;
const NUMBERED = /^\d+\) (.+)$/;
/** The duration that some runners print after a name. */
const DURATION = /\s\(?\d+(?:\.\d+)? ?m?s\)?$/;

/** Returns the names of the tests that failed according to a log, in the order of the log. */
export function findFailedTests(lines: readonly LogLine[]): string[] {
  const names = new Set<string>();
  for (const name of readTestNames(lines)) {
    if (name === undefined) continue;
    names.add(
      name
        .replace(DURATION, '')
        .slice(0, MAX_NAME)
        .replace(/[\ud800-\udbff]$/, ''),
    );
    if (names.size === MAX_NAMES) break;
  }
  return [...names];
}

/** Returns the failed test that each line names; undefined for all other lines. */
export function readTestNames(lines: readonly LogLine[]): (string | undefined)[] {
  let isMocha = false;
  return lines.map(({ text }) => {
    const line = text.trim();
    isMocha ||= MOCHA.test(line);
    return findName(line) ?? (isMocha ? NUMBERED.exec(line)?.[1] : undefined);
  });
}

function findName(line: string): string | undefined {
  for (const pattern of PATTERNS) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}
