/** Fails if the built site has a broken link, image or anchor. Run by `npm run docs:check`. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findBrokenLinks } from './find-broken-links.js';

const built = fileURLToPath(new URL('../.vitepress/dist', import.meta.url));
if (!existsSync(`${built}/index.html`)) throw new Error(`${built} has no site: run npm run docs:build`);
const broken = findBrokenLinks(built, process.env['DOCS_BASE'] ?? '/');
for (const line of broken) process.stderr.write(`broken link: ${line}\n`);
process.stdout.write(`${broken.length} broken links\n`);
process.exitCode = broken.length === 0 ? 0 : 1;
