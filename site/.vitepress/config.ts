import { defineConfig } from 'vitepress';
import { githubSlug } from '../dist/github-slug.js';

const page = (text: string, link: string) => ({ text, link });

export default defineConfig({
  title: 'MergeXO',
  description: 'Turns GitHub issues into reviewed pull requests with coding agents.',
  lang: 'en-US',
  // GitHub Pages serves a project site under the repository's name.
  base: process.env['DOCS_BASE'] ?? '/',
  srcDir: 'pages',
  cleanUrls: false,
  lastUpdated: false,
  markdown: { anchor: { slugify: githubSlug } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [page('Usage', '/usage'), page('Configuration', '/configuration'), page('FAQ', '/faq')],
    sidebar: [
      {
        text: 'Start',
        items: [
          page('MergeXO', '/'),
          page('Usage', '/usage'),
          page('Concepts', '/concepts'),
          page('Guarantees', '/guarantees'),
          page('FAQ', '/faq'),
          page('Comparison', '/comparison'),
          page('Glossary', '/glossary'),
        ],
      },
      {
        text: 'Run',
        items: [
          page('Configuration', '/configuration'),
          page('Examples', '/examples'),
          page('Agents', '/agents'),
          page('Operations', '/operations'),
          page('Security', '/security'),
          page('Scaling', '/scaling'),
          page('Changelog', '/changelog'),
        ],
      },
      {
        text: 'Change',
        items: [
          page('Contributing', '/contributing'),
          page('Architecture', '/architecture'),
          page('Scheduling', '/scheduling'),
          page('Decisions', '/decisions/'),
          page('Code of conduct', '/code-of-conduct'),
          page('Security policy', '/security-policy'),
        ],
      },
    ],
  },
});
