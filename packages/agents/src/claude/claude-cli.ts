import { join } from 'node:path';
import type { Cli } from '../cli/cli.js';

const loginOf = (file: unknown): Record<string, unknown> => Object(Object(file)['claudeAiOauth']);

export const CLAUDE: Cli = {
  name: 'claude',
  npmPackage: '@anthropic-ai/claude-code',
  layout: {
    packages: (target) => [`@anthropic-ai/claude-code-${target}`, `@anthropic-ai/claude-code-${target}-musl`],
    programs: (packageDir) => [join(packageDir, 'claude')],
    bundledFiles: () => [],
  },
  keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  home: { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude' },
  loginFile: '.credentials.json',
  loginAdvice:
    'Run `claude auth login` as the user that runs the worker, or add CLAUDE_CODE_OAUTH_TOKEN (from `claude setup-token`) or ANTHROPIC_API_KEY to `agent.pass_env`.',
  isRefreshed: (original, updated) =>
    typeof loginOf(updated)['accessToken'] === 'string' &&
    typeof loginOf(updated)['refreshToken'] === 'string' &&
    loginOf(original)['subscriptionType'] === loginOf(updated)['subscriptionType'] &&
    Number(loginOf(updated)['expiresAt']) > Number(loginOf(original)['expiresAt']),
  model: {
    hosts: ['api.anthropic.com'],
    loginHosts: ['platform.claude.com'],
    urlVariables: ['ANTHROPIC_BASE_URL'],
    otherProvider: /^CLAUDE_CODE_USE_(?:ANTHROPIC_AWS|BEDROCK|FOUNDRY|MANTLE|VERTEX)$/,
  },
};
