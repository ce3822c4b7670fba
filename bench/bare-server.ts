/** A `node:http` server that does nothing but answer, as a measure of what the machine allows. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface BareServer {
  readonly process: ChildProcess;
  readonly port: number;
  stop(): void;
}

/** Starts a server in a process of its own. It answers every request with a small JSON document. */
export async function startBareServer(): Promise<BareServer> {
  const child = spawn(process.execPath, ['-e', SOURCE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = () => void child.kill();
  process.once('exit', stop);
  const [port] = await once(child.stdout, 'data');
  return { process: child, port: Number(String(port)), stop };
}

const SOURCE = `
  const { createServer } = require('node:http');
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{"hello":"x"}'));
  }).listen(0, '127.0.0.1', () => console.log(server.address().port));`;
