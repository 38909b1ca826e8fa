import type { WorkerNotice } from '@mergexo/core/ledger';
import { adviseInstall } from '../cli/cli.js';
import type { Host } from '../run/run-confined.js';
import type { Nesting } from '../run/try-nesting.js';
import { type Bubblewrap, chooseSandbox, type Sandbox, type SandboxMode } from '../sandbox/sandbox.js';
import type { CodexSandbox } from './build-codex-args.js';
import { CODEX } from './codex-cli.js';
import { probeCodex } from './probe-codex.js';

type CodexMachine = {
  host: Omit<Host, 'sandbox'>;
  sandbox: SandboxMode;
  bubblewrap: Bubblewrap;
  settings: { codex?: { binary: string; ownSandbox?: 'required' | 'optional' } };
  /** The result of the worker's probe at startup; undefined if Codex was not installed. */
  codexProbe?: Nesting | undefined;
};

/**
 * Probes Codex's own sandbox once for all turns of a worker. Undefined if MergeXO does not need the result: on macOS, the
 * sandbox belongs to the system.
 */
export async function probeCodexSandbox(machine: CodexMachine): Promise<Nesting | undefined> {
  const outer = chooseOuter(machine);
  if (outer === undefined || (outer.kind === 'own' && process.platform !== 'linux')) return undefined;
  return probeCodex({ ...machine.host, sandbox: outer }, machine.settings.codex?.binary ?? CODEX.name);
}

type CodexSandboxChoice = { kind: 'chosen'; sandbox: CodexSandbox } | { kind: 'refused'; reason: string };

/**
 * Uses Codex's own sandbox, because it keeps commands away from the network and the login. Runs Codex without it only
 * if the operator allows that, with `own_sandbox = "optional"` or by disabling every sandbox.
 */
export function chooseCodexSandbox(
  { codexProbe: probe, settings }: Pick<CodexMachine, 'codexProbe' | 'settings'>,
  outer: Sandbox,
): CodexSandboxChoice {
  // Without MergeXO's sandbox, Codex's own sandbox is the only one. Without it, every command of Codex would fail.
  if (outer.kind === 'own' && probe?.kind === 'unusable')
    return {
      kind: 'refused',
      reason: `neither bubblewrap nor Codex's own sandbox works: ${probe.reason.replace(/\.$/, '')}. Allow user namespaces, and restart the worker`,
    };
  if (outer.kind === 'own' || probe?.kind === 'works') return { kind: 'chosen', sandbox: 'workspace-write' };
  if (probe === undefined)
    return {
      kind: 'refused',
      reason: `Codex was not installed when this worker started. ${adviseInstall(CODEX)} Then restart the worker.`,
    };
  if (outer.kind === 'none' || settings.codex?.ownSandbox === 'optional')
    return { kind: 'chosen', sandbox: 'danger-full-access' };
  return {
    kind: 'refused',
    reason: `Codex's own sandbox does not work inside bubblewrap: ${probe.reason}. ${FIX}`,
  };
}

const FIX =
  'Allow nested user namespaces and restart the worker, or set `own_sandbox = "optional"` in [codex] to rely on bubblewrap alone.';

/** Lists the notices for the operator about Codex on this worker. */
export function listCodexNotices(machine: CodexMachine): WorkerNotice[] {
  const outer = chooseOuter(machine);
  const choice = outer && chooseCodexSandbox(machine, outer);
  return choice?.kind === 'chosen' && choice.sandbox === 'danger-full-access'
    ? ['codex-without-own-sandbox']
    : [];
}

function chooseOuter({ sandbox, bubblewrap }: CodexMachine): Sandbox | undefined {
  const choice = chooseSandbox(sandbox, bubblewrap, true);
  return choice.kind === 'chosen' ? choice.sandbox : undefined;
}
