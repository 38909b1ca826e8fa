import { MERGEXO_CLI } from '@mergexo/core/basics';
import { allowedBy } from '../kinds/kind.js';
import { allSections } from '../sections/all-sections.js';
import { defaultOf, isRequired, notesOf, type Section } from '../sections/section.js';
import { toTomlKey } from '../values/to-toml-key.js';
import { toTomlValue } from '../values/to-toml-value.js';

const INTRODUCTION = `# Configuration

MergeXO reads one file, \`mergexo.toml\`; \`${MERGEXO_CLI} init\` writes it, and \`mergexo.toml.example\` shows every key with a
comment. The whole file is checked at once: unknown keys, wrong values and contradictions are listed together, each
with its key, the value seen and what is allowed. Only \`owner\` and \`name\` of one repository are required.

Secrets do not belong in the file, and a value that looks like one is refused without being printed:

| secret | where it comes from |
|---|---|
| GitHub token | environment (\`GITHUB_TOKEN\`), or \`gh auth token\` |
| token of a second login that reviews | \`MERGEXO_REVIEWER_TOKEN\` (optional; docs/security.md) |
| login of the agent | the agent's own login, or a variable named in \`agent.pass_env\` |
| Redis password | \`MERGEXO_REDIS_PASSWORD\`, or inside \`MERGEXO_REDIS_URL\` |
| secret that signs our comments | \`MERGEXO_SECRET\`, or a file beside the database that \`init\` makes |

Durations are numbers of seconds. In code the keys have the same names in camelCase (\`worker_count\` is
\`config.runtime.workerCount\`), with every default filled in.

This page and \`mergexo.toml.example\` are written from the schema by \`node packages/config/dist/write-docs.js\`.
`;

/** The page `docs/configuration.md`, whole. */
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
