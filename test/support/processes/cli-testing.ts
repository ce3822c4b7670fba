/** The command line over a server in memory, for tests. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { recordsSchema } from '#core/host';
import { createRegistry } from '#core/local-models/registry/registry.ts';
import { createCore } from '#core/server/create-core.ts';
import { parseArguments } from '#shim/cli/arguments.ts';
import type { Send } from '#shim/cli/client/api-client.ts';
import { localConnection } from '#shim/cli/client/connection.ts';
import { type ClientCommand, runCommand } from '#shim/cli/commands/index.ts';
import { createTestHost } from '../host/test-host.ts';
import { ScriptedEngine, type ScriptedOptions } from '../local-models/scripted-engine.ts';
import { tinyGguf } from '../model-files/tiny-gguf.ts';

export interface Request {
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

export class TestTerminal {
  text = '';
  constructor(
    readonly isTTY = false,
    readonly columns = 80,
  ) {}
  write(more: string): void {
    this.text += more;
  }
  /** The output without the control sequences for cursor and color. */
  get plain(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what such codes begin with
    return this.text.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r', '');
  }
}

export interface CliOptions {
  /** The standard input. Without it: a terminal without input. */
  stdin?: string | PassThrough;
  tty?: boolean;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

export interface TestServer {
  home: string;
  engine: ScriptedEngine;
  requests: Request[];
  /** Requests of the commands. */
  send: Send;
  run(argv: string[], options?: CliOptions): Promise<{ out: string; err: string; plain: string }>;
  /** Starts a command, and gives access to its terminal while it runs. */
  begin(argv: string[], options?: CliOptions): { out: TestTerminal; err: TestTerminal; done: Promise<void> };
  close(): Promise<void>;
}

/** A server with `smollm2:135m` and `models`. Its answers are those of `script`. */
export async function testServer(
  scripted: ScriptedOptions = {},
  models: Record<string, Uint8Array<ArrayBuffer>> = { 'smollm2:135m': tinyGguf() },
): Promise<TestServer> {
  const home = await mkdtemp(join(tmpdir(), 'tabd-cli-'));
  const engine = new ScriptedEngine(scripted);
  const host = createTestHost({ schema: recordsSchema, clock: 'real', engines: [engine] });
  const registry = createRegistry(host);
  const signal = new AbortController().signal;
  for (const [name, weights] of Object.entries(models)) {
    const blob = new Blob([weights]);
    const file = { name: `${name}.gguf`, size: blob.size, stream: () => blob.stream() };
    for await (const _step of registry.importFiles(name, [file], signal)) {
      // The last line reports success. A failure throws.
    }
  }
  const core = createCore(host, registry);
  const requests: Request[] = [];
  const { importFile, send } = localConnection({ ...core, registry });
  const begin: TestServer['begin'] = (argv, options = {}) => {
    const args = parseArguments(argv);
    const tty = options.tty ?? false;
    const out = new TestTerminal(tty);
    const err = new TestTerminal(tty);
    const input = options.stdin instanceof PassThrough ? options.stdin : new PassThrough();
    if (typeof options.stdin === 'string') input.end(options.stdin);
    const io = {
      out,
      err,
      input: Object.assign(input, { isTTY: tty || options.stdin === undefined }),
      env: options.env ?? {},
      home,
    };
    const done = runCommand(args.command as ClientCommand, args, {
      io,
      signal: options.signal ?? signal,
      connect: async () => ({
        importFile,
        send: (path, init) => {
          const body = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
          requests.push({ method: init.method ?? 'GET', path, ...(body && { body }) });
          return send(path, init);
        },
        close: async () => {},
      }),
    });
    return { out, err, done };
  };
  return {
    home,
    engine,
    requests,
    send,
    begin,
    async run(argv, options) {
      const { out, err, done } = begin(argv, options);
      await done;
      return { out: out.text, err: err.text, plain: out.plain };
    },
    close: () => core.server.close(),
  };
}
