import { MERGEXO_CLI } from '@mergexo/core/basics';
import { allowedBy } from '../kinds/kind.js';
import { RELOADABLE_REPO_KEYS, RELOADABLE_SECTIONS } from '../reload/reloadable-keys.js';
import { allSections } from '../sections/all-sections.js';
import { defaultOf, isRequired, notesOf, type Section } from '../sections/section.js';
import { toTomlKey } from '../values/to-toml-key.js';
import { toTomlValue } from '../values/to-toml-value.js';

const RELOADED = [
  ...RELOADABLE_SECTIONS.map((section) => `all of \`[${section}]\``),
  'all of `[prices]`',
  `in \`[repo.<id>]\`: ${RELOADABLE_REPO_KEYS.map((name) => `\`${toTomlKey(name)}\``).join(', ')}`,
].join('; ');

const INTRODUCTION = `# Configuration

This page is for operators who write \`mergexo.toml\`.

MergeXO reads one file: the one in \`--config\`, else in \`MERGEXO_CONFIG\`, else \`./mergexo.toml\` if it exists, else
\`mergexo.toml\` in your config directory. That directory is \`~/.config/mergexo\` (\`$XDG_CONFIG_HOME/mergexo\`) on Linux and
\`~/Library/Application Support/mergexo\` on macOS. If neither \`--config\` nor \`MERGEXO_CONFIG\` names the file, each command says
on standard error which one it reads. With \`--json\`, \`${MERGEXO_CLI} status\` has the path in \`config\`.

\`${MERGEXO_CLI} init\` writes the file, \`mergexo.toml.example\` shows every key with a comment, and
[examples](../examples/README.md) has three complete files. Only \`owner\` and \`name\` of one repository are required. If the
file has problems, MergeXO lists all unknown keys, wrong values and contradictions together, each with its key, its value and the
allowed values.

The poller, the workers and the dashboard read the file again within a few seconds after a change, or at once after SIGHUP. These
keys then take effect without a restart: ${RELOADED}. A running turn keeps the values with which it began. For all other keys, restart MergeXO;
\`${MERGEXO_CLI} status\` and the dashboard list the changed keys. If the new file has problems, MergeXO keeps the last valid
config, and reports the problems in the log, in \`${MERGEXO_CLI} status\` and on the dashboard.

Durations are in seconds. In code, the keys have the same names in camelCase (\`worker_count\` is
\`config.runtime.workerCount\`), and every default is filled in.

Secrets do not belong in the file. MergeXO rejects a value that looks like one and does not print it:

| Secret | Where it comes from |
|---|---|
| GitHub token | environment (\`GITHUB_TOKEN\`; for an Enterprise Server also \`GITHUB_ENTERPRISE_TOKEN\`), or \`gh auth token\` |
| private keys of GitHub Apps | the files that \`private_key_path\` names, which only their owner can read |
| token of a second GitHub account for reviews | \`MERGEXO_REVIEWER_TOKEN\` (optional; see [security](security.md#tokens)) |
| the agent's login | the agent's own file, or an environment variable named in \`agent.pass_env\` |
| Redis password | \`MERGEXO_REDIS_PASSWORD\`, or inside \`MERGEXO_REDIS_URL\` |
| address of the webhook for notifications | an environment variable named in \`notify.webhook_env\` |
| worker key | \`MERGEXO_WORKER_KEY\`, for workers on hosts other than the poller's ([scaling](scaling.md#several-hosts)) |
| signing secret of MergeXO's posts | \`MERGEXO_SECRET\`, or the file \`secret\` that \`init\` creates in \`base_dir\` |

\`node packages/config/dist/write-docs.js\` generates this page and \`mergexo.toml.example\` from the schema.
`;

/** Renders the whole page `docs/configuration.md`. */
export function renderConfigurationDocs(): string {
  return [INTRODUCTION, ...allSections.map(renderSection)].join('\n');
}

function renderSection({ title, about, shape }: Section): string {
  const rows = Object.entries(shape).map(([name, schema]) => {
    const cells = [`\`${toTomlKey(name)}\``, renderDefault(schema), allowedBy(schema), notesOf(schema).about];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return [
    `## \`[${title}]\``,
    '',
    about,
    '',
    '| key | default | allowed | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function renderDefault(schema: Section['shape'][string]): string {
  if (isRequired(schema)) return '**required**';
  const value = defaultOf(schema);
  return value === undefined ? (notesOf(schema).absent ?? 'none') : `\`${toTomlValue(value)}\``;
}
