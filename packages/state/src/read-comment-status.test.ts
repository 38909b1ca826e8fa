import { join } from 'node:path';
import { planNotice } from '@mergexo/core/actions';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { openState, type State } from './create-state.js';
import { readCommentStatus } from './read-comment-status.js';

const REMARK = {
  kind: 'issue' as const,
  commentId: 9,
  thread: 4,
  body: 'Hm.',
  author: { id: 7, login: 'ada', type: 'User' as const },
  url: '',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  path: null,
  line: null,
  side: null,
  inReplyToId: null,
  reviewId: null,
  reviewState: null,
};

describe('the status of a comment', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
    state.recordFeedbackEvent({ repoId: 1, issueNumber: 4, remark: REMARK, skipReason: null }, 1);
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const read = () => {
    const [event] = state.listEventsOfThread(1, 4);
    if (event === undefined) throw new Error('no comment');
    return event;
  };
  const redirect = (commentId: number) =>
    state.recordActions(
      [
        planNotice({
          kind: 'redirect',
          repoId: 1,
          runId: 3,
          thread: 4,
          cause: [commentId],
          commentId,
          payload: { text: '' },
        }),
      ],
      1,
    );

  it('is pending until a turn claims the comment', () => {
    expect(readCommentStatus(state, read())).toEqual({ kind: 'pending' });
    const turn = aTurn({ state: 'running' });
    state.recordTurn(turn, {});
    state.claimEvents(1, [read().eventKey], turn.turnKey);
    expect(readCommentStatus(state, read())).toEqual({ kind: 'in_progress', turnState: 'running' });
  });

  it('is answered once its turn is done, even if a redirect was planned too', () => {
    redirect(9);
    state.claimEvents(1, [read().eventKey], 't');
    state.markEventProcessed(read(), 2);
    expect(readCommentStatus(state, read())).toEqual({ kind: 'answered' });
  });

  it('is redirected only if a redirect was planned for this comment', () => {
    redirect(8);
    state.markEventProcessed(read(), 2);
    expect(readCommentStatus(state, read())).toEqual({ kind: 'answered' });
    redirect(9);
    expect(readCommentStatus(state, read())).toEqual({ kind: 'redirected' });
  });

  it('is skipped with the recorded reason', () => {
    redirect(9);
    state.markEventProcessed(read(), 2, { code: 'deleted' });
    expect(readCommentStatus(state, read())).toEqual({ kind: 'skipped', reason: { code: 'deleted' } });
  });
});
