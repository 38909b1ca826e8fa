export { bounded } from './bounded.js';
export { endTree, findDescendants, killTree, listMembers, sendSignal } from './end-tree.js';
export { codeOf } from './error-code.js';
export { findExecutable, isExecutableFile, keepAbsoluteEntries, readShebang } from './find-executable.js';
export { createMeter, type ProcessUsage } from './measure-processes.js';
export { isAlive, mayBeAlive, type ProcessRef, referTo, referToSelf } from './process-identity.js';
export { listProcesses, RUN_MARKER } from './process-table.js';
export { removeTree } from './remove-tree.js';
