export { createLog, type LogLevel, type LogSink } from './create-log.js';
export { runProgram } from './run-program.js';
