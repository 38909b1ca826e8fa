import { type ClaudeOutput, readClaudeEvents } from './claude-events.js';
import { explainClaude } from './explain-claude.js';

const NOW = new Date('2026-11-16T06:00:00Z').getTime();
const ID = '3f5e2be5-cbd9-46c5-af8b-da65b893d457';
const BASE = { type: 'result', session_id: ID, total_cost_usd: 0, usage: {}, is_error: true };
/** A failed result as Claude Code 2.1.325 prints it, without unused fields. */
const failed = (more: object) => ({ ...BASE, subtype: 'success', terminal_reason: 'api_error', ...more });

function readOutput(...lines: object[]): ClaudeOutput {
  const events = readClaudeEvents();
  for (const line of lines) events.onLine(line, () => {});
  return events.output;
}

describe('explainClaude', () => {
  it.each<[string, object[], object]>([
    [
      '500',
      [
        failed({
          api_error_status: 500,
          result:
            'API Error: 500 fake error. This is a server-side issue, usually temporary — try again in a moment.',
        }),
      ],
      { failure: 'overloaded' },
    ],
    [
      '529',
      [
        failed({
          api_error_status: 529,
          api_error_type: 'overloaded_error',
          result: 'API Error: 529 Overloaded. This is a server-side issue',
        }),
      ],
      { failure: 'overloaded' },
    ],
    [
      '429',
      [
        failed({
          api_error_status: 429,
          result: 'API Error: Request rejected (429) · This request would exceed your rate limit',
        }),
      ],
      { failure: 'overloaded' },
    ],
    [
      '401',
      [failed({ api_error_status: 401, result: 'Invalid API key · Fix external API key' })],
      { failure: 'not-logged-in', message: expect.stringContaining('claude setup-token') },
    ],
    [
      'no login',
      [failed({ api_error_status: null, result: 'Not logged in · Please run /login' })],
      { failure: 'not-logged-in' },
    ],
    [
      'a prompt that is too long',
      [
        failed({
          api_error_status: 400,
          terminal_reason: 'prompt_too_long',
          result: 'Prompt is too long · the request is ~210000 tokens (limit 200000)',
        }),
      ],
      { failure: 'context-exhausted' },
    ],
    [
      'an account without credit',
      [failed({ api_error_status: 400, result: 'Credit balance is too low' })],
      { failure: 'usage-limit' },
    ],
    [
      'a refused connection',
      [
        failed({
          api_error_status: null,
          result: 'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)',
        }),
      ],
      { failure: 'overloaded' },
    ],
    [
      'a usage limit',
      [
        {
          type: 'rate_limit_event',
          rate_limit_info: { status: 'rejected', resetsAt: 1794999999, rateLimitType: 'five_hour' },
        },
        failed({
          api_error_status: 429,
          api_error: 'usage_limit_reached',
          result: "You've hit your limit · resets Nov 18, 11:06am (UTC)",
        }),
      ],
      { failure: 'usage-limit', retryAfterMs: 1794999999_000 - NOW },
    ],
    [
      'a warning about a limit that is not reached',
      [
        { type: 'rate_limit_event', rate_limit_info: { status: 'allowed', resetsAt: 1794999999 } },
        failed({ api_error_status: 500, result: 'API Error: 500' }),
      ],
      { failure: 'overloaded', message: 'API Error: 500' },
    ],
    [
      'an unknown session',
      [
        {
          ...BASE,
          subtype: 'error_during_execution',
          errors: [`No conversation found with session ID: ${ID}`],
        },
      ],
      { failure: 'session-lost' },
    ],
    [
      'too many turns',
      [{ ...BASE, subtype: 'error_max_turns' }],
      { failure: 'crashed', message: 'the agent ended with error_max_turns' },
    ],
    [
      'a bad request',
      [failed({ api_error_status: 400, result: 'API Error: 400 bad thing' })],
      { failure: 'crashed' },
    ],
  ])('classifies the failure: %s', (_name, lines, expected) => {
    expect(explainClaude(readOutput(...lines), '', NOW)).toMatchObject(expected);
  });

  it('classifies the text on standard error if there is no result', () => {
    expect(explainClaude(readOutput(), `No conversation found with session ID: ${ID}`, NOW)).toMatchObject({
      failure: 'session-lost',
    });
  });
});
