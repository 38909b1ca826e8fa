import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Cli } from '../cli/cli.js';

const accountOf = (login: unknown): unknown => Object(Object(login)['tokens'])['account_id'];
const refreshedAt = (login: unknown): number => Date.parse(String(Object(login)['last_refresh']));

export const CODEX: Cli = {
  name: 'codex',
  npmPackage: '@openai/codex',
  layout: {
    packages: (target) => [`@openai/codex-${target}`],
    programs: (packageDir) => {
      const vendor = join(packageDir, 'vendor');
      return readdirSync(vendor).map((triple) => join(vendor, triple, 'bin', 'codex'));
    },
    // Codex's own bubblewrap and ripgrep, and other files of the program.
    companions: (program) => {
      const root = dirname(dirname(program));
      return existsSync(join(root, 'codex-resources'))
        ? ['bin', 'codex-path', 'codex-resources', 'codex-package.json'].map((name) => join(root, name))
        : [];
    },
  },
  keys: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  home: { variable: 'CODEX_HOME', folder: '.codex' },
  loginFile: 'auth.json',
  loginAdvice:
    'Run `codex login` as the user of the worker, or name the variable with the key (OPENAI_API_KEY) in `agent.pass_env`.',
  isRenewed: (lent, returned) =>
    typeof accountOf(lent) === 'string' &&
    accountOf(lent) === accountOf(returned) &&
    Object(lent)['OPENAI_API_KEY'] === Object(returned)['OPENAI_API_KEY'] &&
    refreshedAt(returned) > refreshedAt(lent),
  model: {
    hosts: ['api.openai.com'],
    loginHosts: ['chatgpt.com', 'auth.openai.com'],
    urlVariables: ['OPENAI_BASE_URL'],
    otherProvider: /^--oss$|^--local-provider|amazon-bedrock/,
  },
};
