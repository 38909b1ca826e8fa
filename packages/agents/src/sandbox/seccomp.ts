import { ALWAYS_DENIED, DENIED_WITHOUT_NESTING, type DeniedSyscall } from './denied-syscalls.js';

/** The descriptor on which bubblewrap reads the filter. It is closed inside the sandbox. */
export const SECCOMP_FD = 4;

/** A classic BPF instruction. `yes` and `no` count the instructions to skip after a comparison. */
type Instruction = { code: number; k: number; yes?: number; no?: number };

const AUDIT_ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
/** Numbers from here on belong to the x32 ABI, which runs the same calls under other numbers. */
const X32 = 0x40000000;
const EPERM = 1;
const ENOSYS = 38;
const ALLOW: Instruction = { code: 0x06, k: 0x7fff0000 };
const DENY: Instruction = { code: 0x06, k: 0x00050000 | EPERM };
const UNKNOWN: Instruction = { code: 0x06, k: 0x00050000 | ENOSYS };

/** Loads a 32-bit word of `struct seccomp_data`: the number, the architecture, then 64-bit arguments. */
const load = (offset: number): Instruction => ({ code: 0x20, k: offset });
const loadNumber = load(0);
const ifEqual = (k: number, yes: number, no: number): Instruction => ({ code: 0x15, k, yes, no });
const ifAbove = (k: number, yes: number, no: number): Instruction => ({ code: 0x25, k, yes, no });
const ifAnyBit = (k: number, yes: number, no: number): Instruction => ({ code: 0x45, k, yes, no });
const ifAtLeast = (k: number, yes: number, no: number): Instruction => ({ code: 0x35, k, yes, no });

/**
 * Builds the filter for bubblewrap's option `--seccomp`. A denied call fails with EPERM, or with ENOSYS if programs can
 * fall back to another call. Denies the calls of other architectures too, because their numbers differ. Undefined for
 * an architecture whose numbers are not listed.
 */
export function buildSeccompFilter(nests: boolean, architecture: string = process.arch): Buffer | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined;
  const denied = nests ? ALWAYS_DENIED : [...ALWAYS_DENIED, ...DENIED_WITHOUT_NESTING];
  return encode([
    load(4),
    ifEqual(AUDIT_ARCH[architecture], 1, 0),
    DENY,
    loadNumber,
    ...(architecture === 'x64' ? [ifAtLeast(X32, 0, 1), DENY] : []),
    ...denied.flatMap((syscall) => {
      const number = syscall.numbers[architecture];
      if (number === undefined) return [];
      const body = judge(syscall);
      return [ifEqual(number, 0, body.length), ...body];
    }),
    ALLOW,
  ]);
}

/** Every path through these instructions returns, so the number stays loaded for the comparisons that follow. */
function judge({ only, isUnknown }: DeniedSyscall): Instruction[] {
  if (only === undefined) return [isUnknown ? UNKNOWN : DENY];
  const low = 16 + 8 * only.argument;
  const loadLow = load(low);
  if ('above' in only) {
    return [load(low + 4), ifEqual(0, 0, 2), loadLow, ifAbove(only.above, 0, 1), DENY, ALLOW];
  }
  if ('bits' in only) return [loadLow, ifAnyBit(only.bits, 0, 1), DENY, ALLOW];
  const [values, match, other] =
    'denied' in only ? ([only.denied, DENY, ALLOW] as const) : ([only.allowed, ALLOW, DENY] as const);
  return [loadLow, ...values.flatMap((value) => [ifEqual(value, 0, 1), match]), other];
}

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, { code, k, yes = 0, no = 0 }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(k >>> 0, index * 8 + 4);
  }
  return bytes;
}
