#!/usr/bin/env node
import { errorMessage, TABD_VERSION } from '#core/base';
import { UsageError } from './base/usage-error.ts';
import { type Arguments, parseArguments } from './cli/arguments.ts';
import { browserPackage } from './cli/browser-package.ts';
import type { CommandName } from './cli/command-table.ts';
import { runCommand } from './cli/commands/index.ts';
import { completion } from './cli/completion.ts';
import { consentOnTerminal } from './cli/download-consent.ts';
import { helpText } from './cli/help-text.ts';
import { serve } from './cli/serve/serve.ts';
import { stopSignals } from './cli/stop-signals.ts';
import { homeFolder } from './home/home-folder.ts';
import { HomeInUse } from './home/home-lock.ts';
import { findRunning } from './home/running-server.ts';

const { stop, force } = stopSignals();
// A reader such as `head` may close the output early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
// An unexpected failure of one request must not end all other requests.
process.on('unhandledRejection', (error) => {
  process.stderr.write(`tabd: unexpected: ${error instanceof Error ? error.stack : error}\n`);
});

try {
  const program = browserPackage(process.argv.slice(2));
  await (program ? import(program) : run(parseArguments(process.argv.slice(2))));
} catch (error) {
  process.exitCode = stop.aborted ? 130 : error instanceof UsageError ? 2 : 1;
  if (!stop.aborted) process.stderr.write(`tabd: ${await explain(error)}\n`);
}
// A library may still hold an idle connection or a timer, which would keep the process alive.
process.exit();

async function run(args: Arguments): Promise<void> {
  const out = process.stdout;
  const home = homeFolder(args.home, process.env);
  const serveIo = { env: process.env, out, stop, force };
  switch (args.command) {
    case 'help':
      return void out.write(helpText(args.operands[0] as CommandName | undefined));
    case 'version':
      return void out.write(`${TABD_VERSION}\n`);
    case 'completion':
      return void out.write(completion(args.operands[0]!));
    case 'serve':
      if (args.options.cluster)
        return (await import('./cli/cluster/serve-cluster.ts')).serveCluster({ ...args, home }, serveIo);
      return serve({ ...args, home }, serveIo);
    case 'work':
      return (await import('./cli/cluster/work.ts')).work({ ...args, home }, serveIo);
  }
  const io = { out, err: process.stderr, input: process.stdin, env: process.env, home };
  if (args.command === 'doctor') return (await import('./cli/commands/doctor.ts')).doctor(args, io);
  if (args.command === 'backup' || args.command === 'restore') {
    const { backup, restore } = await import('./cli/commands/backup.ts');
    return args.command === 'backup' ? backup(args, io, stop) : restore(args, io, stop);
  }
  if (args.command === 'migrate') return (await import('./cli/commands/migrate.ts')).migrate(args, io, stop);
  await runCommand(args.command, args, {
    io,
    signal: stop,
    consent: consentOnTerminal(args.yes),
  });
}

async function explain(error: unknown): Promise<string> {
  const message = errorMessage(error);
  if (!(error instanceof HomeInUse)) return message;
  const running = await findRunning(error.home);
  return running ? `${message}\nIts page: ${running.address.replace('127.0.0.1', 'localhost')}` : message;
}
