import { readFileSync } from 'node:fs';
import { allSections } from '../sections/all-sections.js';
import { toTomlKey } from '../values/to-toml-key.js';
import { renderConfigurationDocs } from './render-configuration-docs.js';

const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');

describe('docs/configuration.md', () => {
  it('matches the schema (to update it, run: node packages/config/dist/write-docs.js)', () => {
    expect(page).toBe(renderConfigurationDocs());
  });

  it.each(allSections.map((section) => [section.title, section] as const))(
    'explains every key of [%s]',
    (title, section) => {
      const chapter = page.split('\n## ').find((part) => part.startsWith(`\`[${title}]\``));
      for (const name of Object.keys(section.shape))
        expect(chapter).toContain(`\n| \`${toTomlKey(name)}\` | `);
    },
  );
});
