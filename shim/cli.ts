#!/usr/bin/env node
import { TABD_VERSION } from '#core/base';
import { UsageError } from './base/usage-error.ts';
import { type Arguments, parseArguments } from './cli/arguments.ts';
import { consentOnTerminal } from './cli/ask.ts';
import type { CommandName } from './cli/command-table.ts';
import { runCommand } from './cli/commands/index.ts';
import { browserPackage } from './cli/copy-files.ts';
import { helpText } from './cli/help-text.ts';
import { serve } from './cli/serve/serve.ts';
import { stopSignals } from './cli/stop-signals.ts';
import { homeFolder } from './home/home-folder.ts';
import { HomeInUse } from './home/home-lock.ts';
import { findRunning } from './home/running-server.ts';

const { stop, force } = stopSignals();
// `tabd list | head` closes our output early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
// One request that fails in an unforeseen way must not end all the others.
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
// Whatever a library still keeps open (an idle connection, a timer) does not hold up the end.
process.exit();

async function run(args: Arguments): Promise<void> {
  const out = process.stdout;
  const home = homeFolder(args.home, process.env);
  switch (args.command) {
    case 'help':
      return void out.write(helpText(args.operands[0] as CommandName | undefined));
    case 'version':
      return void out.write(`${TABD_VERSION}\n`);
    case 'serve':
      return serve({ ...args, home }, { env: process.env, out, stop, force });
  }
  const io = { out, err: process.stderr, input: process.stdin, env: process.env, home };
  if (args.command === 'doctor') return (await import('./cli/commands/doctor.ts')).doctor(args, io);
  if (args.command === 'backup' || args.command === 'restore') {
    const { backup, restore } = await import('./cli/commands/backup.ts');
    return args.command === 'backup' ? backup(args, io, stop) : restore(args, io, stop);
  }
  await runCommand(args.command, args, {
    io,
    signal: stop,
    consent: consentOnTerminal(args.yes),
  });
}

async function explain(error: unknown): Promise<string> {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof HomeInUse)) return message;
  const running = await findRunning(error.home);
  return running ? `${message}\nIts page: ${running.address.replace('127.0.0.1', 'localhost')}` : message;
}
