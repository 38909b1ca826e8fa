export { COMMAND_KINDS, COMMAND_TRAITS, type Command, isGivenOn, needsOperator } from './command-kind.js';
export { parseCommand, parseStartCommand } from './parse-command.js';
export { renderCommandHelp } from './render-command-help.js';
export { renderIgnoredCommands } from './render-ignored-commands.js';
