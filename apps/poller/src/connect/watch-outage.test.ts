import { Failure } from '@mergexo/core/basics';
import { createLog } from '@mergexo/log';
import { watchOutage } from './watch-outage.js';

// Same shape as in the GitHub package: a dropped connection has no response, although Octokit reports a 500.
const refused = new Failure('unavailable', 'GitHub did not respond to GET /user: connect ECONNREFUSED.', {
  cause: Object.assign(new Error('connect ECONNREFUSED'), { status: 500 }),
});
const rejected = new Failure('unauthorized', 'GitHub refused the token for GET /user.', {
  cause: Object.assign(new Error('Bad credentials'), { status: 401, response: { headers: {} } }),
});

describe('watchOutage', () => {
  const lines: string[] = [];
  const stdout = {
    write(line: string) {
      const { level, message } = JSON.parse(line);
      lines.push(`${level}: ${message}`);
    },
  };
  const { log } = createLog({ app: 'poller', level: 'debug', stdout });
  let clock = 0;
  beforeEach(() => {
    lines.length = 0;
    clock = 0;
  });

  it.each([
    ['is unreachable', refused, /^warn: GitHub cannot be reached/],
    ['rejects the token', rejected, /^warn: GitHub rejects the token/],
  ])('logs once that GitHub %s, and once that it responds again', (_what, failure, expected) => {
    const outage = watchOutage(log, () => clock);
    for (let poll = 0; poll < 3; poll += 1) {
      outage.hear(failure);
      outage.log.warn({ err: failure }, 'a step of the poll cycle failed');
      clock += 60_000;
    }
    outage.hear(undefined);
    outage.hear(undefined);
    expect(lines.filter((line) => !line.startsWith('debug'))).toEqual([
      expect.stringMatching(expected),
      'warn: GitHub responds again after 3 min',
    ]);
    outage.log.warn({ err: failure }, 'a step of the poll cycle failed');
    expect(lines.at(-1)).toBe('warn: a step of the poll cycle failed');
  });

  it('treats a server error or an unanswered write neither as an outage nor as the end of one', () => {
    const broken = new Failure('unavailable', 'GitHub answered 503.', {
      cause: Object.assign(new Error('Unavailable'), { status: 503, response: { headers: {} } }),
    });
    const lost = new Failure('unknown-outcome', 'GitHub did not respond to POST /comments.');
    const outage = watchOutage(log, () => clock);
    for (const failure of [broken, lost]) {
      outage.hear(failure);
      outage.log.warn({ err: failure }, 'the outcome of a write is unknown');
    }
    outage.hear(refused);
    for (const failure of [broken, lost]) outage.hear(failure);
    expect(lines).toEqual([
      'warn: the outcome of a write is unknown',
      'warn: the outcome of a write is unknown',
      expect.stringMatching(/cannot be reached/),
    ]);
  });

  it('during an outage, still logs unrelated failures and a change of the cause', () => {
    const outage = watchOutage(log, () => clock);
    outage.hear(refused);
    outage.log.warn({ err: new Failure('invalid-data', 'odd') }, 'a step of the poll cycle failed');
    outage.log.warn({}, 'no error');
    outage.log.warn({ err: new Failure('unavailable', 'Redis did not respond.') }, 'no Redis');
    outage.hear(rejected);
    expect(lines).toEqual([
      expect.stringMatching(/cannot be reached/),
      'warn: a step of the poll cycle failed',
      'warn: no error',
      'warn: no Redis',
      expect.stringMatching(/rejects the token/),
    ]);
  });
});
