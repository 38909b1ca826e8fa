import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Walk } from '../fleet/walk.js';
import { findCache, locateAgents } from './install-agents.js';
import type { FakeModel } from './model-step.js';
import type { AdapterName } from './world.js';

const MODEL_VARIABLES = {
  ANTHROPIC_API_KEY: 'key-of-the-model-0123456789',
  CLAUDE_CODE_MAX_RETRIES: '1',
};

/**
 * Replaces the walk's scripted agent with real ones: the first does the work, and the others are its fallbacks. Codex's
 * own sandbox hides /dev/shm, which may hold the walk's files.
 */
export function configureWalk(
  walk: Walk,
  agents: readonly AdapterName[],
  models: Partial<Record<AdapterName, Pick<FakeModel, 'port'>>>,
): void {
  const path = join(walk.dir, 'mergexo.toml');
  const programs = locateAgents(findCache(process.env));
  const [adapter, ...fallback] = agents;
  const provider = `{name="fake",base_url="http://127.0.0.1:${models.codex?.port}/v1",wire_api="responses",request_max_retries=1,supports_websockets=false}`;
  const extra = ['-c', 'model_provider="fake"', '-c', `model_providers.fake=${provider}`];
  const passed = agents.includes('claude') ? [...Object.keys(MODEL_VARIABLES), 'ANTHROPIC_BASE_URL'] : [];
  const toml = readFileSync(path, 'utf8')
    .replace(
      'adapter = "command"',
      `adapter = "${adapter}"\nfallback = ${JSON.stringify(fallback)}\npass_env = ${JSON.stringify(passed)}`,
    )
    .concat(
      `
[codex]
binary = ${JSON.stringify(programs.codex)}
model = "gpt-5.5"
own_sandbox = "optional"
extra_args = ${JSON.stringify(extra)}
[claude]
binary = ${JSON.stringify(programs.claude)}
model = "claude-sonnet-5-5"
permission_mode = "dontAsk"
`,
    );
  writeFileSync(path, toml);
  Object.assign(process.env, MODEL_VARIABLES, {
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${models.claude?.port}`,
  });
}
