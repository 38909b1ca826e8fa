import { MERGEXO_CLI } from '@mergexo/core/basics';
import { allowedBy } from '../kinds/kind.js';
import { allSections } from '../sections/all-sections.js';
import { defaultOf, isRequired, notesOf, type Section } from '../sections/section.js';
import { toTomlKey } from '../values/to-toml-key.js';
import { toTomlValue } from '../values/to-toml-value.js';

const WIDTH = 110;
const HEADER = `# MergeXO configuration. Copy it to mergexo.toml, or let \`${MERGEXO_CLI} init\` write it.
# A commented key shows its default, or an example if it has none. Secrets do not belong in this file.
`;

type Settings = {
  /** Id of the single repository table. */
  repoId?: string;
  /**
   * Values to set, by table and key, such as `agent.adapter` or `repo.owner`. Other optional keys stay commented out.
   */
  values?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
};

/** Renders a config that documents every key. Only required keys and the keys in `values` are set. */
export function renderConfigExample({ repoId = 'main', values = {} }: Settings = {}): string {
  const knownKeys = allSections.flatMap((section) =>
    Object.keys(section.shape).map((name) => fullKeyOf(section, name)),
  );
  const unknown = Object.keys(values).find((key) => !knownKeys.includes(key));
  if (unknown !== undefined) throw new Error(`the config has no key ${unknown}`);

  const blocks = allSections.map((section) => {
    const isSet = Object.keys(values).some((key) => key.startsWith(`${section.title}.`));
    const keys = Object.entries(section.shape).map(([name, schema]) =>
      renderKey(toTomlKey(name), schema, {
        given: values[fullKeyOf(section, name)],
        isOptional: isExample(section),
      }),
    );
    return [
      ...comment(section.about),
      `${isExample(section) && !isSet ? '# ' : ''}[${section.title.replace('<id>', repoId).replace('<model>', 'gpt-5')}]`,
      '',
      keys.join('\n\n'),
      '',
    ].join('\n');
  });
  return [HEADER, ...blocks].join('\n');
}

function fullKeyOf(section: Section, name: string): string {
  return `${section.title.replace('.<id>', '')}.${toTomlKey(name)}`;
}

/** True for a table that the file need not contain, although some of its keys are required. */
const isExample = ({ isOptional = false }: Section): boolean => isOptional;

function renderKey(
  key: string,
  schema: Section['shape'][string],
  { given, isOptional }: { given: unknown; isOptional: boolean },
): string {
  const { about, absent, example } = notesOf(schema);
  const byDefault = defaultOf(schema);
  const fallback = byDefault === undefined ? (absent ?? 'none') : toTomlValue(byDefault);
  const extent = isRequired(schema) ? 'Required.' : `Default: ${fallback}.`;
  const line = `${key} = ${toTomlValue(given ?? byDefault ?? example)}`;
  const isSet = given !== undefined || (isRequired(schema) && !isOptional);
  return [
    ...comment(about),
    ...comment(`${extent} Allowed: ${allowedBy(schema)}.`),
    isSet ? line : `# ${line}`,
  ].join('\n');
}

/** Removes the Markdown backticks, because TOML comments are plain text. */
function comment(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.replaceAll('`', '').split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= WIDTH) lines.push(`# ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
