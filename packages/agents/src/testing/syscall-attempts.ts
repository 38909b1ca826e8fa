import type { DeniedSyscall } from '../sandbox/denied-syscalls.js';

/** Errors as the attack `syscalls` prints them. */
export const EPERM = '1';
const ENOSYS = '38';

export type Attempt = { name: string; number: number; value: number; isUnknown?: boolean };

/** Lists one attempt for each denied call that this machine's architecture has. */
export function listAttempts(denied: readonly DeniedSyscall[]): Attempt[] {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
  return denied.flatMap((syscall) => {
    const number = syscall.numbers[architecture];
    const { name, isUnknown = false } = syscall;
    return number === undefined ? [] : [{ name, number, value: chooseValue(syscall), isUnknown }];
  });
}

/** A value of the argument that the filter must deny. Some kernels would accept it. */
function chooseValue({ only }: DeniedSyscall): number {
  if (only === undefined) return 0;
  if ('above' in only) return only.above + 1;
  if ('bits' in only) return only.bits;
  return 'denied' in only ? (only.denied[0] ?? 0) : 0x400000;
}

/** Returns a command that makes each call in a separate process, and prints one error per line. */
export const callAll = (attempts: readonly Attempt[]): string =>
  `./attack syscalls ${attempts.map(({ number, value }) => `${number} ${value}`).join(' ')}`;

export const expectedError = ({ isUnknown }: Attempt): string => (isUnknown ? ENOSYS : EPERM);
