import { writeFileSync } from 'node:fs';
import { createSecretFile } from '@mergexo/config';
import { openState, type State } from '@mergexo/state';
import { aTurn, useTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../context.js';
import { resetBlocked } from './blocked-reset.js';

const RETRY_IN_MS = 600_000;

describe('resetBlocked with --all', () => {
  const pathTo = useTemporaryDirectory();
  let output = '';
  beforeEach(() => {
    output = '';
    writeFileSync(
      pathTo('mergexo.toml'),
      `[runtime]\nbase_dir = ${JSON.stringify(pathTo())}\n[repo.demo]\nowner = "ada"\nname = "engine"\n`,
    );
    createSecretFile(pathTo('secret'));
    edit((state) => {
      state.saveRepository({ id: 1, owner: 'ada', name: 'engine', defaultBranch: 'main' });
      const run = addRun(state, 41);
      state.saveRun({ ...run, status: 'blocked', blockedKind: 'turn_failed', error: 'three crashes' }, 1_000);
      addWaitingRetry(state, 42);
      addRun(state, 43);
    });
  });

  function edit<T>(work: (state: State) => T): T {
    const state = openState(pathTo('state.db'));
    try {
      return work(state);
    } finally {
      state.close();
    }
  }
  function addRun(state: State, issueNumber: number) {
    const name = { repoId: 1, issueNumber, flow: 'bugfix' as const, issueTitle: 'Login broken' };
    const branch = `b${issueNumber}`;
    const run = state.recordRun({ ...name, branch, designDocPath: null, ordinal: 1 }, Date.now());
    if (run === undefined) throw new Error('the run is there already');
    return run;
  }
  function addWaitingRetry(state: State, issueNumber: number): void {
    const { id: runId } = addRun(state, issueNumber);
    const heartbeatAt = Date.now();
    const waiting = { state: 'queued', heartbeatAt, notBefore: heartbeatAt + RETRY_IN_MS } as const;
    const reason = 'the agent ended with 1';
    state.recordTurn(
      aTurn({ ...waiting, turnKey: `t${issueNumber}`, runId, issueNumber, prNumber: null, reason }),
      null,
    );
  }
  const notBeforeOf = (turnKey: string) => edit((state) => state.readTurn(turnKey)?.notBefore);
  const statusOf = (issueNumber: number) => edit((state) => state.listRunsOfIssue(1, issueNumber)[0]?.status);
  const reset = (
    options: { yes?: boolean; dryRun?: boolean; reason?: string },
    confirm?: (text: string) => boolean,
  ) =>
    resetBlocked(
      createContext({
        config: pathTo('mergexo.toml'),
        env: process.env,
        homeDir: pathTo(),
        write: (text) => {
          output += text;
        },
        ...(confirm && { confirm: async (text) => confirm(text) }),
      }),
      { all: true, ...options },
    );

  it('unblocks pull requests and issues, and starts scheduled retries immediately', async () => {
    await reset({ dryRun: true });
    expect(output).toContain(
      'Would start the scheduled retry of ada/engine#42\n  reason for the retry: the agent ended with 1',
    );
    expect(notBeforeOf('t42')).not.toBeNull();
    output = '';
    await reset({ yes: true, reason: 'the model is back' });
    const told = edit((state) => state.listEventsOfIssue(1, 41).map(({ payload }) => payload));
    expect(told).toMatchObject([{ by: expect.stringMatching(/^cli/), reason: 'the model is back' }]);
    expect(output).toContain('Unblocked ada/engine#41\n  reason for the block: three crashes');
    expect(output).toContain(
      'Started the scheduled retry of ada/engine#42\n  reason for the retry: the agent ended with 1',
    );
    expect(output).not.toContain('#43');
    expect([statusOf(41), notBeforeOf('t42')]).toEqual(['ready', null]);
    output = '';
    await reset({ yes: true });
    expect(output).toBe('Nothing is blocked, and no retry is scheduled.\n');
  });

  it('rejects a reason that is too long, before it changes anything', async () => {
    await expect(reset({ yes: true, reason: 'x'.repeat(301) })).rejects.toThrow('at most 300 characters');
    expect(statusOf(41)).toBe('blocked');
  });

  it('unblocks the other work if a scheduled retry starts during the confirmation', async () => {
    const questions: string[] = [];
    await reset({}, (question) => {
      questions.push(question);
      edit((state) => {
        const turn = state.readTurn('t42');
        if (turn !== undefined) state.saveTurn({ ...turn, notBefore: null, epoch: turn.epoch + 1 });
        addWaitingRetry(state, 44);
      });
      return true;
    });
    expect(questions).toEqual(['Unblock or retry ada/engine#41, ada/engine#42?']);
    expect(output).toContain('Unblocked ada/engine#41');
    expect(output).not.toMatch(/#4[24]/);
    expect(statusOf(41)).toBe('ready');
    expect(notBeforeOf('t44')).not.toBeNull();
  });
});
