export { locateFrontmatter } from './locate-frontmatter.js';
export { markImplemented } from './mark-implemented.js';
export { parseFrontmatter } from './parse-frontmatter.js';
export { type AcceptanceCriterion, readAcceptanceCriteria } from './read-acceptance-criteria.js';
