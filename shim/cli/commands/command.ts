import type { Readable } from 'node:stream';
import type { Arguments } from '../arguments.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { Connection } from '../client/connection.ts';
import type { Terminal } from '../progress.ts';

/** Where a command reads and writes. */
export interface CommandIo {
  /** Answers. */
  out: Terminal;
  /** Everything said about them. */
  err: Terminal;
  input: Readable & { isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  env: NodeJS.ProcessEnv;
  home: string;
}

export interface CommandCall {
  args: Arguments;
  io: CommandIo;
  /** Ends with the command's signal. */
  client: ApiClient;
  connection: Connection;
}

/** Throws what went wrong; the message goes to standard error. */
export type Command = (call: CommandCall) => Promise<void>;
