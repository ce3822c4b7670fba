import { flagSetting } from '#core/settings';
import { createLog } from '../../host/log.ts';
import type { Arguments } from '../arguments.ts';
import { ApiClient } from '../client/api-client.ts';
import { type FindServerOptions, findServer, type ServerAccess } from '../client/connection.ts';
import type { CommandName } from '../command-table.ts';
import type { Command, CommandIo } from './command.ts';
import { create } from './create.ts';
import { importModel } from './import.ts';
import { key } from './key.ts';
import { list } from './list.ts';
import { ps } from './ps.ts';
import { pull, push } from './pull.ts';
import { copy, remove, stop } from './remove.ts';
import { run } from './run/run.ts';
import { show } from './show.ts';
import { tabs } from './tabs.ts';
import { workflow } from './workflow/workflow.ts';

/** Commands that need a server: a running one, or one in this process. */
export type ClientCommand = Exclude<
  CommandName,
  'serve' | 'work' | 'doctor' | 'backup' | 'restore' | 'migrate' | 'completion'
>;

const COMMANDS: Record<ClientCommand, Command> = {
  run,
  list,
  ps,
  show,
  pull,
  push,
  create,
  import: importModel,
  cp: copy,
  rm: remove,
  stop,
  workflow,
  key,
  tabs,
};

/** Whether the command needs a running server, because only such a server has loaded models and receives calls. */
function needsServer(name: ClientCommand, { operands, options }: Arguments): boolean {
  if (name === 'workflow')
    return operands[0] === 'listen' || operands[0] === 'publish' || options.publish === true;
  return name === 'ps' || name === 'stop' || name === 'tabs';
}

/** Loaded when it is needed: the libraries of a cluster are optional. */
const connectStores = async (options: FindServerOptions): Promise<ServerAccess> =>
  (await import('../client/shared-stores.ts')).openSharedServer(options);

const WORKFLOWS = new Set<ClientCommand>(['workflow', 'key']);

export interface RunCommandOptions {
  io: CommandIo;
  signal: AbortSignal;
  consent?: FindServerOptions['consent'];
  /** Finds the server that the command uses. */
  connect?: (options: FindServerOptions) => Promise<ServerAccess>;
}

/** Runs a command with the server that it finds or, without one, in this process. */
export async function runCommand(
  name: ClientCommand,
  args: Arguments,
  { io, signal, consent, connect = args.options.cluster ? connectStores : findServer }: RunCommandOptions,
): Promise<void> {
  const connection = await connect({
    home: io.home,
    isHomeNamed: (args.home ?? io.env.TABD_HOME?.trim() ?? '') !== '',
    env: io.env,
    // Only warnings are shown, because the server's log would mix with the command's output.
    log: flagSetting({ setting: (name) => io.env[name] }, 'OLLAMA_DEBUG')
      ? undefined
      : createLog({ level: 'warn' }),
    consent,
    needsServer: needsServer(name, args),
    ...(WORKFLOWS.has(name) && {
      workflows: { server: args.options.server as string | undefined, key: io.env.TABD_API_KEY },
    }),
    ...(name === 'tabs' && { bridge: true }),
    notice: (text) => void io.err.write(`tabd: ${text}\n`),
  });
  try {
    const client = new ApiClient(connection.send, signal);
    await COMMANDS[name]({ args, io, client, connection });
  } finally {
    await connection.close();
  }
}
