import type { Readable } from 'node:stream';
import type { Arguments } from '../arguments.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { ServerAccess } from '../client/connection.ts';
import type { Terminal } from '../progress.ts';

/** Input and output of a command. */
export interface CommandIo {
  /** Results: standard output. */
  out: Terminal;
  /** Warnings and progress: standard error. */
  err: Terminal;
  input: Readable & { isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  env: NodeJS.ProcessEnv;
  home: string;
}

export interface CommandCall {
  args: Arguments;
  io: CommandIo;
  /** The client of the server. The command's signal cancels its calls. */
  client: ApiClient;
  connection: ServerAccess;
}

/** Rejects on failure. The error's message goes to standard error. */
export type Command = (call: CommandCall) => Promise<void>;
