import { explainCodex } from './explain-codex.js';

const NOW = new Date(2026, 10, 16, 6, 0).getTime();
const at = (...moment: [number, number, number, number, number]) => new Date(...moment).getTime();

describe('explainCodex', () => {
  // The exact messages of Codex 0.166.0.
  it.each<[string, object]>([
    [
      'We’re currently experiencing high demand, which may cause temporary errors.',
      { failure: 'overloaded' },
    ],
    [
      'unexpected status 503 Service Unavailable: fake error, url: http://127.0.0.1:38657/v1/responses',
      { failure: 'overloaded' },
    ],
    ['exceeded retry limit, last status: 429 Too Many Requests', { failure: 'overloaded' }],
    ['Selected model is at capacity. Please try a different model.', { failure: 'overloaded' }],
    [
      'stream disconnected before completion: stream closed before response.completed',
      { failure: 'overloaded' },
    ],
    ['stream disconnected before completion: idle timeout waiting for SSE', { failure: 'overloaded' }],
    ['Connection failed: error sending request', { failure: 'overloaded' }],
    [
      'rate limit exceeded: Rate limit reached for gpt-5.5. Please try again in 11.054s.',
      { failure: 'overloaded', retryAfterMs: 11_054 },
    ],
    ['Quota exceeded. Check your plan and billing details.', { failure: 'usage-limit' }],
    [
      'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at Nov 18th, 2026 11:06 AM.',
      {
        failure: 'usage-limit',
        retryAfterMs: at(2026, 10, 18, 11, 6) - NOW,
      },
    ],
    ["You've hit your usage limit. Try again at 3:45 PM.", { failure: 'usage-limit' }],
    [
      "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
      { failure: 'context-exhausted' },
    ],
    [
      'unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1:39967/v1/responses',
      { failure: 'not-logged-in', message: expect.stringContaining('`codex login`') },
    ],
    ['Missing environment variable: `MODEL_KEY`.', { failure: 'not-logged-in' }],
    [
      'Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.',
      { failure: 'not-logged-in' },
    ],
    [
      'Error: thread/resume: thread/resume failed: no rollout found for thread id 01a1e2f3-db41-7011-b84d-61cbeb257182 (code -32600)',
      { failure: 'session-lost' },
    ],
    ['{"error":{"message":"bad thing","type":"invalid_request_error"}}', { failure: 'crashed' }],
    ['', { failure: 'crashed' }],
  ])('classifies the message: %s', (text, expected) => {
    expect(explainCodex(text, NOW)).toMatchObject(expected);
  });

  it('truncates long messages', () => {
    expect(explainCodex('x'.repeat(1e6), NOW).message.length).toBeLessThanOrEqual(1_000);
  });
});
