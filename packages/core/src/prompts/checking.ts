import type { QuestionKind } from '../turns/turn-kind.js';
import { list, oneLine } from './fence.js';

/** How the agent can check its work before it answers. */
export type Checking = {
  /** The repository's own programs that MergeXO runs; null if not configured. */
  setup: string | null;
  requiredTests: string | null;
  testFileRegex: string | null;
  /** Whether the agent can run commands, and the hosts that those commands can reach. */
  commands: { run: 'yes' | 'no' | 'unknown'; hosts: 'all' | readonly string[] };
  /** The time limits of one answer: in total, and without output. */
  wallMs: number;
  silenceMs: number;
};

/** False for turns whose edits in the working directory MergeXO discards. */
export function editsFiles(kind: QuestionKind): boolean {
  return kind !== 'design_start' && kind !== 'review' && kind !== 'review_verify';
}

/** Describes the required tests, and the commands, hosts and time that the agent can use. */
export function renderChecking(checking: Checking): string {
  const { setup, commands } = checking;
  const facts = [
    ...renderTests(checking),
    ...(setup === null
      ? []
      : [
          `MergeXO ran ${oneLine(setup)} in the working directory before you started. Files and folders that it created are not part of your change.`,
        ]),
    commands.run === 'no' ? NO_COMMANDS : `${COMMANDS[commands.run]} ${renderHosts(commands.hosts)}`.trim(),
    renderLimits(checking),
  ];
  return `Check your work before you answer:\n${list(facts)}`;
}

function renderLimits({ wallMs, silenceMs }: Checking): string {
  const limit = `MergeXO ends this session after ${renderTime(wallMs)}`;
  if (silenceMs >= wallMs) return `${limit}.`;
  return `${limit}, or after ${renderTime(silenceMs)} without output, for example during a long command.`;
}

function renderTests({ requiredTests, commands }: Checking): string[] {
  if (requiredTests === null) return [];
  const path = oneLine(requiredTests);
  return commands.run === 'no'
    ? [`MergeXO runs ${path} on your commit, and pushes nothing if it fails.`]
    : [
        `Run ./${path} until it passes. If it cannot run here, answer anyway. MergeXO runs it on your commit, and pushes nothing if it fails.`,
      ];
}

const NO_COMMANDS =
  'You cannot run commands. Check your work by reading, and do not claim that you ran anything.';
const COMMANDS = { yes: 'You can run commands.', unknown: '' } as const;

function renderHosts(hosts: Checking['commands']['hosts']): string {
  if (hosts === 'all') return 'Commands can use the network.';
  if (hosts.length === 0) return 'Commands have no network access.';
  return `Commands reach only these hosts: ${hosts.map(oneLine).join(', ')}.`;
}

/** Tells the author of a bug fix how to find the cause, and how MergeXO checks the test. */
export function renderRegression(checking: Checking | null | undefined): string[] {
  const { commands, requiredTests = null, testFileRegex = null } = checking ?? {};
  return [
    commands?.run === 'no' ? 'Find the cause in the code first.' : 'Reproduce the bug first.',
    'Add a test that fails without your fix and passes with it.',
    ...(testFileRegex === null ? [] : [`The path of the test must match ${oneLine(testFileRegex)}.`]),
    ...(testFileRegex === null || requiredTests === null
      ? []
      : [
          `MergeXO also runs ${oneLine(requiredTests)} with your test but without your fix. That run must fail.`,
        ]),
  ];
}

const renderTime = (ms: number): string =>
  ms >= 120_000 ? `${Math.floor(ms / 60_000)} minutes` : `${Math.floor(ms / 1_000)} seconds`;
