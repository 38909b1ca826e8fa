export { type CompiledPattern, compilePattern } from './compile-pattern.js';
export { countOf } from './count-of.js';
export { hasLabel } from './has-label.js';
export { neutraliseLine, neutraliseMarkdown, neutraliseText, neutraliseTitle } from './neutralise.js';
export { quoteName } from './quote-name.js';
export { createFindSecrets, type FindSecrets, type FoundSecret } from './secrets/find-secrets.js';
export { keepNewest } from './secrets/keep-newest.js';
export { createRedact, type Redact, redactJson, redactStrings, type SecretRedact } from './secrets/redact.js';
export { buildSlug } from './slug.js';
