export type GitResult = { code: number; stdout: Buffer; stderr: string };
export type GitOptions = { input?: string | Buffer; env?: Record<string, string> };
