import { type OuterSandbox, probeBubblewrap } from '../sandbox/sandbox.js';

/** `missing` is the reason why the tests in this sandbox are skipped on this machine. */
export type SandboxUnderTest = { name: string; sandbox: OuterSandbox; missing?: string };

/** Returns bubblewrap even if it does not work here, so that its tests are reported as skipped. */
export async function findSandboxes(env: { PATH?: string }): Promise<{
  bubblewrap: SandboxUnderTest[];
  all: SandboxUnderTest[];
}> {
  const found = await probeBubblewrap(env.PATH ?? '');
  const program = found.kind === 'works' ? found.program : 'bwrap';
  const bubblewrap: SandboxUnderTest = {
    name: 'bubblewrap',
    sandbox: { kind: 'bwrap', program },
    ...(found.kind === 'works' ? {} : { missing: found.reason }),
  };
  return { bubblewrap: [bubblewrap], all: [bubblewrap, { name: 'no sandbox', sandbox: { kind: 'none' } }] };
}

/** One `describe` per sandbox. The title of a skipped suite ends with the reason, so that the test report can count skipped tests by reason. */
export function describeIn(
  sandboxes: readonly SandboxUnderTest[],
  title: string,
  body: (under: { sandbox: OuterSandbox }) => void,
): void {
  for (const { name, sandbox, missing } of sandboxes) {
    const named = title.replace('$name', name);
    if (missing === undefined) describe(named, () => body({ sandbox }));
    else describe.skip(`${named} [${missing}]`, () => body({ sandbox }));
  }
}
