export { type CompiledPattern, compilePattern } from './compile-pattern.js';
export { countOf } from './count-of.js';
export { hasLabel } from './has-label.js';
export {
  neutraliseLine,
  neutraliseMarkdown,
  neutraliseText,
  neutraliseTitle,
  redactNeutral,
} from './neutralise.js';
export { escapeInvisible, toLine, toPrintable } from './printable.js';
export { quoteName } from './quote-name.js';
export { createFindSecrets, type FindSecrets, type FoundSecret } from './secrets/find-secrets.js';
export { keepNewest } from './secrets/keep-newest.js';
export { createRedact, type Redact, type SecretRedact } from './secrets/redact.js';
export { redactJson, redactStrings } from './secrets/redact-data.js';
export { buildSlug } from './slug.js';
