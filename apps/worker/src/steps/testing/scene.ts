import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TurnKind } from '@mergexo/core/turns';
import type { MakePlan, Planned, Report } from '../make-plan.js';
import { aBegunTurn, createStage, type Script } from './stage.js';

export const REPO = 'acme/app';

const FILES = { 'README.md': '# app\n', 'src/a.txt': 'one\n' };

/** The seed of a twin with one repository that `ada` and `robot` can push to. */
export const aRemote = (files: Record<string, string> = FILES) => ({
  users: [{ login: 'acme' }, { login: 'ada' }, { login: 'robot' }],
  repos: [{ name: REPO, permissions: { robot: 'write' as const, ada: 'write' as const }, files }],
});

/** The functions of a twin that the suites use. */
type Remote<Ada> = {
  as(login: 'ada'): Ada;
  gitUrl(owner: string, name: string): string;
  repoDir(name: string): string;
  tokens: Readonly<Record<string, string | undefined>>;
  stop(): Promise<void>;
};

type Pusher = { pushFiles(repo: string, branch: string, files: Record<string, string>): Promise<string> };
type BranchScript = Script & {
  files?: Record<string, string>;
  /** Creates the branch in place of the default setup, and returns the branch's head. */
  prepare?: ((branch: string) => Promise<string>) | undefined;
};

/** One remote for all tests of a suite. Each turn gets its own branch and stage. */
export function createScene<Ada extends Pusher>(
  directory: { path: string; remove(): void },
  startRemote: () => Promise<Remote<Ada>>,
) {
  let remote: Remote<Ada>;
  let turns = 0;
  beforeAll(async () => {
    remote = await startRemote();
  });
  afterAll(async () => {
    await remote.stop();
    directory.remove();
  });
  const readHead = (branch: string): string => {
    const args = ['-C', remote.repoDir(REPO), 'rev-parse', '--verify', `refs/heads/${branch}`];
    return execFileSync('git', args, { encoding: 'utf8' }).trim();
  };
  const openStage = (name: string, script: Script) => {
    const { gitUrl, tokens } = remote;
    const dir = join(directory.path, name);
    return createStage({ dir, remoteUrl: gitUrl('acme', 'app'), token: tokens['robot'] }, script);
  };
  return {
    get ada() {
      return remote.as('ada');
    },
    get turns() {
      return turns;
    },
    readHead,
    openStage,
    async openBranch({ files = { 'src/b.txt': 'first\n' }, prepare, ...script }: BranchScript) {
      turns += 1;
      const branch = `agent/bugfix/${turns}-crash`;
      const headSha = prepare ? await prepare(branch) : await remote.as('ada').pushFiles(REPO, branch, files);
      const stage = openStage(String(turns), script);
      return { ...stage, branch, headSha, remoteHead: () => readHead(branch) };
    },
  };
}

export function plan(makePlan: MakePlan, kind: TurnKind, context: object): Promise<Planned> {
  return makePlan(aBegunTurn(kind, context), new AbortController().signal, aReport());
}

/** A report for tests, in which every upload is missing. */
export function aReport(): Report {
  return {
    step: () => {},
    show: () => {},
    refusedHost: () => {},
    fetchUpload: async () => ({ kind: 'missing', problem: 'unavailable' }),
  };
}
