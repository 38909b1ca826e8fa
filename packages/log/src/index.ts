export { createLog, type LogLevel, type LogSink } from './create-log.js';
