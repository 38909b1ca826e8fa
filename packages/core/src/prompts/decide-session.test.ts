import { decideSession, type SessionFacts } from './decide-session.js';

const facts: SessionFacts = {
  mode: 'resume',
  adapter: 'codex',
  stored: { adapter: 'codex', threadId: 't' },
  stateSummary: 'Half done.',
};

describe('decideSession', () => {
  it.each<[string, Partial<SessionFacts>, string | null, string | null]>([
    ['continues the stored thread, which knows the summary', {}, 't', null],
    ['starts a new thread in stateless mode', { mode: 'stateless' }, null, 'Half done.'],
    [
      'starts a new thread if the stored one belongs to another adapter',
      { adapter: 'claude' },
      null,
      'Half done.',
    ],
    [
      'starts a new thread if none is stored',
      { stored: { adapter: 'codex', threadId: null } },
      null,
      'Half done.',
    ],
    ['starts a new thread if no session is stored', { stored: null }, null, 'Half done.'],
    ['omits an empty summary', { stored: null, stateSummary: ' \n' }, null, null],
  ])('%s', (_name, overrides, threadId, summary) => {
    expect(decideSession({ ...facts, ...overrides })).toEqual({ threadId, summary });
  });
});
