import { type OuterSandbox, probeBubblewrap } from '../sandbox.js';

export type SandboxUnderTest = { name: string; sandbox: OuterSandbox };

/** Bubblewrap is part of the promise where we build; elsewhere its tests may be missing, but not in silence. */
export async function findSandboxes(env: { PATH?: string; CI?: string }): Promise<{
  bubblewrap: SandboxUnderTest[];
  all: SandboxUnderTest[];
  /** Why there is none to test. */
  missing: string | undefined;
}> {
  const none: SandboxUnderTest = { name: 'no sandbox', sandbox: { kind: 'none' } };
  const found = await probeBubblewrap(env.PATH ?? '');
  if (found.kind === 'works') {
    const bubblewrap = [
      { name: 'bubblewrap', sandbox: { kind: 'bwrap', program: found.program } },
    ] satisfies SandboxUnderTest[];
    return { bubblewrap, all: [...bubblewrap, none], missing: undefined };
  }
  if (env.CI === 'true' && process.platform === 'linux') throw new Error(found.reason);
  return { bubblewrap: [], all: [none], missing: found.reason };
}
