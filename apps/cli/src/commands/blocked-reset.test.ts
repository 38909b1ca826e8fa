import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecretFile } from '@mergexo/config';
import { openState, type State } from '@mergexo/state';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../context.js';
import { resetBlocked } from './blocked-reset.js';

const RETRY_IN_MS = 600_000;

describe('resetBlocked with --all', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let output: string;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    output = '';
    const { path } = directory;
    writeFileSync(
      join(path, 'mergexo.toml'),
      `[runtime]\nbase_dir = ${JSON.stringify(path)}\n[repo.demo]\nowner = "ada"\nname = "engine"\n`,
    );
    createSecretFile(join(path, 'secret'));
    edit((state) => {
      state.saveRepository({ id: 1, owner: 'ada', name: 'engine', defaultBranch: 'main' });
      const run = addRun(state, 41);
      state.saveRun({ ...run, status: 'blocked', blockedKind: 'turn_failed', error: 'three crashes' }, 1_000);
      addWaitingRetry(state, 42);
      addRun(state, 43);
    });
  });
  afterEach(() => directory.remove());

  function edit<T>(work: (state: State) => T): T {
    const state = openState(join(directory.path, 'state.db'));
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
  const reset = (options: { yes?: boolean; dryRun?: boolean }, confirm?: (text: string) => boolean) =>
    resetBlocked(
      createContext({
        config: join(directory.path, 'mergexo.toml'),
        env: process.env,
        homeDir: directory.path,
        write: (text) => {
          output += text;
        },
        ...(confirm && { confirm: async (text) => confirm(text) }),
      }),
      { all: true, ...options },
    );

  it('resumes blocked work and starts waiting retries', async () => {
    await reset({ dryRun: true });
    expect(output).toContain('ada/engine#42 would resume. It waited for a retry: the agent ended with 1');
    expect(notBeforeOf('t42')).not.toBeNull();
    output = '';
    await reset({ yes: true });
    expect(output).toContain('ada/engine#41 resumes. It was blocked: three crashes');
    expect(output).toContain('ada/engine#42 resumes. It waited for a retry: the agent ended with 1');
    expect(output).not.toContain('#43');
    expect([statusOf(41), notBeforeOf('t42')]).toEqual(['ready', null]);
    output = '';
    await reset({ yes: true });
    expect(output).toBe('Nothing is blocked, and no retry waits.\n');
  });

  it('resumes the rest when a retry starts by itself while the operator confirms', async () => {
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
    expect(questions).toEqual(['Resume ada/engine#41, ada/engine#42?']);
    expect(output).toContain('ada/engine#41 resumes');
    expect(output).not.toMatch(/#4[24]/);
    expect(statusOf(41)).toBe('ready');
    expect(notBeforeOf('t44')).not.toBeNull();
  });
});
