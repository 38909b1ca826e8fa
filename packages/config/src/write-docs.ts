import { writeFileSync } from 'node:fs';
import { renderConfigExample } from './render/render-config-example.js';
import { renderConfigurationDocs } from './render/render-configuration-docs.js';

// Run after a schema change: node packages/config/dist/write-docs.js
const root = new URL('../../../', import.meta.url);
writeFileSync(new URL('docs/configuration.md', root), renderConfigurationDocs());
writeFileSync(new URL('mergexo.toml.example', root), renderConfigExample());
