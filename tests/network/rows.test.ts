import { parseCpuTime, parseStatTicks, readCpuMs, readRssMb } from './process-usage.js';
import { renderTables } from './render-tables.js';
import { parseNumbers, parseRows, ROWS } from './rows.js';

describe('the options of the benchmark', () => {
  it('select rows', () => {
    expect(parseRows('memory,once-cold')).toEqual(['memory', 'once-cold']);
    expect(parseRows('all')).toEqual(Object.keys(ROWS));
    expect(parseRows(undefined)).not.toContain('memory');
    expect(() => parseRows('service,memory')).toThrow(/^--rows has no row "service".*once-cold/);
  });

  it('accept lists of numbers', () => {
    expect(parseNumbers('--latencies', '0,50')).toEqual([0, 50]);
    for (const text of ['', '1,', '-1', '1.5', 'x', '100000'])
      expect(() => parseNumbers('--latencies', text)).toThrow('--latencies must be whole numbers');
  });
});

describe('process usage', () => {
  it.each([
    ['0:01.23', 1_230],
    ['00:00:05', 5_000],
    ['12:34:56', 45_296_000],
    ['1-00:00:01', 86_401_000],
  ])('parses the CPU time %s', (text, ms) => expect(parseCpuTime(text)).toBe(ms));

  it('parses the ticks after a process name with spaces and parentheses', () =>
    expect(parseStatTicks('7 (a) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 130 20 5 6 20 0 11 0')).toBe(150));

  it('measures the CPU time and memory of this process', () => {
    const cpu = process.cpuUsage();
    // The kernel counts in hundredths of a second.
    expect(readCpuMs(process.pid)).toBeGreaterThan((cpu.user + cpu.system) / 1_000 / 2);
    expect(readRssMb(process.pid)).toBeGreaterThan(10);
  });
});

describe('the result tables', () => {
  const result = {
    row: 'service-reply',
    latencyMs: 150,
    what: 'service, comment → reply',
    rounds: 3,
    seconds: { median: 4.56, min: 4, max: 5.12 },
    firstRequestSeconds: 0.52,
    requests: 31,
    counted: 20,
    criticalPath: 25,
    git: 3,
    phases: {
      poll: { total: 15, counted: 8, criticalPath: 2 },
      begin: { total: 6, counted: 5, criticalPath: 1 },
      post: { total: 8, counted: 4, criticalPath: 3 },
      after: { total: 12.5, counted: 3, criticalPath: 4 },
    },
  } as const;

  it('show the times and requests of each row, and its requests by phase', () =>
    expect(renderTables([result, { ...result, phases: undefined }], [])).toBe(
      `| Latency | Measured | Seconds | First request | Requests | Counted | Critical path | git |
| --- | --- | --- | --- | --- | --- | --- | --- |
| 150 ms | service, comment → reply | 4.6 (4.0–5.1) | 0.5 | 31 | 20 | 25 | 3 |
| 150 ms | service, comment → reply | 4.6 (4.0–5.1) | 0.5 | 31 | 20 | 25 | 3 |

| Latency | Measured | poll | begin | post | after |
| --- | --- | --- | --- | --- | --- |
| 150 ms | service, comment → reply | 15 / 8 / 2 | 6 / 5 / 1 | 8 / 4 / 3 | 12.5 / 3 / 4 |
`,
    ));

  it('compare the rows at 150 ms with Python MergeXO', () => {
    const about = { ...result, phases: undefined };
    const once = { ...about, row: 'once-cold', what: '`run --once`, first issue → pull request' } as const;
    const idle = { ...about, row: 'idle-poll', what: 'idle poll, 20 open' } as const;
    const tables = renderTables([once, idle, { ...once, latencyMs: 300 }], []).split('\n\n');
    expect(tables.at(-1)).toBe(`| 150 ms | Python MergeXO | MergeXO |
| --- | --- | --- |
| \`run --once\`, first issue → pull request | 4.9 s, 9 requests | 4.6 s, 31 requests |
| idle poll, 20 open | 163 requests | 4.6 s, 31 requests |
`);
  });

  it('show the usage of processes, and omit a table without rows', () =>
    expect(
      renderTables(
        [],
        [
          { row: 'idle-cpu', what: 'CPU', value: 12.34, unit: 'ms' },
          { row: 'memory', what: 'memory', value: 98.7, unit: 'MB' },
        ],
      ),
    ).toBe('| Process | Measured |\n| --- | --- |\n| CPU | 12.3 ms |\n| memory | 99 MB |\n'));
});
