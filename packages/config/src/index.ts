export type { AdapterName, AgentChoice, Config, RepoConfig } from './config.js';
export { ConfigError, type Problem } from './config-error.js';
export { isLoopbackHost, isLoopbackUrl } from './is-loopback-url.js';
export { type ParseOptions, parseConfig } from './parse-config.js';
export { readConfig } from './read-config.js';
export { readSettings, type Settings } from './read-settings.js';
export { renderConfigExample } from './render-config-example.js';
export { renderConfigurationDocs } from './render-configuration-docs.js';
export { createSecretFile, readSecret, type SigningSecret } from './secret.js';
