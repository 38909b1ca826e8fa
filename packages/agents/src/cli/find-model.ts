import { join } from 'node:path';
import type { Model } from '../network/choose-network.js';
import { type HostRule, readUrlRule } from '../network/host-rule.js';
import type { Host } from '../run/run-confined.js';
import { type Cli, findKey, findUserHome } from './cli.js';
import { readPrivateFile } from './private-files.js';

const BASE_URL = /base_url\s*=\s*["']?(https?:\/\/[^"'\s,}]+)/g;

type Configured = {
  host: Pick<Host, 'env' | 'passEnv'>;
  extraArgs: readonly string[];
  profile?: string | undefined;
};

/** Collects the vendor's hosts, and the URLs that the operator configured for the program. */
export function findModel(cli: Cli, { host, extraArgs, profile }: Configured): Model {
  const { hosts, loginHosts, urlVariables, otherProvider } = cli.model;
  const { env, passEnv } = host;
  const passed = passEnv.filter((name) => (env[name] ?? '') !== '');
  const texts = [...extraArgs, ...readProfile(cli, host, profile)];
  const urls = [
    ...passed.filter((name) => urlVariables.includes(name)).map((name) => env[name] ?? ''),
    ...texts.flatMap((text) => [...text.matchAll(BASE_URL)].map(([, url = '']) => url)),
  ];
  const named = [...hosts, ...(findKey(cli, host) === undefined ? loginHosts : [])];
  const rules: HostRule[] = [
    ...named.map((name) => ({
      host: name,
      ports: [443],
      tlsPorts: [443],
      plainPorts: [],
      mayBePrivate: false,
    })),
    ...urls.flatMap((url) => readUrlRule(url) ?? []),
  ];
  const other = [...passed, ...extraArgs].find((word) => otherProvider.test(word));
  if (other === undefined) return { kind: 'known', rules };
  const reason = `MergeXO does not know the hosts of the provider that ${other} selects; use "allow-list" with \`allowed_hosts\``;
  return { kind: 'other', rules, reason };
}

/** Reads the files of the profile. Only Codex has profiles. */
function readProfile(cli: Cli, { env }: Configured['host'], profile: string | undefined): string[] {
  if (profile === undefined) return [];
  const directory = findUserHome(cli, env);
  return ['config.toml', `${profile}.config.toml`].flatMap(
    (name) => readPrivateFile(join(directory, name)) ?? [],
  );
}

/** Finds a variable that makes the program use the operator's own proxy. */
export function findProxyVariable({ env, passEnv }: Configured['host']): string | undefined {
  return passEnv.find((name) => /^(?:https?|all)_proxy$/i.test(name) && (env[name] ?? '') !== '');
}
