const UNRELEASED = '## Unreleased\n';

/** Turns the section "Unreleased" into the section of a version, and begins a new one. */
export function releaseChangelog(text: string, version: string, date: string): string {
  if (text.includes(`\n## ${version}`)) throw new Error(`CHANGELOG.md already has a section ${version}.`);
  if (readNotes(text, 'Unreleased') === '')
    throw new Error('The section "Unreleased" of CHANGELOG.md is empty. Describe what changed first.');
  return text.replace(UNRELEASED, `${UNRELEASED}\n## ${version} - ${date}\n`);
}

/** Returns the text below the heading of a version; empty if there is none. */
export function readNotes(text: string, version: string): string {
  const sections = `\n${text}`.split('\n## ').slice(1);
  const section = sections.find((one) => one.split(/[\s\n]/, 1)[0] === version);
  return section === undefined ? '' : section.slice(section.indexOf('\n') + 1).trim();
}
