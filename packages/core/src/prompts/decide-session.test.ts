import { decideSession, type SessionFacts } from './decide-session.js';

const facts: SessionFacts = {
  mode: 'resume',
  adapter: 'codex',
  stored: { adapter: 'codex', threadId: 't' },
  stateSummary: 'Half done.',
};

describe('decideSession', () => {
  it.each<[string, Partial<SessionFacts>, string | null, string | null]>([
    ['goes on in the stored thread, which knows the summary', {}, 't', null],
    ['starts anew in stateless mode', { mode: 'stateless' }, null, 'Half done.'],
    ["starts anew with another adapter's thread", { adapter: 'claude' }, null, 'Half done.'],
    ['starts anew without a thread', { stored: { adapter: 'codex', threadId: null } }, null, 'Half done.'],
    ['starts anew without a session', { stored: null }, null, 'Half done.'],
    ['tells no empty summary', { stored: null, stateSummary: ' \n' }, null, null],
  ])('%s', (_name, overrides, threadId, summary) => {
    expect(decideSession({ ...facts, ...overrides })).toEqual({ threadId, summary });
  });
});
