import type { Settings } from '@mergexo/config';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { checkAgents } from '../checks/check-agents.js';
import { checkConfig } from '../checks/check-config.js';
import { checkDashboard } from '../checks/check-dashboard.js';
import { checkDisk } from '../checks/check-disk.js';
import { checkGitHub } from '../checks/check-github.js';
import { checkRedisChoice } from '../checks/check-redis-choice.js';
import { checkState } from '../checks/check-state.js';
import { checkTools } from '../checks/check-tools.js';
import { checkWorkerKey } from '../checks/check-worker-key.js';
import type { Finding } from '../checks/finding.js';
import type { Context } from '../context.js';

const COMMANDS = new RegExp(`\`${MERGEXO_CLI} \\w+`, 'g');
const MARKS = { ok: '✓', warning: '!', failure: '✗' } as const;

/** Checks everything that MergeXO needs to start, without changing anything, and suggests a fix for each problem. */
export async function doctor(context: Context): Promise<boolean> {
  const findings = await runChecks(context);
  const healthy = findings.every(({ status }) => status !== 'failure');
  context.print({ ok: healthy, checks: findings }, () => [
    ...findings.flatMap(renderFinding),
    '',
    healthy ? 'Ready.' : 'Not ready. Fix the checks marked with ✗.',
  ]);
  return healthy;
}

export async function runChecks(context: Context): Promise<Finding[]> {
  return (await runAllChecks(context)).map((finding) => addConfigOption(finding, context.configPath));
}

/** Adds `--config` to the suggested commands, so that the user can copy them unchanged. */
export function addConfigOption(finding: Finding, configPath: string | undefined): Finding {
  if (configPath === undefined || finding.fix === undefined) return finding;
  const path = /^[\w./~-]+$/.test(configPath) ? configPath : JSON.stringify(configPath);
  const fix = finding.fix.replace(COMMANDS, (command) => `${command} --config ${path}`);
  return { ...finding, fix };
}

async function runAllChecks(context: Context): Promise<Finding[]> {
  const tools = await checkTools();
  const { finding, settings } = checkConfig(context);
  if (settings === undefined) return [...tools, finding];
  const parts = await Promise.all([
    checkInstallation(settings),
    checkDashboard(settings, context),
    checkAgents(settings, context),
    checkGitHub(settings, context),
  ]);
  return [...tools, finding, ...parts.flat()];
}

async function checkInstallation(settings: Settings): Promise<Finding[]> {
  return [
    checkDisk(settings),
    ...checkState(settings),
    checkWorkerKey(settings),
    await checkRedisChoice(settings),
  ];
}

export function renderFinding({ name, status, detail, fix }: Finding): string[] {
  return [
    `${MARKS[status]} ${name.padEnd(10)} ${detail}`,
    ...(fix === undefined ? [] : [`  ${' '.repeat(10)} → ${fix}`]),
  ];
}
