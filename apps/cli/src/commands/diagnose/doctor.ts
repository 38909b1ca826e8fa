import type { Settings } from '@mergexo/config';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { checkAgents } from '../../checks/check-agents.js';
import { checkCertificates } from '../../checks/check-certificates.js';
import { checkConfig } from '../../checks/check-config.js';
import { checkDashboard } from '../../checks/check-dashboard.js';
import { checkDisk } from '../../checks/check-disk.js';
import { checkGitHub } from '../../checks/check-github.js';
import { checkRedisChoice } from '../../checks/check-redis-choice.js';
import { checkState } from '../../checks/check-state.js';
import { checkTools } from '../../checks/check-tools.js';
import { checkWorkerKey } from '../../checks/check-worker-key.js';
import type { Finding } from '../../checks/finding.js';
import type { Context } from '../../context.js';
import { type Role, readRole } from '../../role.js';

export type DoctorOptions = { role?: string };

const COMMANDS = new RegExp(`\`${MERGEXO_CLI} \\w+`, 'g');
const MARKS = { ok: '✓', warning: '!', failure: '✗' } as const;

type Check = (settings: Settings, context: Context) => Finding | Finding[] | Promise<Finding | Finding[]>;

/** The checks that need the config, in the order of the report. */
const CHECKS = {
  disk: checkDisk,
  certs: (settings, context) => checkCertificates(settings, context),
  state: checkState,
  'worker key': checkWorkerKey,
  redis: checkRedisChoice,
  dashboard: checkDashboard,
  agents: checkAgents,
  github: checkGitHub,
} satisfies Record<string, Check>;
type CheckName = keyof typeof CHECKS;

/** What each program needs. In a container, the other programs' parts are missing on purpose. */
const NEEDED: Readonly<Record<Role, readonly (CheckName | 'git')[]>> = {
  poller: ['disk', 'certs', 'state', 'redis', 'github'],
  worker: ['git', 'disk', 'certs', 'worker key', 'redis', 'agents'],
  dashboard: ['disk', 'state', 'redis', 'dashboard'],
};

/** Checks everything that MergeXO needs to start, without changing anything, and suggests a fix for each problem. */
export async function doctor(context: Context, options: DoctorOptions): Promise<boolean> {
  const findings = await runChecks(context, readRole(options.role, context.env));
  const healthy = findings.every(({ status }) => status !== 'failure');
  context.print({ ok: healthy, checks: findings }, () => [
    ...findings.flatMap(renderFinding),
    '',
    healthy ? 'Ready.' : 'Not ready. Fix the checks marked with ✗.',
  ]);
  return healthy;
}

/** Runs the checks of one program, or all checks. */
export async function runChecks(context: Context, role?: Role): Promise<Finding[]> {
  return (await runAllChecks(context, role)).map((finding) => addConfigOption(finding, context.configPath));
}

/** Adds `--config` to the suggested commands, so that the user can copy them unchanged. */
export function addConfigOption(finding: Finding, configPath: string | undefined): Finding {
  if (configPath === undefined || finding.fix === undefined) return finding;
  const path = /^[\w./~-]+$/.test(configPath) ? configPath : JSON.stringify(configPath);
  const fix = finding.fix.replace(COMMANDS, (command) => `${command} --config ${path}`);
  return { ...finding, fix };
}

async function runAllChecks(context: Context, role: Role | undefined): Promise<Finding[]> {
  const isNeeded = (name: string): boolean => role === undefined || NEEDED[role].some((one) => one === name);
  const tools = (await checkTools()).filter(({ name }) => name === 'node' || isNeeded(name));
  const { finding, settings } = checkConfig(context);
  if (settings === undefined) return [...tools, finding];
  const checks = Object.entries(CHECKS).filter(([name]) => isNeeded(name));
  const parts = await Promise.all(checks.map(([, check]) => check(settings, context)));
  return [...tools, finding, ...parts.flat()];
}

export function renderFinding({ name, status, detail, fix }: Finding): string[] {
  return [
    `${MARKS[status]} ${name.padEnd(10)} ${detail}`,
    ...(fix === undefined ? [] : [`  ${' '.repeat(10)} → ${fix}`]),
  ];
}
