import type { StartContext } from '@mergexo/core/turns';
import { REPO } from './scene.js';

/** The context of a turn that starts a bug fix. */
export function aStartContext(overrides: Partial<StartContext> = {}): StartContext {
  return {
    repo: REPO,
    flow: 'bugfix',
    branch: 'agent/bugfix/7-crash',
    designDocPath: null,
    issue: { number: 7, title: 'It crashes', body: '', author: 'ada', labels: [], url: 'u' },
    comments: [],
    linked: [],
    unreadLinks: [],
    consumedUpTo: 0,
    followup: null,
    session: null,
    stateSummary: '',
    design: null,
    ...overrides,
  };
}
